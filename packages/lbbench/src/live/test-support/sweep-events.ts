import type { TimelineSecond } from "../../model/measurement.js";
import type { StepKey } from "../../model/result.js";
import type { SweepEvent } from "../../run/sweep-event.js";
import { anEnvironment, aScenario } from "../../test-support/fixtures.js";

/** The step that these events are of. */
export const KEY: StepKey = { target: "single", level: { connections: 50, durationMs: 3000 }, trial: 1 };

/** Builds the first event of a run. */
export function aStart(total: number): Extract<SweepEvent, { type: "start" }> {
  return { type: "start", scenario: aScenario(), environment: anEnvironment(), total };
}

/** Builds the event with which a step begins. */
export function aStepBegun(index: number, step: StepKey = KEY): SweepEvent {
  return { type: "step", step, index };
}

/** Builds progress: half of the step, after a second, 9 of 10 requests answered. */
export function aProgress(overrides: Partial<Extract<SweepEvent, { type: "progress" }>> = {}): SweepEvent {
  return { type: "progress", step: KEY, share: 0.5, sent: 10, done: 9, elapsedMs: 1000, ...overrides };
}

/** Builds a second: 9 of 10 requests ok, p99 2 ms. */
export function aSecond(second: number, overrides: Partial<TimelineSecond> = {}): TimelineSecond {
  return { second, sent: 10, ok: 9, failed: 1, p50: 1, p99: 2, ...overrides };
}
