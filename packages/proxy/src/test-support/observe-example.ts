import type { BackendSnapshot, BalancerSnapshot } from "../options/options.js";

/** A backend that has served a few requests, with some of its values replaced. */
export function exampleBackend(changes: Partial<BackendSnapshot> = {}): BackendSnapshot {
  return {
    name: "a",
    url: "http://127.0.0.1:4001",
    weight: 2.5,
    condition: "up",
    requests: 12,
    errors: 2,
    aborted: 1,
    inFlight: 3,
    queued: 1,
    retries: 4,
    answers: { "1xx": 1, "2xx": 2, "3xx": 1, "4xx": 1, "5xx": 1 },
    ejections: { failures: 2, errors: 1, latency: 3 },
    grpc: { OK: 2, UNAVAILABLE: 1 },
    latency: { boundsSeconds: [0.0005, 0.1, 1], counts: [1, 2, 0, 3], sumSeconds: 7.25 },
    handshakes: { full: 1, resumed: 5 },
    ...changes,
  };
}

/** A balancer in front of one such backend, with some of its values replaced. */
export function exampleSnapshot(changes: Partial<BalancerSnapshot> = {}): BalancerSnapshot {
  const refused = { "400": 1, "503": 6 };
  const handshakes = { full: 4, resumed: 9, failed: 3 };
  return { backends: [exampleBackend()], connections: 5, refused, shortages: { EMFILE: 2 }, handshakes, ...changes };
}
