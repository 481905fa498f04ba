import type { Finding, FindingCode } from "../model/finding.js";
import type { StepResult } from "../model/result.js";
import type { Threshold, ThresholdMetric } from "../model/threshold.js";
import { sumOf } from "../stats/descriptive.js";
import { isOfFaults } from "../stats/faults.js";
import type { Bound, Bounds } from "./finding-figures.js";
import { rowOf } from "./findings.js";
import { readFigures } from "./found.js";

type Judged = Pick<StepResult, "findings">;

/** A finding that bounds a figure. */
interface FigureDoubt {
  readonly code: FindingCode;
  readonly bound: Bound;
  /** With `least` and `most`: by how many times at the most a target may have been faster than it was measured. */
  readonly lost: number;
}

/** Share of the requests that may fail and leave throughput and percentiles as they are. */
const NEGLIGIBLE_FAILURES = 0.001;

/** What so few failures move: the mean by a few that timed out; `p999` and `max` are of as few. */
const UNSTEADY: ReadonlySet<ThresholdMetric> = new Set<ThresholdMetric>(["min", "mean", "p999", "max"]);

/** Returns what makes a metric of a step doubtful. */
export function doubtsAbout(metric: ThresholdMetric, { findings }: Judged): readonly FigureDoubt[] {
  const failures = findings.filter((finding) => rowOf(finding).of === "failures");
  // Infinite where the share is not told, as in a file of another version.
  const failed = sumOf(failures, ({ args }) => readFigures(args).share ?? Infinity);
  const isSteady = failed <= NEGLIGIBLE_FAILURES && !UNSTEADY.has(metric);
  // What faults cost is counted as failures are, and is no latency.
  const figure = isOfFaults(metric) ? "errors" : metric === "throughput" || metric === "errors" ? metric : "latency";
  return findings.flatMap((finding): readonly FigureDoubt[] => {
    const { bounds = {}, of, lost } = rowOf(finding);
    const seen = readFigures(finding.args);
    const own = typeof bounds === "function" ? bounds(seen, finding.severity) : bounds;
    if (metric === "within") return doubtsOfWithin(finding, own);
    const bound = own[figure];
    if (bound === undefined || (of === "failures" && isSteady)) return [];
    const most = figure === "throughput" ? lost?.(seen) : undefined;
    return [{ code: finding.code, bound, lost: most ?? Infinity }];
  });
}

const OPPOSITE: Readonly<Record<Bound, Bound>> = { least: "most", most: "least", chance: "chance", nothing: "nothing" };

/** Fewer are in time the more fail and the longer they take. What failed, or could not leave for want of answers, is counted as not in time. */
function doubtsOfWithin(finding: Finding, { errors, latency }: Bounds): readonly FigureDoubt[] {
  const isCounted = ["failures", "overload"].includes(rowOf(finding).of ?? "") || "unsent" in finding.args;
  const told = new Set([errors, isCounted ? undefined : latency].flatMap((bound) => bound ?? []));
  return [...told].map((bound) => ({ code: finding.code, bound: OPPOSITE[bound], lost: Infinity }));
}

/** The same without what is off by chance alone, which the spread of several trials shows. */
export function doubtsBeyondChance(metric: ThresholdMetric, step: Judged): readonly FigureDoubt[] {
  return doubtsAbout(metric, step).filter(({ bound }) => bound !== "chance");
}

/** Whether the answer of a threshold stands although there is a doubt: the unknown part can only make it clearer. */
export function standsDespite({ bound }: FigureDoubt, { operator }: Threshold, isMet: boolean): boolean {
  return bound === (isMet === operator.startsWith("<") ? "most" : "least");
}

/**
 * What leaves open whether it is the target that failed requests, or left them waiting. A generator at its limit or late sends in bursts, and
 * takes answers for late that were not; what could not leave for want of answers is the target's.
 */
export function doubtOfGenerator({ findings }: Judged): FindingCode | undefined {
  return findings.find((finding) => rowOf(finding).of === "generator" && !("unsent" in finding.args))?.code;
}

/** Whether the requests of a step tell nothing of its target: they are counted wrongly, or this machine ran out of ports or descriptors. */
export function isMistaken({ findings }: Judged): boolean {
  return findings.some((finding) => {
    const { of } = rowOf(finding);
    return of === "counting" || (of === "limit" && finding.severity === "error");
  });
}
