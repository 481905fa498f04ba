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
  const refused = new Map<string, number>();
  let connections = 0;
  for (const snapshot of snapshots) {
    connections += snapshot.connections;
    for (const backend of snapshot.backends) {
      const known = backends.get(backend.name);
      backends.set(backend.name, known === undefined ? backend : mergeBackends(known, backend));
    }
    for (const [status, count] of Object.entries(snapshot.refused)) {
      refused.set(status, (refused.get(status) ?? 0) + count);
    }
  }
  return { backends: [...backends.values()], connections, refused: Object.fromEntries(refused) };
}

function mergeBackends(first: BackendSnapshot, second: BackendSnapshot): BackendSnapshot {
  return {
    ...first,
    condition: worse(first.condition, second.condition),
    requests: first.requests + second.requests,
    errors: first.errors + second.errors,
    aborted: first.aborted + second.aborted,
    inFlight: first.inFlight + second.inFlight,
    queued: first.queued + second.queued,
    retries: first.retries + second.retries,
    answers: {
      "1xx": first.answers["1xx"] + second.answers["1xx"],
      "2xx": first.answers["2xx"] + second.answers["2xx"],
      "3xx": first.answers["3xx"] + second.answers["3xx"],
      "4xx": first.answers["4xx"] + second.answers["4xx"],
      "5xx": first.answers["5xx"] + second.answers["5xx"],
    },
    latency: mergeLatencies(first.latency, second.latency, first.name),
  };
}

function worse(first: BackendCondition, second: BackendCondition): BackendCondition {
  return CONDITIONS.indexOf(second) > CONDITIONS.indexOf(first) ? second : first;
}

function mergeLatencies(first: LatencySnapshot, second: LatencySnapshot, name: string): LatencySnapshot {
  const { boundsSeconds } = first;
  const sameBounds =
    boundsSeconds.length === second.boundsSeconds.length &&
    boundsSeconds.every((bound, index) => bound === second.boundsSeconds[index]);
  if (!sameBounds || first.counts.length !== second.counts.length) {
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

/** Whether a backend is given requests. */
export function isUp({ condition }: Pick<BackendSnapshot, "condition">): boolean {
  return condition === "up" || condition === "slow-start";
}
