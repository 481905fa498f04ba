import { solveNonNegative } from "./least-squares.js";

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
export const PARAMETERS = 3;

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
