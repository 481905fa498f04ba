/** One observation: the coefficients of the unknowns, and what the sum of both should be. */
export interface Equation {
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
export function solveNonNegative(equations: readonly Equation[]): readonly number[] | undefined {
  const unknowns = equations[0]?.coefficients.length ?? 0;
  const solutions = subsets(unknowns).flatMap((chosen) => {
    const part = equations.map(({ coefficients }) => chosen.map((index) => coefficients[index] as number));
    const inverse = invertNormal(part);
    if (inverse === undefined) {
      return [];
    }
    const moments = chosen.map((_, i) => sum(equations, ({ value }, row) => value * (part[row]?.[i] as number)));
    const solved = inverse.map((row) => sum(row, (entry, i) => entry * (moments[i] as number)));
    const solution = Array.from({ length: unknowns }, (_, index) => solved[chosen.indexOf(index)] ?? 0);
    return solved.every((unknown) => unknown >= 0) ? [{ solution, error: squaredError(equations, solution) }] : [];
  });
  return solutions.toSorted((a, b) => a.error - b.error)[0]?.solution;
}

/**
 * Returns the inverse of the normal matrix of some rows of coefficients: times the variance of one observation it is the
 * covariance of the unknowns. `undefined` when the columns depend on one another. Columns are scaled to length 1
 * beforehand (Golub and Van Loan, "Matrix Computations", 4th edition, section 5.3).
 */
export function invertNormal(rows: Matrix): Matrix | undefined {
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

function squaredError(equations: readonly Equation[], solution: readonly number[]): number {
  return sum(equations, ({ coefficients, value }) => {
    const predicted = sum(coefficients, (coefficient, index) => coefficient * (solution[index] as number));
    return (value - predicted) ** 2;
  });
}

/** All choices of some of the numbers from 0 to n - 1, at least one. */
function subsets(n: number): Matrix {
  const numbers = Array.from({ length: n }, (_, index) => index);
  return Array.from({ length: 2 ** n - 1 }, (_, code) => numbers.filter((index) => ((code + 1) >> index) % 2 === 1));
}

function sum<T>(items: readonly T[], term: (item: T, index: number) => number): number {
  return items.reduce((total, item, index) => total + term(item, index), 0);
}
