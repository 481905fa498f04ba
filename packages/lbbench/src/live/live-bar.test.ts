import { describe, expect, it } from "vitest";
import type { SweepEvent } from "../run/sweep-event.js";
import { aStep } from "../test-support/fixtures.js";
import { renderLiveBar } from "./live-bar.js";
import { nextLiveState, NOT_BEGUN, type LiveState } from "./live-state.js";
import { aProgress, aStart, aStepBegun } from "./test-support/sweep-events.js";

type Timed = readonly [atMs: number, event: SweepEvent];

function at(...events: readonly Timed[]): LiveState {
  return events.reduce((state, [atMs, event]) => nextLiveState(state, event, atMs), NOT_BEGUN);
}

/** The steps before one took 10 s each; half of that one is measured, in 5 s. */
function halfOf(index: number, total: number | undefined): LiveState {
  return at(
    [0, aStart(total)],
    [0, aStepBegun(0)],
    [index * 10_000, { type: "step-done", step: aStep(), index: index - 1 }],
    [index * 10_000, aStepBegun(index)],
    [index * 10_000 + 5000, aProgress({ share: 0.5, elapsedMs: 5000 })],
  );
}

describe("renderLiveBar", () => {
  it("shows the share, the step and the time left", () => {
    expect(renderLiveBar(halfOf(2, 10), 25_000, 62)).toBe("██████░░░░░░░░░░░░░░░░░░ 25% · step 3/10 · 1m 15s left");
  });

  it("gives no estimate before there is something to judge by, nor at the end", () => {
    expect(renderLiveBar(at([0, aStart(2)], [0, aStepBegun(0)]), 1000, 46)).toBe("░░░░░░░░ 0% · step 1/2");
    const done = at([0, aStart(2)], [0, aStepBegun(1)], [1000, { type: "step-done", step: aStep(), index: 1 }]);
    expect(renderLiveBar(done, 1000, 46)).toBe("████████ 100% · step 2/2");
  });

  it.each([
    [40, "███░░░ 50% · step 6/11 · 55s left"],
    [30, "███░░░ 50% · step 6/11"],
    [19, "50% · step 6/11"],
    [9, "50% · st…"],
    [1, "…"],
    [0, ""],
  ])("keeps to %i columns, and leaves out what matters least", (columns, line) => {
    expect(renderLiveBar(halfOf(5, 11), 55_000, columns)).toBe(line);
  });

  it("does without a number of steps", () => {
    expect(renderLiveBar(halfOf(3, undefined), 35_000, 80)).toBe("step 4");
  });

  it("judges the time left by what it has done itself, when it goes on with what was begun", () => {
    const state = at(
      [0, aStart(10)],
      [0, aStepBegun(8)],
      [30_000, { type: "step-done", step: aStep(), index: 8 }],
      [30_000, aStepBegun(9)],
    );
    expect(renderLiveBar(state, 30_000, 100)).toContain(" 90% · step 10/10 · 30s left");
  });
});
