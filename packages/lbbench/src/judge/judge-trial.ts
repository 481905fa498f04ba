import type { FindingCode } from "../model/finding.js";
import type { Measurement } from "../model/measurement.js";
import type { StepResult } from "../model/result.js";
import type { Threshold } from "../model/threshold.js";
import { defined } from "../stats/defined.js";
import { sumOf } from "../stats/descriptive.js";
import { doubtOfGenerator, doubtsAbout, standsDespite } from "./doubts.js";
import { rowOf } from "./findings.js";
import { holds, metricValue } from "./metrics.js";

/** Whether a step held its load. */
export interface TrialOutcome {
  readonly outcome: "held" | "broken" | "unclear";
  /** Why not: each threshold that was missed, `backlog`, or the code of a finding. */
  readonly because?: readonly string[];
  /** The code of a finding that leaves open whether the target is to blame. */
  readonly doubt?: string;
}

/**
 * Says whether a target held the load of a step. `broken`: it died, missed a threshold or had nothing to show for it, left connections
 * waiting while a threshold asks for latency, or, in an open loop, requests piled up. `unclear`: the numbers are false for another reason than the target, a threshold asks for a figure that the engine does
 * not tell or that too short a step met, or less load was there than was asked for and nothing came of that.
 */
export function judgeTrial(step: StepResult, thresholds: readonly Threshold[]): TrialOutcome {
  if (step.error?.code === "TARGET_DIED") return { outcome: "broken", because: ["TARGET_DIED"] };
  const { measurement } = step;
  // Errors that overload causes in the target are a result.
  const wrong = step.findings.find((finding) => finding.severity === "error" && rowOf(finding).of !== "overload");
  if (wrong !== undefined || measurement === undefined) {
    return { outcome: "unclear", because: [wrong?.code ?? "STEP_FAILED"] };
  }
  const asked = thresholds.map((threshold) => ({ threshold, actual: metricValue(step, threshold.metric) }));
  // There may be no figure although there were ok answers to have it of.
  const isUntold = ({ actual }: { actual: number | null }): boolean => actual === null && measurement.requests.ok > 0;
  const missed = asked
    .filter((one) => !isUntold(one) && !(one.actual !== null && holds(one.threshold, one.actual)))
    .map(({ threshold }) => ({ because: threshold.source, doubt: doubtOf(threshold, step) }));
  const isCertain = missed.some(({ doubt }) => doubt === undefined);
  const because = missed.map((one) => one.because);
  if (isCertain) return { outcome: "broken", because };
  if (hasBacklog(measurement)) {
    return { outcome: "broken", because: ["backlog", ...because], ...defined({ doubt: doubtOfGenerator(step) }) };
  }
  const [doubtful] = missed;
  if (doubtful?.doubt !== undefined) return { outcome: "broken", because, doubt: doubtful.doubt };
  // What a finding tells may be all that these are met by: the answers that connections still wait for are in no figure.
  const metBeside = (code: FindingCode): readonly Threshold[] =>
    thresholds.filter((threshold) =>
      doubtsAbout(threshold.metric, step).some((one) => one.code === code && !standsDespite(one, threshold, true)),
    );
  const isTooShort = metBeside("TOO_SHORT").length > 0;
  // Connections that were not served waited for so long at least; whether for longer, too short a step does not tell.
  const waitedMs = (measurement.fill?.tookMs ?? 0) + measurement.elapsedMs;
  const isStarved = metBeside("CONNECTIONS_STARVED").some(({ value }) => !isTooShort || value <= waitedMs);
  if (isStarved) return { outcome: "broken", because: ["CONNECTIONS_STARVED"] };
  if (isTooShort) return { outcome: "unclear", because: ["TOO_SHORT"] };
  if (asked.some(isUntold)) return { outcome: "unclear", because: ["FIGURE_NOT_TOLD"] };
  return step.findings.some(({ code }) => code === "LEVEL_NOT_REACHED")
    ? { outcome: "unclear", because: ["LEVEL_NOT_REACHED"] }
    : { outcome: "held" };
}

/**
 * What leaves open whether it is the target that missed a threshold. Failures say nothing against other figures, and in an open loop may be
 * the generator's.
 */
function doubtOf(threshold: Threshold, step: StepResult): FindingCode | undefined {
  const doubt = doubtsAbout(threshold.metric, step).find(
    (one) => !["failures", "overload"].includes(rowOf(one).of ?? "") && !standsDespite(one, threshold, false),
  );
  if (doubt !== undefined || threshold.metric !== "errors" || step.measurement?.schedule === undefined)
    return doubt?.code;
  return doubtOfGenerator(step);
}

/** Of the requests of an open loop, the part by which answers may fall behind. */
const BACKLOG_SHARE = 0.02;

/** Seconds before the end at which requests must have piled up as well. */
const BEFORE_END = 1;

/**
 * Whether answers fell behind the schedule of an open loop. What is in flight at the end, over the rate, is the time by which they lag; it
 * would be the latency if the target kept up. A target that queues for longer than the step lasts would hold any rate. A single pause at the
 * end is none: requests have to be behind a second before it as well, where the timeline tells.
 */
function hasBacklog({ schedule, requests, timeline, latency, elapsedMs }: Measurement): boolean {
  if (schedule === undefined || elapsedMs <= 0) return false;
  const latencyMs = timeline.find(({ p50 }) => p50 !== null)?.p50 ?? latency?.p50 ?? 0;
  const isBehind = (open: number, afterMs: number): boolean =>
    ((open / schedule.rate) * 1000 - latencyMs) / afterMs > BACKLOG_SHARE;
  if (!isBehind((requests.inFlight ?? 0) + schedule.unsent, elapsedMs)) return false;
  const seconds = Math.round(elapsedMs / 1000) - BEFORE_END;
  const before = timeline.filter(({ second }) => second < seconds);
  const open = sumOf(before, ({ sent, ok, failed }) => sent - ok - failed);
  return seconds < 1 || before.length < seconds || schedule.unsent > 0 || isBehind(open, seconds * 1000);
}
