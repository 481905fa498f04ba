import type { BackendSnapshot, BalancerSnapshot } from "../options/options.js";
import { CONDITIONS, isUp } from "./merge-snapshots.js";

/** The media type of the text of `renderOpenMetrics`. */
export const OPEN_METRICS_CONTENT_TYPE = "application/openmetrics-text; version=1.0.0; charset=utf-8";

const PREFIX = "lbbench_balancer_";

/** A line of a family; `suffix` is `_total` for counters and empty for gauges unless it says otherwise. */
type Sample = readonly [labels: Readonly<Record<string, string>>, value: number, suffix?: string | undefined];

/** What is told of a backend, or of the whole balancer. */
type Family<Of> = readonly [
  name: string,
  type: "counter" | "gauge" | "histogram",
  help: string,
  read: (of: Of) => number | readonly Sample[],
];

const OF_BACKENDS: readonly Family<BackendSnapshot>[] = [
  ["backend_requests", "counter", "Requests handed to the backend.", (of) => of.requests],
  ["backend_errors", "counter", "Requests that ended in no complete answer of the backend.", (of) => of.errors],
  [
    "backend_aborted",
    "counter",
    "Requests whose client went away, or spoilt them, before the answer was complete.",
    (of) => of.aborted,
  ],
  ["backend_retries", "counter", "Requests that another backend had failed before.", (of) => of.retries],
  [
    "backend_answers",
    "counter",
    "Complete answers of the backend by class of status.",
    ({ answers }) => Object.entries(answers).map(([name, count]): Sample => [{ class: name }, count]),
  ],
  [
    "backend_grpc_answers",
    "counter",
    "Complete answers of gRPC by name of status.",
    ({ grpc }) => Object.entries(grpc).map(([status, count]): Sample => [{ status }, count]),
  ],
  [
    "backend_handshakes",
    "counter",
    "TLS handshakes with the backend that ended well, by kind: full or resumed.",
    ({ handshakes }) => byKind(handshakes),
  ],
  ["backend_in_flight", "gauge", "Requests of the backend that have not ended yet.", (of) => of.inFlight],
  ["backend_queued", "gauge", "Requests in flight that wait for a connection.", (of) => of.queued],
  ["backend_weight", "gauge", "Weight as it was given, without slow start.", (of) => of.weight],
  ["backend_up", "gauge", "1 if the backend is given requests, else 0.", (of) => Number(isUp(of))],
  [
    "backend_condition",
    "gauge",
    "1 for the condition that the backend is in, 0 for the others.",
    (of) => CONDITIONS.map((condition): Sample => [{ condition }, Number(condition === of.condition)]),
  ],
  [
    "backend_ejections",
    "counter",
    "Times that the backend was ejected, by reason: failures in a row, more errors than the others, latency above theirs.",
    ({ ejections }) => Object.entries(ejections).map(([reason, count]): Sample => [{ reason }, count]),
  ],
  [
    "backend_latency_seconds",
    "histogram",
    "Time from a request handed to the backend to the last byte of its complete answer.",
    ({ latency: { boundsSeconds, counts, sumSeconds } }) => {
      let atOrBelow = 0;
      const buckets = counts.map((count, index): Sample => {
        atOrBelow += count;
        return [{ le: boundText(boundsSeconds[index]) }, atOrBelow, "_bucket"];
      });
      return [...buckets, [{}, sumSeconds, "_sum"], [{}, atOrBelow, "_count"]];
    },
  ],
];

const OF_BALANCER: readonly Family<BalancerSnapshot>[] = [
  [
    "refused",
    "counter",
    "Requests that no backend was given, by status of the answer.",
    ({ refused }) => Object.entries(refused).map(([status, count]): Sample => [{ status }, count]),
  ],
  [
    "shortages",
    "counter",
    "Connections to backends that this machine was too short of something to make, by code of the system.",
    ({ shortages }) => Object.entries(shortages).map(([code, count]): Sample => [{ code }, count]),
  ],
  ["client_connections", "gauge", "Connections of clients that are open.", (of) => of.connections],
  [
    "client_handshakes",
    "counter",
    "TLS handshakes with clients by kind: full, resumed or failed.",
    ({ handshakes }) => byKind(handshakes),
  ],
  [
    "uncounted_workers",
    "counter",
    "Workers that died before they had told all of their counts.",
    ({ uncounted }) => uncounted?.workers ?? 0,
  ],
  [
    "uncounted_seconds",
    "counter",
    "Time from what each of these workers told last until it was dead.",
    ({ uncounted }) => (uncounted?.ms ?? 0) / 1000,
  ],
];

function byKind<Counts extends { readonly [Kind in keyof Counts]: number }>(counts?: Counts): readonly Sample[] {
  return Object.entries<number>(counts ?? {}).map(([kind, count]): Sample => [{ kind }, count]);
}

/** A snapshot as OpenMetrics 1.0 text, for `OPEN_METRICS_CONTENT_TYPE`. */
export async function renderOpenMetrics(snapshot: BalancerSnapshot): Promise<string> {
  const backends = snapshot.backends.map((of) => ({ of, own: { backend: of.name } }));
  const ofBackends = OF_BACKENDS.map((family) => renderFamily(family, backends));
  const ofBalancer = OF_BALANCER.map((family) => renderFamily(family, [{ of: snapshot, own: {} }]));
  return [...ofBackends, ...ofBalancer, "# EOF\n"].join("");
}

function renderFamily<Of>(
  [family, type, help, read]: Family<Of>,
  all: readonly { readonly of: Of; readonly own: Readonly<Record<string, string>> }[],
): string {
  const name = PREFIX + family;
  let text = `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n`;
  for (const { of, own } of all) {
    const found = read(of);
    const samples: readonly Sample[] = typeof found === "number" ? [[{}, found]] : found;
    for (const [labels, value, suffix = type === "counter" ? "_total" : ""] of samples) {
      const pairs = Object.entries({ ...own, ...labels }).map(([label, said]) => `${label}="${escapeLabel(said)}"`);
      text += `${name}${suffix}${pairs.length === 0 ? "" : `{${pairs.join(",")}}`} ${value}\n`;
    }
  }
  return text;
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
