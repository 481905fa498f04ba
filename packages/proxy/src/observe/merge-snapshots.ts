import type {
  BackendCondition,
  BackendSnapshot,
  BackendStats,
  BalancerSnapshot,
  LatencySnapshot,
} from "../options/options.js";

/**
 * The workers of one balancer as if they were one. Backends are the same when their names are, in order of first
 * appearance; counts are summed, the condition is the worst that a worker sees, weight and URL are those of the first.
 * Throws an `Error` when latencies were counted in different buckets.
 */
export function mergeSnapshots(snapshots: readonly BalancerSnapshot[]): BalancerSnapshot {
  const backends = new Map<string, BackendSnapshot>();
  let refused: BalancerSnapshot["refused"] = {};
  let shortages: BalancerSnapshot["shortages"] = {};
  let connections = 0;
  let handshakes: BalancerSnapshot["handshakes"];
  let uncounted: BalancerSnapshot["uncounted"];
  for (const snapshot of snapshots) {
    connections += snapshot.connections;
    refused = addUp(refused, snapshot.refused);
    shortages = addUp(shortages, snapshot.shortages);
    handshakes = addUpKnown(handshakes, snapshot.handshakes);
    uncounted = addUpKnown(uncounted, snapshot.uncounted);
    for (const backend of snapshot.backends) {
      const known = backends.get(backend.name);
      backends.set(backend.name, known === undefined ? backend : mergeBackends(known, backend));
    }
  }
  return {
    backends: [...backends.values()],
    connections,
    refused,
    shortages,
    ...(handshakes && { handshakes }),
    ...(uncounted && { uncounted }),
  };
}

function mergeBackends(first: BackendSnapshot, second: BackendSnapshot): BackendSnapshot {
  const worst = CONDITIONS.indexOf(second.condition) > CONDITIONS.indexOf(first.condition) ? second : first;
  const handshakes = addUpKnown(first.handshakes, second.handshakes);
  return {
    ...first,
    condition: worst.condition,
    ejectedFor: worst.ejectedFor,
    ejections: addUp(first.ejections, second.ejections),
    ...addUp(countsOf(first), countsOf(second)),
    ...(handshakes && { handshakes }),
    answers: addUp(first.answers, second.answers),
    grpc: addUp(first.grpc, second.grpc),
    latency: mergeLatencies(first.latency, second.latency, first.name),
  };
}

function countsOf({ requests, errors, aborted, inFlight, queued, retries }: BackendSnapshot) {
  return { requests, errors, aborted, inFlight, queued, retries };
}

/** Adds up counts of the same name. */
function addUp<Name extends string>(
  first: Readonly<Record<Name, number>>,
  second: Readonly<Record<Name, number>>,
): Record<Name, number> {
  const sums: Record<Name, number> = { ...first };
  for (const [name, count] of Object.entries<number>(second) as [Name, number][]) {
    sums[name] = (sums[name] ?? 0) + count;
  }
  return sums;
}

/** Adds up counts of which some may not be known. */
function addUpKnown<Counts extends { readonly [Name in keyof Counts]: number }>(
  first: Counts | undefined,
  second: Counts | undefined,
): Counts | undefined {
  return first && second ? (addUp(first, second) as Counts) : (first ?? second);
}

function mergeLatencies(first: LatencySnapshot, second: LatencySnapshot, name: string): LatencySnapshot {
  const { boundsSeconds } = first;
  if (boundsSeconds.join() !== second.boundsSeconds.join()) {
    throw new Error(
      `Latencies of backend "${name}": expected the same buckets from every worker, got bounds of ` +
        `${boundsSeconds.join(", ")} s and of ${second.boundsSeconds.join(", ")} s. Let all workers run one version.`,
    );
  }
  return {
    boundsSeconds,
    counts: first.counts.map((count, index) => count + (second.counts[index] ?? 0)),
    sumSeconds: first.sumSeconds + second.sumSeconds,
  };
}

/** The counts of a snapshot by name of backend. */
export function statsOf({ backends }: BalancerSnapshot): Readonly<Record<string, BackendStats>> {
  const rows = backends.map(({ name, requests, errors, aborted, inFlight }) => {
    return [name, { requests, errors, aborted, inFlight }] as const;
  });
  return Object.fromEntries(rows);
}

/** Every condition of a backend, from the best to the worst. */
export const CONDITIONS: readonly BackendCondition[] = ["up", "slow-start", "ejected", "unhealthy", "draining"];

/** Whether a backend is given requests, by any worker. */
export function isUp({ condition, isUpInAny }: Pick<BackendSnapshot, "condition" | "isUpInAny">): boolean {
  return isUpInAny ?? (condition === "up" || condition === "slow-start");
}

/** Says of each backend of a balancer with workers whether any of these gives it requests; each has its own ejections. */
export function withUpInAny(whole: BalancerSnapshot, workers: readonly BalancerSnapshot[]): BalancerSnapshot {
  const isUpByName = new Map<string, boolean>();
  for (const backend of workers.flatMap(({ backends }) => backends)) {
    isUpByName.set(backend.name, isUp(backend) || isUpByName.get(backend.name) === true);
  }
  const backends = whole.backends.map((backend) => {
    const isUpInAny = isUpByName.get(backend.name);
    return isUpInAny === undefined ? backend : { ...backend, isUpInAny };
  });
  return { ...whole, backends };
}
