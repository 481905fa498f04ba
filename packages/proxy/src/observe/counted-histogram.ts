import type { Histogram } from "prom-client";
import type { BackendSnapshot, LatencySnapshot } from "../options/options.js";

/** What a registry reads of a metric. */
interface ReadMetric extends Pick<Histogram<"backend">, "get"> {
  readonly name: string;
}

/**
 * A metric to be registered that tells latencies counted elsewhere: a histogram of prom-client tells only what it has
 * observed itself. `empty` gives it help and type, and is not to be registered.
 */
export function countedHistogram(
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
