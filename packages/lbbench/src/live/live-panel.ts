import { ROLES } from "../report/cells.js";
import { describeLoad } from "../report/describe-level.js";
import {
  formatCount,
  formatDuration,
  formatPercent,
  formatRate,
  formatTime,
  formatTotal,
  countOf,
} from "../stats/format-number.js";
import { formatFault } from "../stats/faults.js";
import { loadValue } from "../stats/load.js";
import type { LivePanel, LiveSeconds } from "./live-messages.js";
import { estimateTimeLeft, isUnderWay, shareDone, stepsOf, type LiveState, type LiveStep } from "./live-state.js";

/** Returns what the live page shows above the report. */
export function livePanel(state: LiveState, nowMs: number): LivePanel {
  const { step } = state;
  return {
    step: step === null ? "The run begins" : describeStep(step, state),
    doing: doingOf(state),
    share: shareDone(state),
    progress: progressWords(state, nowMs).join(", "),
    figures: [
      ["ok per second", format(rateOf(step), formatRate)],
      ["p99 (ms)", format(step?.seconds.at(-1)?.p99, formatTime)],
      ["failed", describeFailed(step)],
      ...ROLES.map(({ role, label }) => {
        if (role === "generator" && state.workers > 0) return ["workers", formatCount(state.workers)] as const;
        const cpu = step?.usage?.[role]?.cpu;
        return [`CPU ${label}`, format(cpu, (cores) => `${formatPercent(cores)} %`)] as const;
      }),
    ],
  };
}

/** Returns the seconds of the steps from one on, the step under way last. */
export function liveSeconds(state: LiveState, fromIndex: number): readonly LiveSeconds[] {
  return stepsOf(state)
    .filter(({ index }) => index >= fromIndex)
    .map(({ index, key: { target, level }, seconds }) => ({
      index,
      target,
      load: formatCount(loadValue(level)),
      seconds,
    }));
}

function format(value: number | null | undefined, toText: (value: number) => string): string {
  return value === null || value === undefined ? "–" : toText(value);
}

function describeStep({ key }: LiveStep, { planned: { trials } }: LiveState): string {
  const { target, level, trial } = key;
  return `${target}, ${describeLoad(level)}${trials > 1 ? `, trial ${trial}` : ""}`;
}

/** What is being done for a step, with the last fault, or before it; empty between steps. */
export function doingOf(state: LiveState): string {
  const { checking, isOver, step, workers } = state;
  if (isOver) return "over";
  if (checking !== null) return `checking ${checking}`;
  if (step === null && workers > 0) return `waiting for ${countOf(workers, "worker")}`;
  if (!isUnderWay(state) || step === null || step.phase === null) return "";
  const { phase, fault } = step;
  if (phase !== "measuring" || fault === null) return phase;
  return `${phase}, ${fault.error === undefined ? "" : "not done: "}${formatFault(fault)}`;
}

/** `2 of 9 steps done`, and `about 20 s left` where that is known; of a search both numbers are the most there can be. */
export function progressWords(state: LiveState, nowMs: number): readonly string[] {
  const { done, total, isBound } = state;
  const progress = `${formatCount(done)}${formatTotal(total, isBound)} ${(total ?? done) === 1 ? "step" : "steps"} done`;
  const leftMs = done === total ? null : estimateTimeLeft(state, nowMs);
  if (leftMs === null) return [progress];
  const left = formatDuration(Math.max(1, Math.ceil(leftMs / 1000)) * 1000);
  return [progress, `${isBound ? "at most" : "about"} ${left} left`];
}

/** Of the last second, where the engine tells seconds apart, else so far. */
export function rateOf(step: LiveStep | null): number | null {
  const last = step?.seconds.at(-1);
  if (last !== undefined) return last.ok;
  const { done = 0, failed, elapsedMs = 0 } = step?.progress ?? {};
  return elapsedMs === 0 || failed === undefined ? null : ((done - failed) / elapsedMs) * 1000;
}

/** Of the requests of the step whose outcome is known. */
function describeFailed(step: LiveStep | null): string {
  const { done, failed } = step?.progress ?? {};
  if (done === undefined || failed === undefined) return "–";
  return failed === 0 ? "0" : `${formatCount(failed)} (${formatPercent(failed / done)} %)`;
}
