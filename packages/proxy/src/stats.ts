import type { BalancedResponse } from "./balanced-response.js";
import type { BackendStats } from "./options.js";
import type { BackendState } from "./policies/policy.js";

/** Counts a request that has ended, and ends what is left of it at the backend when its client went away. */
export function countEnd(response: BalancedResponse): void {
  const { upstream } = response;
  if (upstream === undefined) return;
  upstream.inFlight -= 1;
  if (response.failure !== undefined) {
    upstream.errors += 1;
  } else if (!response.writableFinished) {
    upstream.aborted += 1;
    response.forwarded?.destroy();
  }
}

/** The counts of backends, by name. */
export function readStats(backends: readonly BackendState[]): Readonly<Record<string, BackendStats>> {
  return Object.fromEntries(
    backends.map(({ name, requests, errors, aborted, inFlight }) => [name, { requests, errors, aborted, inFlight }]),
  );
}
