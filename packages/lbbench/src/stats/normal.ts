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
