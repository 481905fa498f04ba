import type { TimelineSecond } from "../model/measurement.js";
import type { Result, StepKey } from "../model/result.js";
import type { LoadProgress } from "../plugin.js";
import type { LiveUsage } from "../model/usage.js";
import { lastSteps, MOST_SECONDS } from "./live-messages.js";
import type { StepPhase, SweepEvent } from "../run/sweep-event.js";

/** The step that is under way, or the last one until the next begins. */
export interface LiveStep {
  readonly key: StepKey;
  /** Counts from 0. */
  readonly index: number;
  readonly beganAtMs: number;
  /** `null` before anything is done for it, and when it is over. */
  readonly phase: StepPhase | null;
  /** `share` of the step that is done, 0 to 1. */
  readonly progress: (LoadProgress & { readonly share: number }) | null;
  readonly usage: LiveUsage | null;
  /** Those that are over, at most the last {@link MOST_SECONDS}. */
  readonly seconds: readonly TimelineSecond[];
}

/** What there is to show of a run that goes on, in the terminal and in the page. */
export interface LiveState {
  /** What was measured so far, or at the end all of it; `null` before the run has begun. */
  readonly result: Result | null;
  readonly isOver: boolean;
  /** Trials of each target and level. */
  readonly trials: number;
  /** Steps there are in all; `null` where nobody can say. */
  readonly total: number | null;
  /** Steps that are done, earlier ones included when a run is gone on with. */
  readonly done: number;
  /** Those that were done before this run began, and when it began with its own, in ms; `null` before it has. */
  readonly began: { readonly before: number; readonly atMs: number } | null;
  /** The target that is started once and stopped, to see that it can be; `null` when none is. */
  readonly checking: string | null;
  readonly step: LiveStep | null;
  /** Steps of this run that are over; with that under way they have at most the last {@link MOST_SECONDS}. */
  readonly earlier: readonly Pick<LiveStep, "key" | "index" | "seconds">[];
}

/** The state before the first event. */
export const NOT_BEGUN: LiveState = {
  result: null,
  isOver: false,
  trials: 1,
  total: null,
  done: 0,
  began: null,
  checking: null,
  step: null,
  earlier: [],
};

/**
 * Returns the state after an event.
 *
 * @param nowMs the time; only differences count.
 */
export function nextLiveState(state: LiveState, event: SweepEvent, nowMs: number): LiveState {
  switch (event.type) {
    case "start":
      return { ...state, total: event.total ?? null, trials: event.scenario.trials };
    case "plan":
      return { ...state, total: event.total ?? null };
    case "partial":
      return { ...state, result: event.result, done: event.result.steps.length };
    case "check":
      return { ...state, checking: event.target };
    case "step": {
      const { step: key, index } = event;
      return {
        ...state,
        checking: null,
        began: state.began ?? { before: index, atMs: nowMs },
        done: index,
        step: { key, index, beganAtMs: nowMs, phase: null, progress: null, usage: null, seconds: [] },
        earlier: lastSteps(state.step === null ? state.earlier : [...state.earlier, toEarlier(state.step)]),
      };
    }
    case "phase":
      return changeStep(state, { phase: event.phase });
    case "progress": {
      const { type: _type, step: _step, ...progress } = event;
      return changeStep(state, { progress, seconds: withLatest(state.step?.seconds ?? [], event.latest) });
    }
    case "usage":
      return changeStep(state, { usage: event.usage });
    case "warning":
      return state;
    case "step-done":
      return { ...changeStep(state, { phase: null }), done: event.index + 1 };
    case "done":
      return { ...state, result: event.result, isOver: true, checking: null };
  }
}

function toEarlier({ key, index, seconds }: LiveStep): LiveState["earlier"][number] {
  return { key, index, seconds };
}

function changeStep(state: LiveState, change: Partial<LiveStep>): LiveState {
  return state.step === null ? state : { ...state, step: { ...state.step, ...change } };
}

function withLatest(seconds: readonly TimelineSecond[], latest: TimelineSecond | undefined): readonly TimelineSecond[] {
  const last = seconds.at(-1)?.second ?? -1;
  return latest === undefined || latest.second <= last ? seconds : [...seconds, latest].slice(-MOST_SECONDS);
}
