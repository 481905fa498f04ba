import { expect } from "vitest";
import type { BackendSnapshot, BalancerSnapshot } from "../../options/options.js";
import { countEach } from "../../test-support/pick-many.js";
import type { BackendProcess } from "./start-backend-process.js";
import type { Outcome } from "./start-load.js";

/** How many requests ended with each status; those without a complete answer under what was the error. */
export function countOutcomes(outcomes: readonly Outcome[]): Record<string, number> {
  return countEach(outcomes.map(({ status, error }) => String(status ?? error)));
}

/** The sum of one count over all backends. */
export function sumOf(backends: readonly BackendSnapshot[], count: (backend: BackendSnapshot) => number): number {
  return backends.reduce((sum, backend) => sum + count(backend), 0);
}

/** Complete answers of a backend. */
export function answersOf({ answers }: BackendSnapshot): number {
  return Object.values(answers).reduce((sum, count) => sum + count, 0);
}

/**
 * Expects that client, balancer and backends agree when nothing is in flight: on what each backend answered, on what
 * was lost, and on what was served. Backends whose process was killed have lost what they noted, and are asked for no
 * more than that.
 */
export async function expectAgreement(
  outcomes: readonly Outcome[],
  { backends: snapshots }: BalancerSnapshot,
  backends: readonly BackendProcess[],
): Promise<void> {
  const ok = outcomes.filter(({ status }) => status === 200);
  for (const snapshot of snapshots) {
    const { name, requests, errors, aborted, inFlight } = snapshot;
    expect({ name, requests, inFlight }).toEqual({
      name,
      requests: answersOf(snapshot) + errors + aborted,
      inFlight: 0,
    });
    // What the client was given by each backend is what the balancer says of it.
    expect({ name, answered: answersOf(snapshot) }).toEqual({
      name,
      answered: ok.filter(({ backend }) => backend === name).length,
    });
  }
  // Each attempt that failed was either sent once more or told to the client.
  expect(sumOf(snapshots, ({ errors }) => errors)).toBe(
    outcomes.length - ok.length + sumOf(snapshots, ({ retries }) => retries),
  );
  for (const backend of backends) {
    const served = await backend.served();
    const noted = new Set(served);
    // No backend is sent a request twice.
    expect(noted.size).toBe(served.length);
    if (backend.wasKilled()) continue;
    const missing = ok.filter((outcome) => outcome.backend === backend.name && !noted.has(outcome.id));
    expect(missing).toEqual([]);
    const snapshot = snapshots.find(({ name }) => name === backend.name);
    if (snapshot?.errors === 0) expect(served.length).toBe(answersOf(snapshot));
    else if (snapshot !== undefined) expect(served.length).toBeLessThanOrEqual(snapshot.requests);
  }
}

/** The most often that one request was served, by all of the backends together. */
export async function mostServings(backends: readonly BackendProcess[]): Promise<number> {
  const served = await Promise.all(backends.map((backend) => backend.served()));
  return Math.max(...Object.values(countEach(served.flat())));
}
