import type { Range } from "./descriptive.js";
import { invertNormal } from "./least-squares.js";
import { studentQuantile } from "./student-quantile.js";
import { PARAMETERS } from "./usl-parameters.js";
import type { LoadPoint, UslParameters } from "./usl-parameters.js";

/** A parameter or a prediction, and the interval that contains it with 95 % confidence. */
export interface Estimate extends Range {
  readonly value: number;
}

/** Half the width of the 95 % interval of a function of (ln lambda, sigma, kappa) that has this gradient. */
export type Reach = (gradient: readonly number[]) => number;

/**
 * Returns the {@link Reach} around fitted parameters: asymptotic, of Student's t with as many degrees of freedom as there
 * are levels beyond the three parameters (Seber and Wild, "Nonlinear Regression", 1989, section 5.1). `error` is the
 * relative error of the fit. `undefined` when the levels do not tell the parameters apart.
 */
export function createReach(levels: readonly LoadPoint[], parameters: UslParameters, error: number): Reach | undefined {
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
export function onLogScale(value: number, reach: number): Estimate {
  return { value, low: value * Math.exp(-reach), high: value * Math.exp(reach) };
}

/** Returns an estimate with this reach, cut off at 0 and at a maximum. */
export function within(value: number, reach: number, maximum: number): Estimate {
  return { value, low: Math.max(0, value - reach), high: Math.min(maximum, value + reach) };
}

function dot(a: readonly number[], b: readonly number[]): number {
  return a.reduce((total, value, index) => total + value * (b[index] as number), 0);
}
