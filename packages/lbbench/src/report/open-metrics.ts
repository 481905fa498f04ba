import type { OpenMetricsContentType } from "prom-client";
import { type FaultResponse, faultResponses } from "../judge/fault-response.js";
import type { Measurement } from "../model/measurement.js";
import { FAILURES } from "../model/outcomes.js";
import type { Result, StepKey, StepResult } from "../model/result.js";
import type { WorkerShare } from "../model/usage.js";
import type { Reporter } from "../plugin.js";
import { formatFault } from "../stats/faults.js";
import { groupBy } from "../stats/group-by.js";
import { elapsedBetweenMs } from "./iso-time.js";
import { loadOf } from "../stats/load.js";
import { cleanNames } from "./plain-line.js";
import { knownDigits, knownSeconds, STEP_FIGURES } from "./figures.js";

/** Writes `metrics.txt`: the figures of all steps as OpenMetrics 1.0, in seconds and bytes; docs/formats.md lists them. */
export const openMetricsReporter: Reporter = {
  format: "openmetrics",
  render: async (result) => [{ name: "metrics.txt", content: await writeMetrics(collectFamilies(result)) }],
};

type Labels = Readonly<Record<string, string>>;
type Sample = readonly [labels: Labels, value: number];
/** There is no sample where the value is not told. */
type ToldSample = readonly [labels: Labels, value: number | null | undefined];

/** A family of metrics; its name, without the prefix, tells the unit. */
interface Metric<Source> {
  readonly name: string;
  readonly type: "gauge" | "counter";
  readonly help: string;
  readonly of: (source: Source) => readonly ToldSample[];
}

const gauge = <Source>(name: string, help: string, of: Metric<Source>["of"]): Metric<Source> => ({
  name,
  type: "gauge",
  help,
  of,
});
const counter = <Source>(name: string, help: string, of: Metric<Source>["of"]): Metric<Source> => ({
  ...gauge(name, help, of),
  type: "counter",
});

/** The samples that {@link STEP_FIGURES} has for a metric. */
function figures(metric: string): (step: StepResult) => readonly ToldSample[] {
  const rows = STEP_FIGURES.filter((figure) => figure.metric?.[0] === metric);
  return (step) =>
    rows.map(({ key, of, metric: [, labels = {}] = [metric] }) => {
      const value = of(step);
      if (typeof value !== "number") return [labels, null];
      return [labels, key.endsWith("_ms") ? value / 1000 : value];
    });
}

const measured =
  (of: (measurement: Measurement) => readonly ToldSample[]) =>
  ({ measurement }: StepResult): readonly ToldSample[] =>
    measurement === undefined ? [] : of(measurement);

const counts = (label: string, record: Readonly<Record<string, number>>): readonly ToldSample[] =>
  Object.entries(record).map(([key, count]) => [{ [label]: key }, count]);

/** Metrics whose samples are all in {@link STEP_FIGURES}. */
const OF_FIGURES: readonly (readonly [type: "gauge" | "counter", name: string, help: string])[] = [
  ["gauge", "elapsed_seconds", "From the first request sent to the last answer, or to the end of the time."],
  ["counter", "requests", "Requests sent, by what became of them."],
  ["gauge", "failed_ratio", "Part of the requests that came to an end and failed, 0 to 1."],
  ["gauge", "throughput_per_second", "Good answers per second."],
  [
    "counter",
    "transferred_bytes",
    "Bytes read from sockets (received), of bodies among them (body), and written (sent).",
  ],
  ["gauge", "connections", "Connections asked for, those of them that were ever established, and all established."],
  ["gauge", "latency_seconds", "Latency of good answers, by quantile: 0.0 is the shortest, 1.0 the longest."],
  ["gauge", "latency_mean_seconds", "Latency of good answers: mean."],
  ["gauge", "latency_stddev_seconds", "Latency of good answers: standard deviation."],
  ["gauge", "failed_latency_seconds", "Time to failure of requests that failed, by quantile."],
  ["gauge", "failed_latency_mean_seconds", "Time to failure of requests that failed: mean."],
  ["gauge", "failed_latency_stddev_seconds", "Time to failure of requests that failed: standard deviation."],
  ["gauge", "phase_seconds", "Where the time of good answers went."],
  ["counter", "scheduled_requests", "Requests that an open loop was to send."],
  ["counter", "unsent_requests", "Requests that were due in an open loop and could not leave."],
  ["gauge", "lateness_seconds", "From when a request of an open loop was due to when it left."],
  ["gauge", "cpu_cores", "Processor time over wall time of all processes of a role; 1 is one core kept busy."],
  ["gauge", "memory_bytes", "Largest resident memory seen, added up over the processes of a role."],
  [
    "gauge",
    "event_loop_busy_ratio",
    "Part of the time in which the busiest event loop of a role did not wait, 0 to 1.",
  ],
  ["gauge", "machine_busy_ratio", "Busy part of all cores of the machine, 0 to 1."],
];

