import { describe, expect, it } from "vitest";
import { expectedStatus, failedRequests, finishedRequests } from "./request-counts.js";
import { levelKey, placeKey, stepKey } from "./identity.js";

describe("the identity of steps", () => {
  const level = { connections: 5, requests: 10 };
  const step = { target: "a", level, trial: 1 };

  it("is the same for equal levels, whatever the order of their fields, and tells requests from milliseconds", () => {
    expect(levelKey({ connections: 5, durationMs: 10 })).toBe(levelKey({ durationMs: 10, connections: 5 }));
    expect(levelKey({ connections: 5, durationMs: 10 })).not.toBe(levelKey(level));
  });

  it("tells targets and levels apart, and trials only of steps", () => {
    const others = [
      { ...step, target: "b" },
      { ...step, level: { ...level, connections: 6 } },
    ];
    for (const other of [...others, { ...step, target: 'a","b' }]) {
      expect(placeKey(other)).not.toBe(placeKey(step));
      expect(stepKey(other)).not.toBe(stepKey(step));
    }
    const again = { ...step, trial: 2 };
    expect(placeKey(again)).toBe(placeKey(step));
    expect(stepKey(again)).not.toBe(stepKey(step));
  });
});

it.each([
  ["2xx", 200, true],
  ["2xx", 299, true],
  ["2xx", 304, false],
  ["200, 304", 304, true],
  ["200,304", 204, false],
  ["4XX,503", 404, true],
  ["4xx,503", 503, true],
  ["", 200, false],
  ["20", 200, false],
])("what is expected as %j has status %i: %j", (list, status, expected) => {
  expect(expectedStatus(list)(status)).toBe(expected);
});

it("requests that were in flight at the end have not failed, nor where an engine does not tell them", () => {
  const requests = { sent: 100, ok: 80, non2xx: 5, resets: 10, inFlight: 5 };
  expect([finishedRequests(requests), failedRequests(requests)]).toEqual([95, 15]);
  expect(failedRequests({ sent: 100, ok: 80, non2xx: 0, unclassified: 20 })).toBe(20);
});
