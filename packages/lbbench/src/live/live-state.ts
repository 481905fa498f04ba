import type { DoneFault } from "../model/fault.js";
import type { TimelineSecond } from "../model/measurement.js";
import type { Result, StepKey } from "../model/result.js";
import type { Scenario } from "../model/scenario.js";
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
  /** The last fault that was done, or could not be; `null` before any was. */
  readonly fault: DoneFault | null;
  /** Complete seconds, at most the last `MOST_SECONDS`. */
  readonly seconds: readonly TimelineSecond[];
}

/** The state of a run that goes on, as it is shown in the terminal and in the page. */
export interface LiveState {
  /** What was measured so far, or at the end all of it; `null` before the run has begun. */
  readonly result: Result | null;
  readonly isOver: boolean;
  /** Trials of each target and level, and when they are looked at. */
  readonly planned: Pick<Scenario, "trials" | "sequential">;
  /** Steps there are in all; `null` before the run has begun. */
  readonly total: number | null;
  /** Whether that is the most there can be, as in a search. */
  readonly isBound: boolean;
  /** Workers that generate the load; 0 where processes of this machine do. */
  readonly workers: number;
  /** Steps that are done, earlier ones included when a run is gone on with. */
  readonly done: number;
  /** Steps that were done before this run, and when it began its own, in ms; `null` before it has. */
  readonly began: { readonly before: number; readonly atMs: number } | null;
  /** The target that is started once and stopped, to see that it can be; `null` when none is. */
  readonly checking: string | null;
  readonly step: LiveStep | null;
  /** Steps of this run that are over; with that under way they have at most the last `MOST_SECONDS`. */
  readonly earlier: readonly Pick<LiveStep, "key" | "index" | "seconds">[];
}

/** The state before the first event. */
export const NOT_BEGUN: LiveState = {
  result: null,
  isOver: false,
  planned: { trials: 1 },
  total: null,
  isBound: false,
  workers: 0,
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
      return {
        ...state,
        total: event.total,
        isBound: event.scenario.search !== null,
        workers: event.scenario.engine.workers?.count ?? 0,
        planned: event.scenario,
      };
    case "plan":
      return { ...state, total: event.total };
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
        step: { key, index, beganAtMs: nowMs, phase: null, progress: null, usage: null, fault: null, seconds: [] },
        earlier: lastSteps(stepsOf(state)),
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
    case "fault":
      return changeStep(state, { fault: event.fault });
    case "workers":
    case "worker-refused":
    case "warning":
      return state;
    case "step-done":
      return { ...changeStep(state, { phase: null }), done: event.index + 1 };
    case "done":
      return { ...state, result: event.result, isOver: true, checking: null };
  }
}

/** The steps of this run, that under way last. */
export function stepsOf({ earlier, step }: LiveState): LiveState["earlier"] {
  return step === null ? earlier : [...earlier, step];
}

function changeStep(state: LiveState, change: Partial<LiveStep>): LiveState {
  return state.step === null ? state : { ...state, step: { ...state.step, ...change } };
}

function withLatest(seconds: readonly TimelineSecond[], latest: TimelineSecond | undefined): readonly TimelineSecond[] {
  const last = seconds.at(-1)?.second ?? -1;
  return latest === undefined || latest.second <= last ? seconds : [...seconds, latest].slice(-MOST_SECONDS);
}

/** A step is done when its result is there, not when its last answer is. */
const ALMOST_DONE = 0.99;

/** Says whether a step is under way: one that has begun, and whose result is not there yet. */
export function isUnderWay({ step, done, isOver }: LiveState): boolean {
  return step !== null && done <= step.index && !isOver;
}

/** Returns how much of all steps is done, the part of the one under way included, 0 to 1; `null` before the run has begun. */
export function shareDone(state: LiveState): number | null {
  const { step, done, total } = state;
  if (total === null || total === 0) return null;
  const ofStep = isUnderWay(state) ? Math.min(ALMOST_DONE, step?.progress?.share ?? 0) : 0;
  return Math.min(1, (done + ofStep) / total);
}

/** Before this share of a step is done an estimate is a guess. */
const LEAST_SHARE = 0.02;

/**
 * Estimates how long a run will go on, in ms; `null` where that is not known yet. The step under way goes on as it did; those to come
 * take as long as those of this run that are done, or before any is, as long as the one under way, starting and warming up included.
 */
export function estimateTimeLeft({ began, done, total, isOver, step }: LiveState, nowMs: number): number | null {
  if (isOver) return 0;
  if (began === null || step === null || total === null) return null;
  const isBetween = done > step.index;
  const spentMs = (isBetween ? nowMs : step.beganAtMs) - began.atMs;
  const eachMs = done > began.before ? spentMs / (done - began.before) : null;
  if (isBetween) return eachMs === null ? null : (total - done) * eachMs;
  const inStepMs = nowMs - step.beganAtMs;
  const { share, elapsedMs } = step.progress ?? { share: 0, elapsedMs: 0 };
  const measuring = share < LEAST_SHARE ? null : (elapsedMs * (1 - share)) / share;
  const stepMs = eachMs ?? (measuring === null ? null : inStepMs + measuring);
  if (stepMs === null) return null;
  return (measuring ?? Math.max(0, stepMs - inStepMs)) + (total - done - 1) * stepMs;
}
