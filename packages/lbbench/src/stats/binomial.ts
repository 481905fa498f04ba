/** Returns in how many ways `k` of `n` things can be chosen; a float beyond 2^53. */
export function binomialCoefficient(n: number, k: number): number {
  let ways = 1;
  for (let i = 1; i <= Math.min(k, n - k); i += 1) {
    ways = (ways * (n - Math.min(k, n - k) + i)) / i;
  }
  return Math.round(ways);
}

/** Returns the probability of at most `k` heads in `n` throws of a fair coin: P(B(n, 1/2) <= k). */
export function binomialTail(n: number, k: number): number {
  let term = 0.5 ** n;
  let sum = term;
  for (let i = 1; i <= Math.min(k, n); i += 1) {
    term *= (n - i + 1) / i;
    sum += term;
  }
  return sum;
}