const ofWorkers =
  (of: (worker: WorkerShare) => number | undefined) =>
  ({ workers = [] }: StepResult): readonly ToldSample[] =>
    workers.map((worker) => [{ worker: worker.name, host: worker.host }, of(worker)]);

const WORKER_METRICS: readonly Metric<StepResult>[] = [
  counter(
    "worker_requests",
    "Requests that a worker sent.",
    ofWorkers(({ sent }) => sent),
  ),
  gauge(
    "worker_cpu_cores",
    "Processor time over wall time of a worker's generator.",
    ofWorkers(({ cpu }) => cpu),
  ),
  gauge(
    "worker_machine_busy_ratio",
    "Busy part of all cores of a worker's machine, 0 to 1.",
    ofWorkers(({ machineCpu }) => machineCpu),
  ),
  gauge(
    "worker_event_loop_busy_ratio",
    "Part of the time in which a worker's event loop did not wait, 0 to 1.",
    ofWorkers(({ eventLoopUtilization }) => eventLoopUtilization),
  ),
  gauge(
    "worker_start_skew_seconds",
    "How much later than the first worker it started.",
    ofWorkers(({ startSkewMs }) => startSkewMs / 1000),
  ),
];

const ofFaults =
  (of: (response: FaultResponse) => readonly ToldSample[]) =>
  (step: StepResult): readonly ToldSample[] =>
    faultResponses(step).flatMap((response) =>
      of(response).map(([labels, value]): ToldSample => [{ fault: formatFault(response.fault), ...labels }, value]),
    );

const FAULT_METRICS: readonly Metric<StepResult>[] = [
  counter(
    "fault_lost_requests",
    "Requests that failed after a fault, until the next one that harms, by what became of them.",
    ofFaults(({ failures }) => FAILURES.map(({ key, metric }) => [{ outcome: metric }, failures[key] ?? 0])),
  ),
  counter(
    "fault_slow_requests",
    "Good answers after a fault that took over 100 ms longer than p99 before.",
    ofFaults(({ slow }) => [[{}, slow]]),
  ),
  gauge(
    "fault_recovery_seconds",
    "From when a fault took effect until answers came as before; without a sample: never.",
    ofFaults(({ recoveryMs }) => [[{}, recoveryMs === null ? null : recoveryMs / 1000]]),
  ),
  gauge(
    "fault_latency_seconds",
    "Latency of good answers until the recovery from a fault, by quantile.",
    ofFaults(({ p99Ms }) => [[{ quantile: "0.99" }, p99Ms === null ? null : p99Ms / 1000]]),
  ),
];

const STEP_METRICS: readonly Metric<StepResult>[] = [
  gauge("step_state", "1 for the state that the step is in, 0 for the others.", ({ state }) =>
    ["completed", "failed", "aborted"].map((one) => [{ state: one }, one === state ? 1 : 0]),
  ),
  ...OF_FIGURES.map(([type, name, help]) => ({ type, name, help, of: figures(name) })),
  counter(
    "answers",
    "Answers by status.",
    measured(({ statusCodes }) => counts("status", statusCodes)),
  ),
  counter(
    "errors",
    "Errors of the operating system or the parser, by code.",
    measured(({ errorCodes }) => counts("code", errorCodes)),
  ),
  counter(
    "backend_requests",
    "Requests by backend, as the balancer or the backends counted them.",
    measured(({ backends = {} }) => Object.entries(backends).map(([backend, { requests }]) => [{ backend }, requests])),
  ),
  counter(
    "backend_errors",
    "Requests that failed on the backend, where that is told.",
    measured(({ backends = {} }) => Object.entries(backends).map(([backend, { errors }]) => [{ backend }, errors])),
  ),
  counter(
    "mix_requests",
    "Requests by entry of a mix, by what became of them.",
    measured(({ mix = [] }) =>
      mix.flatMap(({ name: entry, ok, failed }): readonly ToldSample[] => [
        [{ entry, outcome: "ok" }, ok],
        [{ entry, outcome: "failed" }, failed],
      ]),
    ),
  ),
  ...WORKER_METRICS,
  ...FAULT_METRICS,
  gauge("bottleneck", "1 for what limited the throughput.", ({ usage }) =>
    usage === undefined ? [] : [[{ bottleneck: usage.bottleneck }, 1]],
  ),
  gauge("step_findings", "Findings of the step by code and severity.", ({ findings }) =>
    findings.map(({ code, severity }) => [{ code, severity }, 1]),
  ),
];

