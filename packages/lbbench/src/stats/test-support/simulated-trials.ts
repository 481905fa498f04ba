/** Draws a value from a standard normal distribution, by the transform of Box and Muller. */
export function drawNormal(draw: () => number): number {
  return Math.sqrt(-2 * Math.log(1 - draw())) * Math.cos(2 * Math.PI * draw());
}

/** Draws `n` trials around a median; `noise` is the standard deviation as a part of it. */
export function drawTrials(draw: () => number, n: number, center: number, noise: number): readonly number[] {
  return Array.from({ length: n }, () => center * (1 + noise * drawNormal(draw)));
}

/** Draws `n` trials around a median whose noise has a long tail upwards, as latencies have: log-normal. */
export function drawSkewedTrials(draw: () => number, n: number, center: number, noise: number): readonly number[] {
  return Array.from({ length: n }, () => center * Math.exp(noise * drawNormal(draw)));
}

/** Returns a figure as one measurement might give it; `noise` is the standard deviation as a part of it. */
export function addNoise(draw: () => number, value: number, noise: number): number {
  return value * (1 + noise * drawNormal(draw));
}
