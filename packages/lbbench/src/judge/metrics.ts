import type { Level } from "../model/level.js";
import type { RequestCounts } from "../model/measurement.js";
import type { StepResult } from "../model/result.js";
import type { Threshold, ThresholdMetric } from "../model/threshold.js";
import { sumOf } from "../stats/descriptive.js";
import { isOpenLoop, loadOf } from "../stats/load.js";
import { isOfFaults, SLICE_MS } from "../stats/faults.js";
import { failedRequests, finishedRequests } from "../stats/request-counts.js";
import { faultResponses, type Measured } from "./fault-response.js";

/** Returns which share (0 to 1) of the requests that came to an end failed; `null` when none came to an end. */
export function errorShare(requests: RequestCounts): number | null {
  const finished = finishedRequests(requests);
  return finished > 0 ? failedRequests(requests) / finished : null;
}

/**
 * Returns a metric of a step: ok responses per second, share of errors or of requests within the deadline (0 to 1), latency in ms; or of its faults together the requests
 * lost, and of the worst of them the recovery in ms (`Infinity` where there was none). `null` when there is nothing to take it from.
 */
export function metricValue(step: Measured, metric: ThresholdMetric): number | null {
  const { measurement } = step;
  if (measurement === undefined) return null;
  const { within } = measurement;
  if (metric === "throughput") return measurement.throughput;
  if (metric === "errors") return errorShare(measurement.requests);
  if (metric === "within") return within === undefined || within.due === 0 ? null : within.ok / within.due;
  if (!isOfFaults(metric)) return measurement.latency?.[metric] ?? null;
  const responses = faultResponses(step);
  if (responses.length === 0) return null;
  if (metric === "lost") return sumOf(responses, ({ lost }) => lost);
  // Where one came too early to tell of another, its recovery is that of both.
  return Math.max(...responses.flatMap(({ recoveryMs }) => (recoveryMs === undefined ? [] : (recoveryMs ?? Infinity))));
}

/** The trials of a place that were completed, or where none was the others that have figures: those of a step that failed are not like the rest. */
export function measuredSteps(trials: readonly StepResult[]): readonly StepResult[] {
  const measured = trials.filter(({ measurement }) => measurement !== undefined);
  const completed = measured.filter(({ state }) => state === "completed");
  return completed.length > 0 ? completed : measured;
}

/** Whether a value meets a threshold. */
export function holds({ operator, value }: Threshold, actual: number): boolean {
  const isBeyond = operator.startsWith("<") ? actual < value : actual > value;
  return isBeyond || (operator.endsWith("=") && actual === value);
}

/** A metric that targets are compared by. */
export type ComparedMetric = "throughput" | "mean" | "p50" | "p90" | "p99";

/** What of faults is compared. */
export type FaultMetric = "lost" | "recovery";

/** A metric that a comparison with a margin judges: beside those the share of requests that failed. */
export type JudgedMetric = ComparedMetric | "errors" | FaultMetric;

/** Returns the metric that tells which of two targets is faster at a level: throughput, or in an open loop, whose throughput was asked for, the mean latency. */
export function speedMetric(level: Level): "throughput" | "mean" {
  return isOpenLoop(loadOf(level).kind) ? "mean" : "throughput";
}

/** Returns the speeds that tell of a target at a level: in a closed loop the mean latency follows from the throughput. */
export function speedsOf(level: Level): readonly ComparedMetric[] {
  return [speedMetric(level), "p50", "p90", "p99"];
}

/** How much worse may be. */
export interface Margins {
  /** Part of throughput and of latencies, 0 to 1: 0.05 allows 5 % less throughput and 5 % more latency. */
  readonly margin: number;
  /** How much the share of failed requests may rise, 0 to 1: 0.001 allows 0.1 of a percentage point. */
  readonly errorMargin: number;
}

/** What a change of a metric is, and which one is for the worse. */
export interface Scale {
  readonly worse: "higher" | "lower";
  /** What is allowed: a ratio less one, of `errors` a difference. */
  readonly bound: (margins: Margins) => number;
  /** The value after the largest allowed change. */
  readonly allow: (value: number, margins: Margins) => number;
  /** What a value is after a change. */
  readonly apply: (value: number, change: number) => number;
  /** The change that makes the first value the second; not finite where there is none. */
  readonly between: (from: number, to: number) => number;
}

const ofRatios = (worse: Scale["worse"], bound: Scale["bound"]): Scale => ({
  worse,
  bound,
  allow: (value, margins) => value * (1 + bound(margins)),
  apply: (value, change) => value * (1 + change),
  between: (from, to) => to / from - 1,
});

/** Changes that are differences. */
export const DIFFERENCE: Pick<Scale, "apply" | "between"> = {
  apply: (value, change) => value + change,
  // Two that never recovered are alike.
  between: (from, to) => (from === to ? 0 : to - from),
};

const ofDifferences = (scale: Pick<Scale, "bound" | "allow">): Scale => ({ ...DIFFERENCE, worse: "higher", ...scale });

const LATENCY = ofRatios("higher", ({ margin }) => margin);

/** Faults often cost nothing, and a part of nothing is nothing: this much more is allowed as well. */
const ofFaults = (more: number): Scale =>
  ofDifferences({ bound: LATENCY.bound, allow: (value, { margin }) => value * (1 + margin) + more });

/** As a share: less than one of all requests that a trial may have. */
const LESS_THAN_A_REQUEST = 1e-9;

/** Changes are ratios less one; those of `errors` and of faults differences, because those of a good reference are 0. */
export const SCALES: Readonly<Record<JudgedMetric, Scale>> = {
  throughput: ofRatios("lower", ({ margin }) => -margin),
  mean: LATENCY,
  p50: LATENCY,
  p90: LATENCY,
  p99: LATENCY,
  errors: ofDifferences({
    bound: ({ errorMargin }) => errorMargin,
    // So that a share that is just as large as it may be is told from a larger one.
    allow: (value, { errorMargin }) => value + errorMargin + LESS_THAN_A_REQUEST,
  }),
  // Less than a whole request.
  lost: ofFaults(0.5),
  recovery: ofFaults(SLICE_MS),
};

/** All that are judged, in the order in which they are listed; the last two where there are faults. */
export const JUDGED_METRICS = Object.keys(SCALES) as readonly JudgedMetric[];
