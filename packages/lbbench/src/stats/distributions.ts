/**
 * Returns the probability that a standard normal variable exceeds `z` in absolute value. Absolute error below 2e-7:
 * formula 7.1.26 of Abramowitz and Stegun, "Handbook of Mathematical Functions", for the error function.
 */
export function normalTwoSidedTail(z: number): number {
  const x = Math.abs(z) / Math.SQRT2;
  const t = 1 / (1 + 0.327_591_1 * x);
  const polynomial = [1.061_405_429, -1.453_152_027, 1.421_413_741, -0.284_496_736, 0.254_829_592];
  const value = polynomial.reduce((sum, coefficient) => sum * t + coefficient, 0) * t * Math.exp(-x * x);
  return Math.min(1, value);
}

/**
 * Returns the probability that a variable of Student's t distribution exceeds `t` in absolute value: formulas 26.7.3 and 26.7.4 of
 * Abramowitz and Stegun, "Handbook of Mathematical Functions". Throws a `RangeError` for degrees of freedom that are no whole number from 1 on.
 */
export function studentTwoSidedTail(t: number, degreesOfFreedom: number): number {
  if (!Number.isInteger(degreesOfFreedom) || degreesOfFreedom < 1) {
    throw new RangeError(`expected degrees of freedom from 1 on, got ${degreesOfFreedom}`);
  }
  const angle = Math.atan(Math.abs(t) / Math.sqrt(degreesOfFreedom));
  const [cosine, isOdd] = [Math.cos(angle), degreesOfFreedom % 2 === 1];
  let [sum, term] = [0, isOdd ? cosine : 1];
  for (let power = isOdd ? 1 : 0; power <= degreesOfFreedom - 2; power += 2) {
    sum += term;
    term *= (cosine * cosine * (power + 1)) / (power + 2);
  }
  const inside = Math.sin(angle) * sum;
  return Math.max(0, 1 - (isOdd ? (2 / Math.PI) * (angle + inside) : inside));
}

/** Halvings that leave less of the interval than a number can tell. */
const HALVINGS = 60;

/**
 * Returns how many standard errors lie to each side of an estimate in an interval of this confidence, 0.95 by default:
 * the quantile at (1 + confidence) / 2 of Student's t distribution. Throws a `RangeError` for fewer than 1 degree of freedom, and for a
 * confidence that is not between 0 and 1.
 */
export function studentQuantile(degreesOfFreedom: number, confidence = 0.95): number {
  if (!(confidence > 0 && confidence < 1)) {
    throw new RangeError(`expected a confidence between 0 and 1, got ${confidence}`);
  }
  const isInside = (t: number): boolean => studentTwoSidedTail(t, degreesOfFreedom) > 1 - confidence;
  let [low, high] = [0, 1];
  while (isInside(high)) high *= 2;
  for (let halving = 0; halving < HALVINGS; halving += 1) {
    const middle = (low + high) / 2;
    if (isInside(middle)) low = middle;
    else high = middle;
  }
  return high;
}
