import { median } from "./descriptive.js";
import type { Range } from "./descriptive.js";
import { groupAscending } from "./group-by.js";
import { studentQuantile } from "./distributions.js";

/** One observation: the coefficients of the unknowns, and what the sum of both should be. */
interface Equation {
  readonly coefficients: readonly number[];
  readonly value: number;
}

type Matrix = readonly (readonly number[])[];

/** Size of a pivot, of 1, below which columns depend on one another. */
const SINGULAR = 1e-12;

/**
 * Returns the unknowns, none of them below 0, for which the squared errors add up to the least; `undefined` when the
 * equations do not determine them. For a handful of unknowns: the least within bounds is the least without for those
 * unknowns that are not 0, so every choice of these is tried (Lawson and Hanson, "Solving Least Squares Problems", 1974,
 * chapter 23, do so in a clever order).
 */
function solveNonNegative(equations: readonly Equation[]): readonly number[] | undefined {
  const unknowns = equations[0]?.coefficients.length ?? 0;
  const solutions = subsets(unknowns).flatMap((chosen) => {
    const part = equations.map(({ coefficients }) => chosen.map((index) => coefficients[index] as number));
    const inverse = invertNormal(part);
    if (inverse === undefined) {
      return [];
    }
    const moments = chosen.map((_, i) => sum(equations, ({ value }, row) => value * (part[row]?.[i] as number)));
    const solved = inverse.map((row) => dot(row, moments));
    const solution = Array.from({ length: unknowns }, (_, index) => solved[chosen.indexOf(index)] ?? 0);
    const error = sum(equations, ({ coefficients, value }) => (value - dot(coefficients, solution)) ** 2);
    return solved.every((unknown) => unknown >= 0) ? [{ solution, error }] : [];
  });
  return solutions.toSorted((a, b) => a.error - b.error)[0]?.solution;
}

/**
 * Returns the inverse of the normal matrix of some rows of coefficients: times the variance of one observation it is the
 * covariance of the unknowns. `undefined` when the columns depend on one another. Columns are scaled to length 1
 * beforehand (Golub and Van Loan, "Matrix Computations", 4th edition, section 5.3).
 */
function invertNormal(rows: Matrix): Matrix | undefined {
  const columns = [...(rows[0] ?? []).keys()];
  const product = (i: number, j: number): number => sum(rows, (row) => (row[i] as number) * (row[j] as number));
  const lengths = columns.map((i) => Math.sqrt(product(i, i)));
  const scaleOf = (i: number, j: number): number => (lengths[i] as number) * (lengths[j] as number);
  const inverse = invert(columns.map((i) => columns.map((j) => product(i, j) / scaleOf(i, j))));
  return inverse?.map((row, i) => row.map((entry, j) => entry / scaleOf(i, j)));
}

/** Inverts a symmetric positive definite matrix with a diagonal of ones, by the elimination of Gauss and Jordan. */
function invert(matrix: Matrix): Matrix | undefined {
  const size = matrix.length;
  let rows: Matrix = matrix.map((row, i) => [...row, ...row.map((_, j) => (i === j ? 1 : 0))]);
  for (let k = 0; k < size; k += 1) {
    const pivot = rows[k]?.[k] ?? 0;
    // Written so that it holds for NaN as well, which a column of zeros leaves.
    if (!(pivot > SINGULAR)) {
      return undefined;
    }
    const pivotRow = (rows[k] ?? []).map((entry) => entry / pivot);
    rows = rows.map((row, i) =>
      i === k ? pivotRow : row.map((entry, j) => entry - (row[k] as number) * (pivotRow[j] as number)),
    );
  }
  return rows.map((row) => row.slice(size));
}

/** All choices of some of the numbers from 0 to n - 1, at least one. */
function subsets(n: number): Matrix {
  const numbers = Array.from({ length: n }, (_, index) => index);
  return Array.from({ length: 2 ** n - 1 }, (_, code) => numbers.filter((index) => ((code + 1) >> index) % 2 === 1));
}

function sum<T>(items: readonly T[], term: (item: T, index: number) => number): number {
  return items.reduce((total, item, index) => total + term(item, index), 0);
}

/** What was measured at one load; in a closed loop, connections and ok responses per second. */
export interface LoadPoint {
  readonly load: number;
  readonly throughput: number;
}

/** The parameters of the Universal Scalability Law. */
export interface UslParameters {
  /** Throughput at a load of 1. */
  readonly lambda: number;
  /** Contention: the part of the work, 0 to 1, that only one can do at a time. */
  readonly sigma: number;
  /** Coherency: what each pair costs for being kept in agreement, as a part of the work; 0 or more. */
  readonly kappa: number;
}

/** How many parameters there are. */
const PARAMETERS = 3;

/** Returns the throughput that the law predicts for a load: lambda N / (1 + sigma (N - 1) + kappa N (N - 1)). */
export function uslThroughput({ lambda, sigma, kappa }: UslParameters, load: number): number {
  return (lambda * load) / (1 + sigma * (load - 1) + kappa * load * (load - 1));
}

/** The law in the form in which it is linear: load / throughput = p + q N + r N (N - 1), none of them below 0. */
type Linear = readonly [p: number, q: number, r: number];

/** Data that follow the law take about five. */
const MAXIMUM_STEPS = 50;

