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

/**
 * The most of `runs` independent runs in which something of this probability happens by chance, but for one in a hundred such
 * experiments: the least count with P(B(runs, probability) > count) <= 0.01.
 */
export function mostByChance(runs: number, probability: number): number {
  let [count, term, sum] = [0, (1 - probability) ** runs, (1 - probability) ** runs];
  while (1 - sum > 0.01) {
    count += 1;
    term *= ((runs - count + 1) / count) * (probability / (1 - probability));
    sum += term;
  }
  return count;
}

/** The fewest of them, alike: P(B(runs, probability) < count) <= 0.01. */
export function fewestByChance(runs: number, probability: number): number {
  return runs - mostByChance(runs, 1 - probability);
}
