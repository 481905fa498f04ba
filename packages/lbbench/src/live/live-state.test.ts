import { describe, expect, it } from "vitest";
import type { SweepEvent } from "../run/sweep-event.js";
import { aResult, aStep } from "../test-support/fixtures.js";
import { MOST_SECONDS } from "./live-messages.js";
import { nextLiveState, NOT_BEGUN, type LiveState } from "./live-state.js";
import { aProgress, aSecond, aStart, aStepBegun, KEY } from "./test-support/sweep-events.js";

const STEP = aStep();
const NOTHING: SweepEvent = { type: "partial", result: aResult({ steps: [] }) };
const RESULT = aResult({ steps: [STEP] });

describe("nextLiveState", () => {
  it("has nothing of a step before the first, and says what is checked", () => {
    const state = after(aStart(3), NOTHING, { type: "check", target: "single" });
    expect(state).toMatchObject({ total: 3, done: 0, checking: "single", step: null, result: { steps: [] } });
  });

  it("forgets what it knew of the step before when another begins", () => {
    const state = after(
      aStart(3),
      aStepBegun(0),
      aProgress({ latest: aSecond(0) }),
      { type: "usage", step: KEY, usage: { generator: { cpu: 1, rssBytes: 1 } } },
      aStepBegun(1),
    );
    expect(state).toMatchObject({
      done: 1,
      checking: null,
      step: { index: 1, progress: null, usage: null, seconds: [] },
    });
  });

  it("keeps every second once, however often it is told", () => {
    const told = [0, 0, 1, 1, 3].map((second) => aProgress({ latest: aSecond(second) }));
    const state = after(aStart(1), aStepBegun(0), aProgress(), ...told);
    expect(state.step?.seconds.map((one) => one.second)).toEqual([0, 1, 3]);
  });

  it("keeps no more seconds than an hour has", () => {
    const told = Array.from({ length: MOST_SECONDS + 2 }, (_, index) => aProgress({ latest: aSecond(index) }));
    const state = after(aStart(1), aStepBegun(0), ...told);
    expect(state.step?.seconds).toHaveLength(MOST_SECONDS);
    expect(state.step?.seconds.at(-1)?.second).toBe(MOST_SECONDS + 1);
  });

  it("keeps the figures of a step that is done until the next begins", () => {
    const state = after(
      aStart(2),
      aStepBegun(0),
      aProgress({ done: 7 }),
      { type: "phase", step: KEY, phase: "stopping" },
      { type: "step-done", step: STEP, index: 0 },
      { type: "partial", result: RESULT },
    );
    expect(state).toMatchObject({ done: 1, result: RESULT, step: { phase: null, progress: { done: 7 } } });
  });

  it("counts its time from its own first step, also where earlier steps are kept", () => {
    const events = [aStart(9), aStepBegun(4), aStepBegun(5)];
    const state = events.reduce((so, event, at) => nextLiveState(so, event, at * 100), NOT_BEGUN);
    expect(state.began).toEqual({ before: 4, atMs: 100 });
  });

  it("follows a total that changes, or that nobody knows", () => {
    expect(after(aStart(3), { type: "plan", total: 2 }).total).toBe(2);
    expect(after(aStart(3), { type: "plan", total: undefined }).total).toBeNull();
  });

  it("is over with the result of the end", () => {
    expect(after(aStart(1), { type: "done", result: RESULT })).toMatchObject({ isOver: true, result: RESULT });
  });
});

function after(...events: readonly SweepEvent[]): LiveState {
  return events.reduce((state, event) => nextLiveState(state, event, 0), NOT_BEGUN);
}