/** So short a step that the fit is as good as it gets. */
const MAXIMUM_HALVINGS = 20;

/** Part of the squared errors; a step that gains less is the last. */
const NEGLIGIBLE_GAIN = 1e-10;

/**
 * Returns the parameters, within their bounds, for which the squared relative errors of throughput (differences of
 * logarithms) add up to the least: noise is in proportion to throughput, and a low level tells as much of the law as a
 * high one. `undefined` when the points do not determine any. Loads are 1 or more, throughputs above 0.
 *
 * Gunther, "Guerrilla Capacity Planning", 2007, chapter 5, for the law; the method is that of Gauss and Newton, with
 * halved steps (Nocedal and Wright, "Numerical Optimization", 2nd edition, section 10.3). In its linear form the bounds
 * 0 <= sigma <= 1, 0 <= kappa are p, q, r >= 0, so that every step is a problem with such bounds.
 */
export function fitUslParameters(points: readonly LoadPoint[]): UslParameters | undefined {
  let best = solveStep(points, undefined);
  for (let step = 0; best !== undefined && step < MAXIMUM_STEPS; step += 1) {
    const next = shortenStep(points, best, solveStep(points, best));
    if (next === undefined) {
      break;
    }
    const gain = 1 - squaredError(points, next) / squaredError(points, best);
    best = next;
    // Written so that it holds for NaN as well, when both are without error.
    if (!(gain > NEGLIGIBLE_GAIN)) {
      break;
    }
  }
  if (best === undefined) {
    return undefined;
  }
  const [p, q, r] = best;
  return { lambda: 1 / (p + q), sigma: q / (p + q), kappa: r / (p + q) };
}

/** Solves the problem as it looks near `from`, or, to begin with, for the relative errors of load / throughput. */
function solveStep(points: readonly LoadPoint[], from: Linear | undefined): Linear | undefined {
  const equations = points.map((point) => {
    const weight = from === undefined ? point.throughput / point.load : 1 / predict(from, point.load);
    const coefficients = [1, point.load, point.load * (point.load - 1)].map((term) => term * weight);
    return { coefficients, value: from === undefined ? 1 : 1 + logError(point, from) };
  });
  const [p, q, r] = solveNonNegative(equations) ?? [];
  return p === undefined || q === undefined || r === undefined || p + q <= 0 ? undefined : [p, q, r];
}

/** Halves a step until it leads downhill; what lies between two points within the bounds is within them. */
function shortenStep(points: readonly LoadPoint[], from: Linear, to: Linear | undefined): Linear | undefined {
  let next = to;
  for (let halving = 0; next !== undefined && halving < MAXIMUM_HALVINGS; halving += 1) {
    if (squaredError(points, next) < squaredError(points, from)) {
      return next;
    }
    const [p, q, r]: Linear = next;
    next = [(p + from[0]) / 2, (q + from[1]) / 2, (r + from[2]) / 2];
  }
  return undefined;
}

function predict([p, q, r]: Linear, load: number): number {
  return p + q * load + r * load * (load - 1);
}

function logError({ load, throughput }: LoadPoint, linear: Linear): number {
  return Math.log(load / throughput / predict(linear, load));
}

function squaredError(points: readonly LoadPoint[], linear: Linear): number {
  return points.reduce((total, point) => total + logError(point, linear) ** 2, 0);
}

/** A parameter or a prediction, and the interval that contains it with 95 % confidence. */
export interface Estimate extends Range {
  readonly value: number;
}

/** Half the width of the 95 % interval of a function of (ln lambda, sigma, kappa) that has this gradient. */
type Reach = (gradient: readonly number[]) => number;

/**
 * Returns the {@link Reach} around fitted parameters: asymptotic, of Student's t with as many degrees of freedom as there
 * are levels beyond the three parameters (Seber and Wild, "Nonlinear Regression", 1989, section 5.1). `error` is the
 * relative error of the fit. `undefined` when the levels do not tell the parameters apart.
 */
function createReach(levels: readonly LoadPoint[], parameters: UslParameters, error: number): Reach | undefined {
  const inverse = invertNormal(levels.map(({ load }) => gradientAt(parameters, load)));
  const width = studentQuantile(levels.length - PARAMETERS) * error;
  return (
    inverse &&
    ((gradient) => {
      const product = inverse.map((row) => dot(row, gradient));
      return width * Math.sqrt(Math.max(0, dot(product, gradient)));
    })
  );
}

/** Returns the derivatives of the logarithm of throughput by (ln lambda, sigma, kappa). */
function gradientAt({ sigma, kappa }: UslParameters, load: number): readonly number[] {
  const slowdown = 1 + sigma * (load - 1) + kappa * load * (load - 1);
  return [1, -(load - 1) / slowdown, (-load * (load - 1)) / slowdown];
}

/** Returns an estimate above 0 whose logarithm has this reach. */
function onLogScale(value: number, reach: number): Estimate {
  return { value, low: value * Math.exp(-reach), high: value * Math.exp(reach) };
}

/** Returns an estimate with this reach, cut off at 0 and at a maximum. */
function within(value: number, reach: number, maximum: number): Estimate {
  return { value, low: Math.max(0, value - reach), high: Math.min(maximum, value + reach) };
}

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
