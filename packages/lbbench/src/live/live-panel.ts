import { describeLoad } from "../report/describe-level.js";
import { formatCount } from "../report/format-number.js";
import { loadValue } from "../stats/load.js";
import type { LivePanel, LiveSeconds } from "./live-messages.js";
import { estimateTimeLeft, isUnderWay, shareDone, type LiveState, type LiveStep } from "./live-state.js";

/** Returns what the live page shows above the report. */
export function livePanel(state: LiveState, nowMs: number): LivePanel {
  const { step, done, total, isBound } = state;
  return {
    step: step === null ? null : describeStep(step, state),
    doing: doingOf(state),
    done,
    total,
    isBound,
    share: shareDone(state),
    timeLeftMs: estimateTimeLeft(state, nowMs),
    rate: rateOf(step),
    p99: step?.seconds.at(-1)?.p99 ?? null,
    answered: step?.progress?.done ?? null,
    failed: step?.progress?.failed ?? null,
    cpu: cpuOf(step),
  };
}

/** Returns the seconds of the steps from one on, the step under way last. */
export function liveSeconds(state: LiveState, fromIndex: number): readonly LiveSeconds[] {
  const steps = [...state.earlier, ...(state.step === null ? [] : [state.step])];
  return steps
    .filter(({ index }) => index >= fromIndex)
    .map(({ index, key: { target, level }, seconds }) => ({
      index,
      target,
      load: formatCount(loadValue(level)),
      seconds,
    }));
}

function describeStep({ key }: LiveStep, { trials }: LiveState): string {
  const { target, level, trial } = key;
  return `${target}, ${describeLoad(level)}${trials > 1 ? `, trial ${trial}` : ""}`;
}

function doingOf(state: LiveState): string {
  const { checking, isOver, step } = state;
  if (isOver) return "over";
  if (checking !== null) return `checking ${checking}`;
  return isUnderWay(state) ? (step?.phase ?? "") : "";
}

function rateOf(step: LiveStep | null): number | null {
  const last = step?.seconds.at(-1);
  if (last !== undefined) return last.ok;
  const progress = step?.progress ?? null;
  if (progress === null || progress.elapsedMs === 0 || progress.failed === undefined) return null;
  return ((progress.done - progress.failed) / progress.elapsedMs) * 1000;
}

function cpuOf(step: LiveStep | null): LivePanel["cpu"] {
  return Object.fromEntries(Object.entries(step?.usage ?? {}).map(([role, { cpu }]) => [role, cpu]));
}