const EPOCH = "1970-01-01T00:00:00.000Z";

const RUN_METRICS: readonly Metric<Result>[] = [
  gauge("run", "Always 1; its labels say what was run, and by what.", ({ scenario, tool: { name, version } }) => [
    [{ name: scenario.name, tool: name, version }, 1],
  ]),
  gauge("run_start_time_seconds", "When the run was started, in seconds since 1970.", ({ startedAt }) => {
    const startedMs = elapsedBetweenMs(EPOCH, startedAt);
    return [[{}, startedMs === null ? null : startedMs / 1000]];
  }),
  gauge("run_complete", "1 if every planned step was executed, else 0.", ({ complete }) => [[{}, complete ? 1 : 0]]),
  gauge("verdict", "1 for the verdict of the run, 0 for the others.", ({ verdict }) =>
    ["pass", "fail", "inconclusive"].map((status) => [{ status }, verdict.status === status ? 1 : 0]),
  ),
  gauge("findings", "Findings of the verdict by code and severity.", ({ verdict }) =>
    [...groupBy(verdict.findings, ({ code, severity }) => `${code} ${severity}`).values()].flatMap((group) =>
      group.slice(0, 1).map(({ code, severity }) => [{ code, severity }, group.length] as const),
    ),
  ),
];

interface Family extends Pick<Metric<never>, "name" | "type" | "help"> {
  readonly samples: readonly Sample[];
}

/** Times to the microsecond, other figures with six significant digits, counts exactly. */
function collectFamilies(result: Result): readonly Family[] {
  const isTold = (sample: ToldSample): sample is Sample => Number.isFinite(sample[1]);
  const ofRun = RUN_METRICS.map(({ of, ...metric }) => ({ ...metric, samples: of(result).filter(isTold) }));
  const places = result.steps.map((step) => [step, stepLabels(step)] as const);
  const ofSteps = STEP_METRICS.map(({ of, ...metric }) => {
    const round = metric.name.endsWith("_seconds") ? knownSeconds : knownDigits;
    const samples = places.flatMap(([step, place]) =>
      of(step)
        .filter(isTold)
        .map(([labels, value]): Sample => [{ ...place, ...labels }, round(value)]),
    );
    return { ...metric, samples };
  });
  return cleanLabels([...ofRun, ...ofSteps].filter(({ samples }) => samples.length > 0));
}

/** Of `connections`, `rate` and `users` one, and of `requests` and `duration_seconds`. */
function stepLabels({ target, level, trial }: StepKey): Labels {
  const { kind, value } = loadOf(level);
  return {
    target,
    [kind]: String(value),
    ...(level.requests === undefined ? {} : { requests: String(level.requests) }),
    ...(level.durationMs === undefined ? {} : { duration_seconds: String(level.durationMs / 1000) }),
    trial: String(trial),
  };
}

/** Makes plain lines of the values of labels; those of one label that differ still do, else series would fall together. */
function cleanLabels(families: readonly Family[]): readonly Family[] {
  // Each value once: there are few of them in very many samples.
  const texts = new Map<string, Set<string>>();
  for (const [labels] of families.flatMap(({ samples }) => samples)) {
    for (const [label, text] of Object.entries(labels)) {
      texts.set(label, (texts.get(label) ?? new Set()).add(text));
    }
  }
  const clean = new Map([...texts].map(([label, values]) => [label, cleanNames(values)]));
  if ([...clean.values()].every((names) => [...names].every(([text, cleaned]) => text === cleaned))) return families;
  const cleanOne = (labels: Labels): Labels =>
    Object.fromEntries(Object.entries(labels).map(([label, text]) => [label, clean.get(label)?.get(text) ?? text]));
  return families.map((family) => ({
    ...family,
    samples: family.samples.map(([labels, value]): Sample => [cleanOne(labels), value]),
  }));
}

const CONTENT_TYPE: OpenMetricsContentType = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/** Ends with `# EOF`. */
async function writeMetrics(families: readonly Family[]): Promise<string> {
  const { Counter, Gauge, Registry } = await import("prom-client");
  const registry = new Registry<OpenMetricsContentType>();
  registry.setContentType(CONTENT_TYPE);
  for (const { name, type, help, samples } of families) {
    const labelNames = [...new Set(samples.flatMap(([labels]) => Object.keys(labels)))];
    const options = { name: `lbbench_${name}`, help, labelNames, registers: [registry] };
    if (type === "counter") {
      const metric = new Counter(options);
      for (const [labels, value] of samples) metric.inc(labels, value);
    } else {
      const metric = new Gauge(options);
      for (const [labels, value] of samples) metric.set(labels, value);
    }
  }
  return registry.metrics();
}
