import { expect } from "vitest";
import type { CompleteMeasurement } from "../../src/model/measurement.js";
import type { Outcome } from "../../src/testing/ground-truth/action.js";
import { sum } from "../../src/stats/descriptive.js";
import type { ServerLog } from "../../src/testing/ground-truth/server-log.js";

const OUTCOMES: readonly Outcome[] = ["ok", "non2xx", "mismatched", "connectErrors", "resets", "dropped", "timedOut"];

/** Expects that every request sent has exactly one outcome, in the counts and in the timeline. */
export function expectConservation({ requests, timeline, statusCodes }: CompleteMeasurement): void {
  const done = sum(OUTCOMES.map((outcome) => requests[outcome]));
  expect(requests.sent).toBe(done + requests.inFlight);
  expect({
    sent: sum(timeline.map((second) => second.sent)),
    ok: sum(timeline.map((second) => second.ok)),
    failed: sum(timeline.map((second) => second.failed)),
  }).toEqual({ sent: requests.sent, ok: requests.ok, failed: done - requests.ok });
  for (const outcome of OUTCOMES) {
    if (outcome === "ok") continue;
    expect(sum(timeline.map(({ failures }) => failures?.[outcome] ?? 0))).toBe(requests[outcome]);
  }
  expect(timeline.map(({ second }) => second)).toEqual(timeline.map((_, index) => index));
  expect(sum(Object.values(statusCodes))).toBeGreaterThanOrEqual(requests.ok + requests.non2xx);
}

/** Expects that client and server agree on every request, for a run without requests in flight. */
export function expectSameAccounts(measurement: CompleteMeasurement, log: ServerLog): void {
  expectConservation(measurement);
  const { requests, statusCodes, connections } = measurement;
  const { sent, inFlight, ...outcomes } = requests;
  expect(outcomes).toEqual(log.outcomes);
  expect(inFlight).toBe(0);
  expect(sent).toBe(log.requests);
  expect(statusCodes).toEqual(log.statusCodes);
  expect(connections.established).toBe(log.accepted);
}

/**
 * Expects that client and server agree but for the requests in flight: some of them the server has dealt with, some it
 * has not, and some it never saw because their connection was still being opened.
 */
export function expectAccountsWithinFlight(measurement: CompleteMeasurement, log: ServerLog): void {
  expectConservation(measurement);
  const { requests, statusCodes } = measurement;
  const unseen = OUTCOMES.map((outcome) => log.outcomes[outcome] - requests[outcome]);
  expect(Math.min(...unseen)).toBeGreaterThanOrEqual(0);
  expect(sum(unseen)).toBeLessThanOrEqual(requests.inFlight);
  expect(log.requests).toBeLessThanOrEqual(requests.sent);
  expect(log.requests).toBeGreaterThanOrEqual(requests.sent - requests.inFlight);
  for (const [status, count] of Object.entries(statusCodes)) {
    expect(count).toBeLessThanOrEqual(log.statusCodes[status] ?? 0);
  }
}

/** Expects that every byte written by one side was read by the other; holds where nothing is broken off. */
export function expectSameBytes({ bytes }: CompleteMeasurement, log: ServerLog): void {
  expect(bytes).toEqual({ received: log.writtenBytes, body: log.bodyBytes, sent: log.readBytes });
}
