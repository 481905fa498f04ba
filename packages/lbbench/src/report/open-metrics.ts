import type { OpenMetricsContentType } from "prom-client";
import { type FaultResponse, faultResponses } from "../judge/fault-response.js";
import { FAILURES } from "../model/outcomes.js";
import type { Result, StepKey, StepResult } from "../model/result.js";
import type { WorkerShare } from "../model/usage.js";
import type { Reporter } from "../plugin.js";
import { formatFault } from "../stats/faults.js";
import { groupBy } from "../stats/group-by.js";
import { elapsedBetweenMs } from "../stats/iso-time.js";
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
type ToldSample = readonly [labels: Labels, value: number | null | undefined];
type Samples<Source> = (source: Source) => readonly ToldSample[];

/** One sample for each of some values: 1 for the one that it is. */
const oneOf = (label: string, values: readonly string[], it: string): readonly ToldSample[] =>
  values.map((value) => [{ [label]: value }, value === it ? 1 : 0]);

const counts = (label: string, record: Readonly<Record<string, number>> = {}): readonly ToldSample[] =>
  Object.entries(record).map(([key, count]) => [{ [label]: key }, count]);

const ofBackends =
  (key: "requests" | "errors"): Samples<StepResult> =>
  ({ measurement: { backends = {} } = {} }) =>
    Object.entries(backends).map(([backend, share]) => [{ backend }, share[key]]);

const ofWorkers =
  (of: (worker: WorkerShare) => number | undefined): Samples<StepResult> =>
  ({ workers = [] }) =>
    workers.map((worker) => [{ worker: worker.name, host: worker.host }, of(worker)]);

const ofFaults =
  (of: Samples<FaultResponse>): Samples<StepResult> =>
  (step) =>
    faultResponses(step).flatMap((response) =>
      of(response).map(([labels, value]): ToldSample => [{ fault: formatFault(response.fault), ...labels }, value]),
    );

const inSeconds = (ms: number | null): number | null => (ms === null ? null : ms / 1000);

/** What each metric of a step is, in the order of the file. */
const STEP_METRICS: Readonly<Record<string, string>> = {
  step_state: "1 for the state that the step is in, 0 for the others.",
  elapsed_seconds: "From the first request sent to the last answer, or to the end of the time.",
  requests: "Requests sent, by what became of them.",
  failed_ratio: "Part of the requests that came to an end and failed, 0 to 1.",
  throughput_per_second: "Good answers per second.",
  transferred_bytes: "Bytes read from sockets (received), of bodies among them (body), and written (sent).",
  connections: "Connections asked for, those of them that were ever established, and all established.",
  latency_seconds: "Latency of good answers, by quantile: 0.0 is the shortest, 1.0 the longest.",
  latency_mean_seconds: "Latency of good answers: mean.",
  latency_stddev_seconds: "Latency of good answers: standard deviation.",
  failed_latency_seconds: "Time to failure of requests that failed, by quantile.",
  failed_latency_mean_seconds: "Time to failure of requests that failed: mean.",
  failed_latency_stddev_seconds: "Time to failure of requests that failed: standard deviation.",
  phase_seconds: "Where the time of good answers went.",
  scheduled_requests: "Requests that an open loop was to send.",
  unsent_requests: "Requests that were due in an open loop and could not leave.",
  lateness_seconds: "From when a request of an open loop was due to when it left.",
  cpu_cores: "Processor time over wall time of all processes of a role; 1 is one core kept busy.",
  memory_bytes: "Largest resident memory seen, added up over the processes of a role.",
  event_loop_busy_ratio: "Part of the time in which the busiest event loop of a role did not wait, 0 to 1.",
  machine_busy_ratio: "Busy part of all cores of the machine, 0 to 1.",
  answers: "Answers by status.",
  errors: "Errors of the operating system or the parser, by code.",
  backend_requests: "Requests by backend, as the balancer or the backends counted them.",
  backend_errors: "Requests that failed on the backend, where that is told.",
  mix_requests: "Requests by entry of a mix, by what became of them.",
  worker_requests: "Requests that a worker sent.",
  worker_cpu_cores: "Processor time over wall time of a worker's generator.",
  worker_machine_busy_ratio: "Busy part of all cores of a worker's machine, 0 to 1.",
  worker_event_loop_busy_ratio: "Part of the time in which a worker's event loop did not wait, 0 to 1.",
  worker_start_skew_seconds: "How much later than the first worker it started.",
  fault_lost_requests: "Requests that failed after a fault, until the next one that harms, by what became of them.",
  fault_slow_requests: "Good answers after a fault that took over 100 ms longer than p99 before.",
  fault_recovery_seconds:
    "From when a fault took effect until answers came as before; without a sample: never, or the next fault came too early to tell.",
  fault_latency_seconds: "Latency of good answers until the recovery from a fault, by quantile.",
  bottleneck: "1 for what limited the throughput.",
  step_findings: "Findings of the step by code and severity.",
};

/** What only grows; all others are gauges. */
const COUNTER = /^(?:answers|errors|backend_errors|transferred_bytes|(?:\w+_)?requests)$/;

