import type { BackendSnapshot, BalancerSnapshot } from "../options/options.js";
import { CONDITIONS, isUp } from "./merge-snapshots.js";

/** The media type of what `renderOpenMetrics` makes. */
export const OPEN_METRICS_CONTENT_TYPE = "application/openmetrics-text; version=1.0.0; charset=utf-8";

const PREFIX = "lbbench_balancer_";

/** A line of a family; `suffix` is `_total` for counters and empty for gauges unless it says otherwise. */
type Sample = readonly [labels: Readonly<Record<string, string>>, value: number, suffix?: string | undefined];

type Family = readonly [
  name: string,
  type: "counter" | "gauge" | "histogram",
  help: string,
  samples: (snapshot: BalancerSnapshot) => readonly Sample[],
];

const FAMILIES: readonly Family[] = [
  ["backend_requests", "counter", "Requests handed to the backend.", perBackend(({ requests }) => requests)],
  [
    "backend_errors",
    "counter",
    "Requests that ended in no complete answer of the backend.",
    perBackend(({ errors }) => errors),
  ],
  [
    "backend_aborted",
    "counter",
    "Requests whose client went away before the answer was complete.",
    perBackend(({ aborted }) => aborted),
  ],
  [
    "backend_retries",
    "counter",
    "Requests that another backend had failed before.",
    perBackend(({ retries }) => retries),
  ],
  [
    "backend_answers",
    "counter",
    "Complete answers of the backend by class of status.",
    perBackend(({ answers }) => Object.entries(answers).map(([name, count]): Sample => [{ class: name }, count])),
  ],
  [
    "refused",
    "counter",
    "Requests that no backend was given, by status of the answer.",
    ({ refused }) => Object.entries(refused).map(([status, count]): Sample => [{ status }, count]),
  ],
  [
    "backend_in_flight",
    "gauge",
    "Requests of the backend that have not ended yet.",
    perBackend(({ inFlight }) => inFlight),
  ],
  ["backend_queued", "gauge", "Requests in flight that wait for a connection.", perBackend(({ queued }) => queued)],
  ["backend_weight", "gauge", "Weight as it was given, without slow start.", perBackend(({ weight }) => weight)],
  [
    "backend_up",
    "gauge",
    "1 if the backend is given requests, else 0.",
    perBackend((backend) => Number(isUp(backend))),
  ],
  [
    "backend_condition",
    "gauge",
    "1 for the condition that the backend is in, 0 for the others.",
    perBackend((backend) =>
      CONDITIONS.map((condition): Sample => [{ condition }, Number(condition === backend.condition)]),
    ),
  ],
  ["client_connections", "gauge", "Connections of clients that are open.", ({ connections }) => [[{}, connections]]],
  [
    "backend_latency_seconds",
    "histogram",
    "Time from a request handed to the backend to the last byte of its complete answer.",
    perBackend(({ latency: { boundsSeconds, counts, sumSeconds } }) => {
      let atOrBelow = 0;
      const buckets = counts.map((count, index): Sample => {
        atOrBelow += count;
        return [{ le: boundText(boundsSeconds[index]) }, atOrBelow, "_bucket"];
      });
      return [...buckets, [{}, sumSeconds, "_sum"], [{}, atOrBelow, "_count"]];
    }),
  ],
];

/** A snapshot as OpenMetrics 1.0 text, for `OPEN_METRICS_CONTENT_TYPE`. */
export async function renderOpenMetrics(snapshot: BalancerSnapshot): Promise<string> {
  let text = "";
  for (const [family, type, help, samples] of FAMILIES) {
    const name = PREFIX + family;
    text += `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n`;
    for (const [labels, value, suffix = type === "counter" ? "_total" : ""] of samples(snapshot)) {
      const pairs = Object.entries(labels).map(([label, of]) => `${label}="${escapeLabel(of)}"`);
      text += `${name}${suffix}${pairs.length === 0 ? "" : `{${pairs.join(",")}}`} ${value}\n`;
    }
  }
  return `${text}# EOF\n`;
}

function perBackend(read: (backend: BackendSnapshot) => number | readonly Sample[]): Family[3] {
  return ({ backends }) =>
    backends.flatMap((backend) => {
      const found = read(backend);
      const samples: readonly Sample[] = typeof found === "number" ? [[{}, found]] : found;
      return samples.map(([labels, ...rest]): Sample => [{ backend: backend.name, ...labels }, ...rest]);
    });
}

/** As OpenMetrics 1.0 has it ("ABNF", `escaped-char`). */
function escapeLabel(text: string): string {
  return text.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n");
}

/** A bound as OpenMetrics 1.0 spells it ("Considerations: Canonical Numbers"): 1 is `1.0`. */
function boundText(bound: number | undefined): string {
  if (bound === undefined) return "+Inf";
  return Number.isInteger(bound) ? bound.toFixed(1) : String(bound);
}
