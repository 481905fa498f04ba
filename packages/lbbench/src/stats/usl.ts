import { median } from "./descriptive.js";
import { studentQuantile } from "./distributions.js";
import { groupAscending } from "./group-by.js";

/** What was measured at one load; in a closed loop, connections and ok responses per second. */
export interface LoadPoint {
  readonly load: number;
  readonly throughput: number;
}

/** The parameters of the Universal Scalability Law. */
export interface UslParameters {
  /** Throughput at a load of 1. */
  readonly lambda: number;
  /** Contention: the part of the work, 0 to 1, that only one can do at a time; 0 where it cannot be told from none. */
  readonly sigma: number;
  /** Coherency: what each pair costs for being kept in agreement, as a part of the work; 0 where it cannot be told from none. */
  readonly kappa: number;
}

/** Throughput over load as the law describes it. */
export interface UslFit extends UslParameters {
  /** Where throughput is largest; absent without coherency, and where it is far from all levels. */
  readonly peak?: LoadPoint;
  /** Standard deviation of what was measured from the law, as a part of throughput. */
  readonly relativeError: number;
}

/** Returns the throughput that the law predicts for a load: lambda N / (1 + sigma (N - 1) + kappa N (N - 1)). */
export function uslThroughput({ lambda, sigma, kappa }: UslParameters, load: number): number {
  return (lambda * load) / (1 + sigma * (load - 1) + kappa * load * (load - 1));
}

/** Two more than there are parameters, so that there is something left to judge the fit by. */
const MINIMUM_LEVELS = 5;

/** Part by which the best level has to exceed the lowest. */
const MINIMUM_GROWTH = 0.5;

/** A pool of workers, whose throughput has a sharp bend and no peak, lies 5 to 20 % from the law as a rule. */
const MAXIMUM_ERROR = 0.05;

/** Half of p is certain then: lambda is known to a factor of two. */
const MINIMUM_DISTANCE = 2;

/** Times the highest level; further out, something else will have come first. */
const MAXIMUM_EXTRAPOLATION = 10;

/**
 * Fits the Universal Scalability Law (Gunther, "Guerrilla Capacity Planning", 2007, chapter 5) to throughput over load, where the data
 * carry it. Points of the same load are trials, of which the median counts. Loads are 1 or more.
 *
 * In the form load / throughput = p + q N + r N (N - 1) it is linear. Relative errors are squared and added up, as noise is in proportion
 * to throughput. None of the three may be below 0 (0 <= sigma <= 1, 0 <= kappa). Coherency, then contention, is left out where the fit
 * without it is no worse by a t test at 5 %. The peak is at sqrt((1 - sigma) / kappa).
 *
 * Undefined of fewer than 5 levels, or of one without throughput; where the lowest level is as good as saturated, so that the law has
 * nothing to show; where throughput lies more than 5 % from any curve of the law, because it follows another, breaks down, or is noisy;
 * and where the levels do not tell the throughput at a load of 1.
 */
export function fitUsl(points: readonly LoadPoint[]): UslFit | undefined {
  const levels = groupAscending(points, ({ load }) => load).map(({ key, items }) => ({
    load: key,
    throughput: median(items.map(({ throughput }) => throughput)),
  }));
  const throughputs = levels.map(({ throughput }) => throughput);
  const [lowest = 0] = throughputs;
  const isTelling = levels.length >= MINIMUM_LEVELS && throughputs.every((throughput) => throughput > 0);
  if (!isTelling || Math.max(...throughputs) < lowest * (1 + MINIMUM_GROWTH)) return undefined;

  // One row a level: what each of p, q and r adds to 1, where all of them are right.
  const rows = levels.map(({ load, throughput }): Row =>
    [1, load, load * (load - 1)].map((term) => (term * throughput) / load),
  );
  const freedom = levels.length - 3;
  let fit = fitRows(rows, [P, Q, R]);
  const most = fit.error / freedom;
  // How many times its 95 % interval an unknown is away from 0, by what the fit loses without it.
  const distance = (without: Fit): number =>
    Math.sqrt((without.error - fit.error) / Math.max(most, ROUNDING)) / studentQuantile(freedom);
  for (const unknown of [R, Q]) {
    const without = fitRows(
      rows,
      fit.chosen.filter((one) => one !== unknown),
    );
    if (distance(without) <= 1) fit = without;
  }
  const relativeError = Math.sqrt(most);
  const rest = fit.chosen.filter((one) => one !== P);
  if (relativeError > MAXIMUM_ERROR || distance(fitRows(rows, rest)) < MINIMUM_DISTANCE) return undefined;
  const [p = 0, q = 0, r = 0] = fit.solution;
  const law = { lambda: 1 / (p + q), sigma: q / (p + q), kappa: r / (p + q) };
  const load = Math.sqrt((1 - law.sigma) / law.kappa);
  const isNear = load >= 1 && load <= (levels.at(-1)?.load ?? 0) * MAXIMUM_EXTRAPOLATION;
  const peak = isNear ? { peak: { load, throughput: uslThroughput(law, load) } } : {};
  return { ...law, ...peak, relativeError };
}

type Row = readonly number[];
const [P, Q, R] = [0, 1, 2];

/** Squared errors below it are of the arithmetic. */
const ROUNDING = 1e-18;

interface Fit {
  /** The unknowns that are not 0. */
  readonly chosen: readonly number[];
  /** All three. */
  readonly solution: Row;
  /** The squared errors, added up. */
  readonly error: number;
}

/**
 * Returns the unknowns, of those allowed and none below 0, with which the rows come closest to 1. Within the bounds the best is the
 * best without bounds of those that are not 0, so every choice of them is tried.
 */
function fitRows(rows: readonly Row[], allowed: readonly number[]): Fit {
  const choices = allowed.reduce<readonly (readonly number[])[]>(
    (sets, one) => [...sets, ...sets.map((set) => [...set, one])],
    [[]],
  );
  const fits = choices.flatMap((chosen): readonly Fit[] => {
    const solution = solve(rows, chosen);
    if (!solution.every((unknown) => unknown >= 0)) return [];
    const errorOf = (row: Row): number => 1 - row.reduce((sum, term, at) => sum + term * (solution[at] as number), 0);
    return [{ chosen, solution, error: rows.reduce((sum, row) => sum + errorOf(row) ** 2, 0) }];
  });
  return fits.reduce((best, one) => (one.error < best.error ? one : best));
}

/** Least squares by the normal equations, their unknowns scaled alike, and the elimination of Gauss and Jordan; NaN where they do not tell. */
function solve(rows: readonly Row[], chosen: readonly number[]): Row {
  const columns = chosen.map((at) => rows.map((row) => row[at] as number));
  const product = (a: Row, b: Row): number => a.reduce((sum, term, at) => sum + term * (b[at] as number), 0);
  const lengths = columns.map((column) => Math.sqrt(product(column, column)));
  const units = columns.map((column, at) => column.map((term) => term / (lengths[at] as number)));
  let equations = units.map((one) => [...units.map((other) => product(one, other)), one.reduce((a, b) => a + b, 0)]);
  for (const pivot of chosen.keys()) {
    const scaled = (equations[pivot] as Row).map((term, _, row) => term / (row[pivot] as number));
    equations = equations.map((row, at) =>
      at === pivot ? scaled : row.map((term, column) => term - (row[pivot] as number) * (scaled[column] as number)),
    );
  }
  return [P, Q, R].map((unknown) => {
    const at = chosen.indexOf(unknown);
    return at < 0 ? 0 : ((equations[at] as Row).at(-1) as number) / (lengths[at] as number);
  });
}
