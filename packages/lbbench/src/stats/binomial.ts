/** Returns in how many ways `k` of `n` things can be chosen; a float beyond 2^53. */
export function binomialCoefficient(n: number, k: number): number {
  let ways = 1;
  for (let i = 1; i <= Math.min(k, n - k); i += 1) {
    ways = (ways * (n - Math.min(k, n - k) + i)) / i;
  }
  return Math.round(ways);
}
