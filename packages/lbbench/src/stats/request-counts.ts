import type { Measurement, RequestCounts } from "../model/measurement.js";
import { TOLD_FAILURES } from "../model/outcomes.js";

/** Returns how many requests came to an end, one way or another. */
export function finishedRequests({ sent, inFlight = 0 }: RequestCounts): number {
  return sent - inFlight;
}

/** Returns how many requests failed: all that came to an end and were not ok. */
export function failedRequests(requests: RequestCounts): number {
  return finishedRequests(requests) - requests.ok;
}

/** The ways in which requests failed, by some counts of them, the commonest first, as reports call them. */
export function commonestFailures(counts: readonly Partial<RequestCounts>[]): readonly string[] {
  return TOLD_FAILURES.map(({ key, label }) => ({
    label,
    count: counts.reduce((sum, { [key]: count = 0 }) => sum + count, 0),
  }))
    .filter(({ count }) => count > 0)
    .toSorted((a, b) => b.count - a.count)
    .map(({ label }) => label);
}

/** Statuses by which a server, a balancer or a limit of rate says that it refuses, of HTTP and of gRPC. */
export const REFUSAL_STATUSES: ReadonlySet<string> = new Set(["503", "429", "UNAVAILABLE", "RESOURCE_EXHAUSTED"]);

/**
 * Returns how many of the failed requests were turned away: answered with a status that refuses ({@link REFUSAL_STATUSES}), or not
 * let in, or sent away, by their connection. Timeouts, wrong answers and failures of an unknown kind do not count.
 */
export function refusedRequests({ requests, statusCodes }: Measurement): number {
  const refusing = Object.entries(statusCodes)
    .filter(([status]) => REFUSAL_STATUSES.has(status))
    .reduce((sum, [, count]) => sum + count, 0);
  const { non2xx, connectErrors = 0, resets = 0, dropped = 0 } = requests;
  // Some scenarios expect such a status; then it is no failure.
  return Math.min(refusing, non2xx) + connectErrors + resets + dropped;
}

/**
 * Returns whether a status code is among the expected ones, given as in a scenario: codes and classes, separated by
 * commas (`2xx`, `200,304`). The `OK` of gRPC is of the class 2xx. An entry that is neither matches nothing; the configuration refuses it beforehand.
 */
export function expectedStatus(list: string): (status: number | string) => boolean {
  const entries = new Set(list.split(",").map((entry) => entry.trim().toLowerCase()));
  // Every answer asks, and there are few statuses: no text is made for each of them.
  const known = new Map<number | string, boolean>();
  return (status) => {
    let isExpected = known.get(status);
    if (isExpected === undefined) {
      const ofClass = status === "OK" ? "2xx" : `${Math.floor(Number(status) / 100)}xx`;
      isExpected = entries.has(String(status).toLowerCase()) || entries.has(ofClass);
      known.set(status, isExpected);
    }
    return isExpected;
  };
}