/** Samples of a step by the name of their metric; those of any other metric are in {@link STEP_FIGURES}. */
const STEP_SAMPLES: ReadonlyMap<string, Samples<StepResult>> = new Map<string, Samples<StepResult>>([
  ["step_state", ({ state }) => oneOf("state", ["completed", "failed", "aborted"], state)],
  ["answers", ({ measurement }) => counts("status", measurement?.statusCodes)],
  ["errors", ({ measurement }) => counts("code", measurement?.errorCodes)],
  ["backend_requests", ofBackends("requests")],
  ["backend_errors", ofBackends("errors")],
  [
    "mix_requests",
    ({ measurement: { mix = [] } = {} }) =>
      mix.flatMap((entry) =>
        (["ok", "failed"] as const).map((key) => [{ entry: entry.name, outcome: key }, entry[key]]),
      ),
  ],
  ["worker_requests", ofWorkers(({ sent }) => sent)],
  ["worker_cpu_cores", ofWorkers(({ cpu }) => cpu)],
  ["worker_machine_busy_ratio", ofWorkers(({ machineCpu }) => machineCpu)],
  ["worker_event_loop_busy_ratio", ofWorkers(({ eventLoopUtilization }) => eventLoopUtilization)],
  ["worker_start_skew_seconds", ofWorkers(({ startSkewMs }) => startSkewMs / 1000)],
  [
    "fault_lost_requests",
    ofFaults(({ failures }) => FAILURES.map(({ key, metric }) => [{ outcome: metric }, failures[key] ?? 0])),
  ],
  ["fault_slow_requests", ofFaults(({ slow }) => [[{}, slow]])],
  ["fault_recovery_seconds", ofFaults(({ recoveryMs = null }) => [[{}, inSeconds(recoveryMs)]])],
  ["fault_latency_seconds", ofFaults(({ p99Ms }) => [[{ quantile: "0.99" }, inSeconds(p99Ms)]])],
  ["bottleneck", ({ usage }) => (usage === undefined ? [] : [[{ bottleneck: usage.bottleneck }, 1]])],
  ["step_findings", ({ findings }) => findings.map(({ code, severity }) => [{ code, severity }, 1])],
]);

/** The samples that {@link STEP_FIGURES} has for a metric. */
function figures(metric: string): Samples<StepResult> {
  const rows = STEP_FIGURES.filter((figure) => figure.metric?.[0] === metric);
  return (step) =>
    rows.map(({ key, of, metric: [, labels = {}] = [metric] }) => {
      const value = of(step);
      if (typeof value !== "number") return [labels, null];
      return [labels, key.endsWith("_ms") ? value / 1000 : value];
    });
}

const EPOCH = "1970-01-01T00:00:00.000Z";

const RUN_METRICS: Readonly<Record<string, readonly [help: string, of: Samples<Result>]>> = {
  run: [
    "Always 1; its labels say what was run, and by what.",
    ({ scenario, tool: { name, version } }) => [[{ name: scenario.name, tool: name, version }, 1]],
  ],
  run_start_time_seconds: [
    "When the run was started, in seconds since 1970.",
    ({ startedAt }) => [[{}, inSeconds(elapsedBetweenMs(EPOCH, startedAt))]],
  ],
  run_complete: ["1 if every planned step was executed, else 0.", ({ complete }) => [[{}, complete ? 1 : 0]]],
  verdict: [
    "1 for the verdict of the run, 0 for the others.",
    ({ verdict }) => oneOf("status", ["pass", "fail", "inconclusive"], verdict.status),
  ],
  findings: [
    "Findings of the verdict by code and severity.",
    ({ verdict }) =>
      [...groupBy(verdict.findings, ({ code, severity }) => `${code} ${severity}`).values()].flatMap((group) =>
        group.slice(0, 1).map(({ code, severity }) => [{ code, severity }, group.length] as const),
      ),
  ],
};

interface Family {
  readonly name: string;
  readonly help: string;
  readonly samples: readonly Sample[];
}

/** Times to the microsecond, other figures with six significant digits, counts exactly. */
function collectFamilies(result: Result): readonly Family[] {
  const places = result.steps.map((step) => [step, stepLabels(step)] as const);
  const families = [
    ...Object.entries(RUN_METRICS).map(([name, [help, of]]) => ({ name, help, told: of(result) })),
    ...Object.entries(STEP_METRICS).map(([name, help]) => {
      const of = STEP_SAMPLES.get(name) ?? figures(name);
      const told = places.flatMap(([step, place]) =>
        of(step).map(([labels, value]) => [{ ...place, ...labels }, value] as const),
      );
      return { name, help, told };
    }),
  ].map(({ name, help, told }): Family => {
    const round = name.endsWith("_seconds") ? knownSeconds : knownDigits;
    const samples = told.flatMap(([labels, value]): readonly Sample[] =>
      typeof value === "number" && Number.isFinite(value) ? [[labels, round(value)]] : [],
    );
    return { name, help, samples };
  });
  return cleanLabels(families.filter(({ samples }) => samples.length > 0));
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
  for (const { name, help, samples } of families) {
    const labelNames = [...new Set(samples.flatMap(([labels]) => Object.keys(labels)))];
    const options = { name: `lbbench_${name}`, help, labelNames, registers: [registry] };
    if (COUNTER.test(name)) {
      const metric = new Counter(options);
      for (const [labels, value] of samples) metric.inc(labels, value);
    } else {
      const metric = new Gauge(options);
      for (const [labels, value] of samples) metric.set(labels, value);
    }
  }
  return registry.metrics();
}
