import { describe, expect, it } from "vitest";
import type { SweepEvent } from "../run/sweep-event.js";
import { aResult, aScenario, aStep } from "../test-support/fixtures.js";
import type { LivePanel } from "./live-messages.js";
import { livePanel } from "./live-panel.js";
import { nextLiveState, NOT_BEGUN } from "./live-state.js";
import { aProgress, aSecond, aStart, aStepBegun, KEY } from "./test-support/sweep-events.js";

describe("livePanel", () => {
  it("knows nothing before the first step", () => {
    expect(panelAfter(aStart(4), { type: "check", target: "single" })).toEqual({
      step: null,
      doing: "checking single",
      done: 0,
      total: 4,
      share: 0,
      timeLeftMs: null,
      rate: null,
      p99: null,
      answered: null,
      failed: null,
      cpu: {},
    });
  });

  it("tells the step, what is done for it, and its trial where there are several", () => {
    const once = panelAfter(aStart(4), aStepBegun(0), { type: "phase", step: KEY, phase: "warming up" });
    expect(once).toMatchObject({ step: "single, 50 connections", doing: "warming up" });
    const start: SweepEvent = { ...aStart(4), scenario: aScenario({ trials: 3 }) };
    const thrice = panelAfter(start, aStepBegun(0, { ...KEY, trial: 2 }));
    expect(thrice.step).toBe("single, 50 connections, trial 2");
  });

  it("takes rate and p99 from the last second that is over", () => {
    const latest = aSecond(1, { ok: 123, p99: 4.5 });
    expect(panelAfter(aStepBegun(0), aProgress({ latest }))).toMatchObject({ rate: 123, p99: 4.5 });
  });

  it("takes the rate so far in the first second, and none where failures are not told", () => {
    const progress = aProgress({ done: 60, failed: 10, elapsedMs: 500 });
    expect(panelAfter(aStepBegun(0), progress)).toMatchObject({ rate: 100, p99: null, answered: 60, failed: 10 });
    expect(panelAfter(aStepBegun(0), aProgress())).toMatchObject({ rate: null, answered: 9, failed: null });
    expect(panelAfter(aStepBegun(0), aProgress({ failed: 0, elapsedMs: 0 })).rate).toBeNull();
  });

  it("tells the processor time of the roles that are there", () => {
    const usage = { generator: { cpu: 0.5, rssBytes: 1 }, backend: { cpu: 1.5, rssBytes: 2 } };
    expect(panelAfter(aStepBegun(0), { type: "usage", step: KEY, usage }).cpu).toEqual({
      generator: 0.5,
      backend: 1.5,
    });
  });

  it("counts the part of the step under way, which is done only when its result is there", () => {
    expect(panelAfter(aStart(4), aStepBegun(1), aProgress({ share: 0.5 })).share).toBe(1.5 / 4);
    expect(panelAfter(aStart(1), aStepBegun(0), aProgress({ share: 1 })).share).toBeLessThan(1);
    const done: SweepEvent = { type: "step-done", step: aStep(), index: 1 };
    expect(panelAfter(aStart(4), aStepBegun(1), aProgress({ share: 1 }), done)).toMatchObject({
      share: 0.5,
      doing: "",
    });
  });

  it("has no share where nobody knows how many steps there are", () => {
    expect(panelAfter(aStart(undefined), aStepBegun(0), aProgress())).toMatchObject({ share: null, total: null });
  });

  it("says that it is over", () => {
    const result = aResult();
    expect(panelAfter(aStart(3), aStepBegun(2), { type: "done", result })).toMatchObject({
      doing: "over",
      timeLeftMs: 0,
    });
  });
});

function panelAfter(...events: readonly SweepEvent[]): LivePanel {
  return livePanel(
    events.reduce((state, event) => nextLiveState(state, event, 0), NOT_BEGUN),
    0,
  );
}
