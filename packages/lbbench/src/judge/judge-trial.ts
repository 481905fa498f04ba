import type { FindingCode } from "../model/finding.js";
import type { Measurement } from "../model/measurement.js";
import type { StepResult } from "../model/result.js";
import type { Threshold } from "../model/threshold.js";
import { doubtAbout } from "./doubtful-metrics.js";
import { metricValue } from "./metric-value.js";
import { holds } from "./thresholds.js";

/** Whether a step held its load. */
export interface TrialOutcome {
  readonly outcome: "held" | "broken" | "unclear";
  /** Why not: a threshold, `backlog`, or the code of a finding. */
  readonly because?: string;
  /** The code of a finding for which it may not be the target that did not hold. */
  readonly doubt?: string;
}

/** Of the requests of an open loop, the part by which answers may fall behind. */
const BACKLOG_SHARE = 0.02;

/** What a target is to blame for itself: under too much load that is a result. */
const TARGETS_OWN: ReadonlySet<FindingCode> = new Set(["ALL_FAILED", "TARGET_DIED"]);

/** Failures say nothing against the other figures here: how many there may be is for a threshold to say. */
const FAILURES: ReadonlySet<FindingCode> = new Set([
  "ALL_FAILED",
  "BODY_MISMATCH",
  "CONNECTIONS_RESET",
  "CONNECT_ERRORS",
  "NON_2XX",
  "REQUESTS_DROPPED",
  "REQUESTS_FAILED",
  "TIMEOUTS",
]);

/**
 * Says whether a target held the load of a step. It did not when it died, missed a threshold or had nothing to show for it,
 * or, in an open loop, when requests piled up. It is `unclear` when the numbers are false for another reason than the
 * target, when a threshold asks for a figure that the engine does not tell, or when less load was there than was asked for and
 * nothing came of that.
 */
export function judgeTrial(step: StepResult, thresholds: readonly Threshold[]): TrialOutcome {
  if (step.error?.code === "TARGET_DIED") return { outcome: "broken", because: "TARGET_DIED" };
  const { measurement } = step;
  const wrong = step.findings.find(({ code, severity }) => severity === "error" && !TARGETS_OWN.has(code));
  if (wrong !== undefined || measurement === undefined) {
    return { outcome: "unclear", because: wrong?.code ?? "STEP_FAILED" };
  }
  const missed = thresholds
    .filter((threshold) => !isUntold(threshold, measurement) && !isMet(threshold, measurement))
    .map(({ source, metric }) => ({
      because: source,
      doubt: doubtBesidesFailures(metric, step) ?? (metric === "errors" ? doubtAboutSchedule(step) : undefined),
    }));
  const certain = missed.find(({ doubt }) => doubt === undefined);
  if (certain !== undefined) return { outcome: "broken", because: certain.because };
  if (hasBacklog(measurement)) return { outcome: "broken", because: "backlog" };
  const [doubtful] = missed;
  if (doubtful !== undefined) return { outcome: "broken", because: doubtful.because, ...asDoubt(doubtful.doubt) };
  if (thresholds.some((threshold) => isUntold(threshold, measurement))) {
    return { outcome: "unclear", because: "FIGURE_NOT_TOLD" };
  }
  return step.findings.some(({ code }) => code === "LEVEL_NOT_REACHED")
    ? { outcome: "unclear", because: "LEVEL_NOT_REACHED" }
    : { outcome: "held" };
}

/** Whether there is no figure although there were ok answers to have it of. */
function isUntold({ metric }: Threshold, measurement: Measurement): boolean {
  return measurement.requests.ok > 0 && metricValue(measurement, metric) === null;
}

function isMet(threshold: Threshold, measurement: Measurement): boolean {
  const actual = metricValue(measurement, threshold.metric);
  return actual !== null && holds(threshold, actual);
}

function doubtBesidesFailures(metric: Threshold["metric"], { findings }: StepResult): FindingCode | undefined {
  return doubtAbout(metric, { findings: findings.filter(({ code }) => !FAILURES.has(code)) });
}

/**
 * Of an open loop: a generator that was at its limit or late sends in bursts what it should have spread, and takes answers for
 * late that were not. What could not leave for want of answers is no fault of its.
 */
function doubtAboutSchedule({ findings, measurement }: StepResult): FindingCode | undefined {
  if (measurement?.schedule === undefined) return undefined;
  return findings.find(
    ({ code, args }) =>
      code === "GENERATOR_SATURATED" || (code === "LEVEL_NOT_REACHED" && Object.hasOwn(args, "latenessMs")),
  )?.code;
}

function asDoubt(doubt: FindingCode | undefined): Pick<TrialOutcome, "doubt"> {
  return doubt === undefined ? {} : { doubt };
}

/**
 * Whether answers fell behind the schedule of an open loop. What is in flight at the end, over the rate, is the time by which
 * answers lag; it would be the latency if the target kept up. More than that at the beginning piled up meanwhile. Without this
 * a target that queues for longer than the step lasts would hold any rate.
 */
function hasBacklog({ schedule, requests, timeline, latency, elapsedMs }: Measurement): boolean {
  if (schedule === undefined || elapsedMs <= 0) return false;
  const lagMs = (((requests.inFlight ?? 0) + schedule.unsent) / schedule.rate) * 1000;
  const latencyMs = timeline.find(({ p50 }) => p50 !== null)?.p50 ?? latency?.p50 ?? 0;
  return (lagMs - latencyMs) / elapsedMs > BACKLOG_SHARE;
}
