import type { BackendSnapshot, BalancerSnapshot, LatencySnapshot } from "../options/options.js";
import { CONDITIONS, isUp } from "./merge-snapshots.js";
import type { Histogram, OpenMetricsContentType } from "prom-client";

/** The media type of what `renderOpenMetrics` makes. */
export const OPEN_METRICS_CONTENT_TYPE: OpenMetricsContentType =
  "application/openmetrics-text; version=1.0.0; charset=utf-8";

const PREFIX = "lbbench_balancer_";
const CLASSES = ["1xx", "2xx", "3xx", "4xx", "5xx"] as const;

type Sample = readonly [labels: Readonly<Record<string, string>>, value: number];

interface Family {
  readonly name: string;
  readonly help: string;
  readonly labelNames: readonly string[];
  readonly samples: readonly Sample[];
}

/** A snapshot as OpenMetrics 1.0 text, for `OPEN_METRICS_CONTENT_TYPE`. Loads prom-client when it is first called. */
export async function renderOpenMetrics(snapshot: BalancerSnapshot): Promise<string> {
  const { Counter, Gauge, Histogram, Registry } = await import("prom-client");
  const registry = new Registry<OpenMetricsContentType>();
  registry.setContentType(OPEN_METRICS_CONTENT_TYPE);
  const registers = [registry];
  for (const { name, help, labelNames, samples } of counters(snapshot)) {
    const counter = new Counter({ name: PREFIX + name, help, labelNames, registers });
    for (const [labels, value] of samples) counter.inc(labels, value);
  }
  for (const { name, help, labelNames, samples } of gauges(snapshot)) {
    const gauge = new Gauge({ name: PREFIX + name, help, labelNames, registers });
    for (const [labels, value] of samples) gauge.set(labels, value);
  }
  const name = `${PREFIX}backend_latency_seconds`;
  const help = "Time from a request handed to the backend to the last byte of its complete answer.";
  const empty = new Histogram({ name, help, labelNames: ["backend"], registers: [] });
  registry.registerMetric(countedHistogram(empty, name, snapshot.backends));
  return registry.metrics();
}

function counters({ backends, refused }: BalancerSnapshot): readonly Family[] {
  return [
    perBackend(backends, "requests", "Requests handed to the backend.", ({ requests }) => requests),
    perBackend(backends, "errors", "Requests that ended in no complete answer of the backend.", ({ errors }) => errors),
    perBackend(backends, "aborted", "Requests whose client went away before the answer was complete.", (backend) => {
      return backend.aborted;
    }),
    perBackend(backends, "retries", "Requests that another backend had failed before.", ({ retries }) => retries),
    {
      name: "backend_answers",
      help: "Complete answers of the backend by class of status.",
      labelNames: ["backend", "class"],
      samples: backends.flatMap(({ name, answers }) =>
        CLASSES.map((statusClass): Sample => [{ backend: name, class: statusClass }, answers[statusClass]]),
      ),
    },
    {
      name: "refused",
      help: "Requests that no backend was given, by status of the answer.",
      labelNames: ["status"],
      samples: Object.entries(refused).map(([status, count]): Sample => [{ status }, count]),
    },
  ];
}

function gauges({ backends, connections }: BalancerSnapshot): readonly Family[] {
  return [
    perBackend(backends, "in_flight", "Requests of the backend that have not ended yet.", ({ inFlight }) => inFlight),
    perBackend(backends, "queued", "Requests in flight that wait for a connection.", ({ queued }) => queued),
    perBackend(backends, "weight", "Weight as it was given, without slow start.", ({ weight }) => weight),
    perBackend(backends, "up", "1 if the backend is given requests, else 0.", (backend) => (isUp(backend) ? 1 : 0)),
    {
      name: "backend_condition",
      help: "1 for the condition that the backend is in, 0 for the others.",
      labelNames: ["backend", "condition"],
      samples: backends.flatMap(({ name, condition: current }) =>
        CONDITIONS.map((condition): Sample => [{ backend: name, condition }, condition === current ? 1 : 0]),
      ),
    },
    {
      name: "client_connections",
      help: "Connections of clients that are open.",
      labelNames: [],
      samples: [[{}, connections]],
    },
  ];
}

function perBackend(
  backends: readonly BackendSnapshot[],
  name: string,
  help: string,
  read: (backend: BackendSnapshot) => number,
): Family {
  return {
    name: `backend_${name}`,
    help,
    labelNames: ["backend"],
    samples: backends.map((backend): Sample => [{ backend: backend.name }, read(backend)]),
  };
}

/** What a registry reads of a metric. */
interface ReadMetric extends Pick<Histogram<"backend">, "get"> {
  readonly name: string;
}

/**
 * A metric to be registered that tells latencies counted elsewhere: a histogram of prom-client tells only what it has
 * observed itself. `empty` gives it help and type, and is not to be registered.
 */
function countedHistogram(
  empty: Histogram<"backend">,
  name: string,
  backends: readonly Pick<BackendSnapshot, "name" | "latency">[],
): Histogram<"backend"> {
  const values = backends.flatMap((backend) => samples(name, backend.name, backend.latency));
  const metric: ReadMetric = { name, get: async () => ({ ...(await empty.get()), values }) };
  const read: Pick<ReadMetric, "get"> = metric;
  // The type of a registry asks for the whole class.
  return read as Histogram<"backend">;
}

function samples(name: string, backend: string, { boundsSeconds, counts, sumSeconds }: LatencySnapshot) {
  let atOrBelow = 0;
  const buckets = counts.map((count, index) => {
    atOrBelow += count;
    return { metricName: `${name}_bucket`, labels: { backend, le: boundText(boundsSeconds[index]) }, value: atOrBelow };
  });
  return [
    ...buckets,
    { metricName: `${name}_sum`, labels: { backend }, value: sumSeconds },
    { metricName: `${name}_count`, labels: { backend }, value: atOrBelow },
  ];
}

/** A bound as OpenMetrics 1.0 spells it ("Considerations: Canonical Numbers"): 1 is `1.0`. */
function boundText(bound: number | undefined): string {
  if (bound === undefined) return "+Inf";
  return Number.isInteger(bound) ? bound.toFixed(1) : String(bound);
}
