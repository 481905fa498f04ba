/** A time and a rate as a program prints them, and half of the last digit of each. */
export interface PrintedRate {
  readonly count: number;
  readonly elapsedMs: number;
  readonly elapsedResolutionMs: number;
  readonly perSecond: number;
  readonly rateResolution: number;
}

/**
 * Returns the time of a run by whichever is more exact, the time that is printed or the count over the rate; `undefined` where the two
 * contradict each other. A rate of 0 is that of no request, or of so few that it is rounded to nothing.
 */
export function elapsedByRate(printed: PrintedRate): number | undefined {
  const { count, elapsedMs, elapsedResolutionMs, perSecond, rateResolution } = printed;
  if (count === 0) return perSecond === 0 ? elapsedMs : undefined;
  if (perSecond === 0)
    return (count / (elapsedMs + elapsedResolutionMs)) * 1000 <= rateResolution ? elapsedMs : undefined;
  const byRateMs = (count / perSecond) * 1000;
  const uncertainMs = byRateMs * (rateResolution / perSecond);
  if (Math.abs(byRateMs - elapsedMs) > elapsedResolutionMs + uncertainMs + 1e-6) return undefined;
  return uncertainMs < elapsedResolutionMs ? byRateMs : elapsedMs;
}
