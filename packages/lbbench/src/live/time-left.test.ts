import { describe, expect, it } from "vitest";
import type { SweepEvent } from "../run/sweep-event.js";
import { aResult, aStep } from "../test-support/fixtures.js";
import { nextLiveState, NOT_BEGUN, type LiveState } from "./live-state.js";
import { aProgress, aStart, aStepBegun } from "./test-support/sweep-events.js";
import { estimateTimeLeft } from "./time-left.js";

describe("estimateTimeLeft", () => {
  it("says nothing before a step tells how fast it is, or where nobody knows how many there are", () => {
    expect(estimateTimeLeft(NOT_BEGUN, 5000)).toBeNull();
    expect(estimateTimeLeft(at([0, aStart(4)], [0, aStepBegun(0)]), 5000)).toBeNull();
    expect(estimateTimeLeft(at([0, aStart(4)], [0, aStepBegun(0)], [0, aProgress({ share: 0.01 })]), 5000)).toBeNull();
    const unknown = at([0, aStart(undefined)], [0, aStepBegun(0)], [0, aProgress({ share: 0.5 })]);
    expect(estimateTimeLeft(unknown, 5000)).toBeNull();
  });

  it("takes the first step for what it will be, with the time that it took to start", () => {
    // Two seconds of starting, then one of the four that it measures.
    const state = at([0, aStart(3)], [10_000, aStepBegun(0)], [13_000, aProgress({ share: 0.25, elapsedMs: 1000 })]);
    expect(estimateTimeLeft(state, 13_000)).toBe(3000 + 2 * 6000);
  });

  it("takes the steps to come for those that are done", () => {
    const state = at([0, aStart(4)], [1000, aStepBegun(0)], ended(0, 6000), [6000, aStepBegun(1)]);
    expect(estimateTimeLeft(state, 6000)).toBe(3 * 5000);
    expect(estimateTimeLeft(state, 8000), "while the second starts").toBe(3000 + 2 * 5000);
    expect(estimateTimeLeft(state, 99_000), "while it is slower than the first").toBe(2 * 5000);
    const measuring = nextLiveState(state, aProgress({ share: 0.5, elapsedMs: 1000 }), 9000);
    expect(estimateTimeLeft(measuring, 9000)).toBe(1000 + 2 * 5000);
  });

  it("stands still between steps", () => {
    const state = at([0, aStart(4)], [1000, aStepBegun(0)], ended(0, 6000));
    expect(estimateTimeLeft(state, 6000)).toBe(3 * 5000);
  });

  it("leaves out the steps that were done before this run", () => {
    const state = at([0, aStart(12)], [0, aStepBegun(10)], ended(10, 500), [500, aStepBegun(11)]);
    expect(estimateTimeLeft(state, 500)).toBe(500);
  });

  it("is nothing at the end", () => {
    const state = at([0, aStart(4)], [0, aStepBegun(0)], [0, { type: "done", result: aResult() }]);
    expect(estimateTimeLeft(state, 3000)).toBe(0);
  });
});

type Timed = readonly [atMs: number, event: SweepEvent];

function ended(index: number, atMs: number): Timed {
  return [atMs, { type: "step-done", step: aStep(), index }];
}

function at(...events: readonly Timed[]): LiveState {
  return events.reduce((state, [atMs, event]) => nextLiveState(state, event, atMs), NOT_BEGUN);
}
