import { median } from "./descriptive.js";
import { groupAscending } from "./group-by.js";
import { fitUslParameters, PARAMETERS, uslThroughput } from "./usl-parameters.js";
import type { LoadPoint, UslParameters } from "./usl-parameters.js";
import { createReach, onLogScale, within } from "./usl-uncertainty.js";
import type { Estimate, Reach } from "./usl-uncertainty.js";

/** Where throughput is largest. */
export interface UslPeak {
  readonly load: Estimate;
  readonly throughput: number;
}

/** Throughput over load as the law describes it. */
export interface UslFit {
  readonly state: "fitted";
  readonly lambda: Estimate;
  readonly sigma: Estimate;
  readonly kappa: Estimate;
  /** Absent when coherency may be 0, so that throughput may grow for ever, and when it is far from all levels. */
  readonly peak?: UslPeak;
  /** Standard deviation of what was measured from the law, as a part of throughput. */
  readonly relativeError: number;
}

/**
 * Why there is no fit. `TOO_FEW_LEVELS`: fewer than 5. `NO_THROUGHPUT`: a level without any. `NO_GROWTH`: the lowest
 * level is as good as saturated, so that the law has nothing to show. `POOR_FIT`: throughput lies more than 5 % from any
 * curve of the law, because it follows another, breaks down, or is noisy. `UNCERTAIN`: many curves fit alike.
 */
export interface UslRefusal {
  readonly state: "refused";
  readonly reason: "TOO_FEW_LEVELS" | "NO_THROUGHPUT" | "NO_GROWTH" | "POOR_FIT" | "UNCERTAIN";
  /** As in a fit; of those reasons that are found after it. */
  readonly relativeError?: number;
}

/** Two more than there are parameters, so that there is something left to judge the fit by. */
const MINIMUM_LEVELS = PARAMETERS + 2;

/** Part by which the best level has to exceed the lowest. */
const MINIMUM_GROWTH = 0.5;

/**
 * A pool of workers, whose throughput has a sharp bend and no peak, lies 5 to 20 % from the law as a rule, and would be
 * given a peak. Trials are what makes noise smaller than this.
 */
const MAXIMUM_ERROR = 0.05;

/** Times by which the throughput at a load of 1 may be more or less than its estimate. */
const MAXIMUM_FACTOR = 2;

/** Times the highest level; further out, something else will have come first. */
const MAXIMUM_EXTRAPOLATION = 10;

/**
 * Fits the Universal Scalability Law to throughput over load (see {@link fitUslParameters}), where the data carry it.
 * Points of the same load are trials, of which the median counts: what the law misses at a level, all its trials miss
 * alike, so they are no independent observations of it.
 *
 * Intervals are asymptotic, of as many degrees of freedom as there are levels beyond three parameters, and cut off at the
 * bounds of the parameters; those of lambda and of the peak are symmetric on a logarithmic scale (Seber and Wild,
 * "Nonlinear Regression", 1989, section 5.1). The peak is at sqrt((1 - sigma) / kappa). Loads are 1 or more.
 */
export function fitUsl(points: readonly LoadPoint[]): UslFit | UslRefusal {
  const levels = groupAscending(points, ({ load }) => load).map(({ key, items }) => ({
    load: key,
    throughput: median(items.map(({ throughput }) => throughput)),
  }));
  const reason = whyNot(levels);
  if (reason !== undefined) {
    return { state: "refused", reason };
  }
  const parameters = fitUslParameters(levels);
  if (parameters === undefined) {
    return { state: "refused", reason: "UNCERTAIN" };
  }
  const relativeError = relativeErrorOf(levels, parameters);
  if (relativeError > MAXIMUM_ERROR) {
    return { state: "refused", reason: "POOR_FIT", relativeError };
  }
  const reachOf = createReach(levels, parameters, relativeError);
  if (reachOf === undefined || reachOf([1, 0, 0]) > Math.log(MAXIMUM_FACTOR)) {
    return { state: "refused", reason: "UNCERTAIN", relativeError };
  }
  const lambda = onLogScale(parameters.lambda, reachOf([1, 0, 0]));
  const sigma = within(parameters.sigma, reachOf([0, 1, 0]), 1);
  const kappa = within(parameters.kappa, reachOf([0, 0, 1]), Infinity);
  const highest = levels.at(-1)?.load ?? 0;
  const peak = kappa.low > 0 ? peakOf(parameters, reachOf, highest) : undefined;
  return { state: "fitted", lambda, sigma, kappa, ...(peak && { peak }), relativeError };
}

function whyNot(levels: readonly LoadPoint[]): UslRefusal["reason"] | undefined {
  const throughputs = levels.map(({ throughput }) => throughput);
  const [lowest] = throughputs;
  if (lowest === undefined || levels.length < MINIMUM_LEVELS) {
    return "TOO_FEW_LEVELS";
  }
  if (throughputs.some((throughput) => !(throughput > 0))) {
    return "NO_THROUGHPUT";
  }
  return Math.max(...throughputs) < lowest * (1 + MINIMUM_GROWTH) ? "NO_GROWTH" : undefined;
}

function peakOf(parameters: UslParameters, reachOf: Reach, highest: number): UslPeak | undefined {
  const { sigma, kappa } = parameters;
  const load = Math.sqrt((1 - sigma) / kappa);
  // With all of the work under contention, throughput falls from the first.
  if (load < 1 || load > highest * MAXIMUM_EXTRAPOLATION) {
    return undefined;
  }
  return {
    load: onLogScale(load, reachOf([0, -0.5 / (1 - sigma), -0.5 / kappa])),
    throughput: uslThroughput(parameters, load),
  };
}

function relativeErrorOf(levels: readonly LoadPoint[], parameters: UslParameters): number {
  const errors = levels.map(({ load, throughput }) => Math.log(throughput / uslThroughput(parameters, load)));
  return Math.sqrt(dot(errors, errors) / (levels.length - PARAMETERS));
}

function dot(a: readonly number[], b: readonly number[]): number {
  return a.reduce((total, value, index) => total + value * (b[index] as number), 0);
}
