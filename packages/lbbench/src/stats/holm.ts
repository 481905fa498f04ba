/**
 * Corrects p-values for being several (Holm, "A simple sequentially rejective multiple test procedure", Scandinavian
 * Journal of Statistics 6, 1979), so that the probability of any false alarm among them stays what it is for one.
 * Same order as given; `null` (no test was possible) stays `null` and does not count.
 */
export function adjustHolm(pValues: readonly (number | null)[]): readonly (number | null)[] {
  const tests = pValues
    .flatMap((pValue, index) => (pValue === null ? [] : [{ pValue, index }]))
    .toSorted((a, b) => a.pValue - b.pValue);
  const adjusted: (number | null)[] = pValues.map(() => null);
  let floor = 0;
  for (const [position, { pValue, index }] of tests.entries()) {
    floor = Math.max(floor, Math.min(1, pValue * (tests.length - position)));
    adjusted[index] = floor;
  }
  return adjusted;
}
