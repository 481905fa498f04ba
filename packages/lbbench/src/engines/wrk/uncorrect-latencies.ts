/**
 * Takes out of wrk's latencies what wrk put in: it adds, for every latency n of at least twice the interval e in which a
 * connection should have had an answer (duration over answers per connection, whole numbers), others of n - e, n - 2e and so on
 * down to e (`stats_correct` of wrk 4). So above e there are as many at n as were measured at n, n + e, n + 2e ..., and the
 * difference to n + e are those that were measured. That correction is for requests sent on a schedule; in a closed loop it
 * counts waiting that nobody did.
 *
 * Returns counts by microsecond, or `undefined` when they are not what such a correction leaves, or not `measured` in all.
 */
export function uncorrectLatencies(
  corrected: ReadonlyMap<number, number>,
  run: {
    readonly durationUs: number;
    readonly answers: number;
    readonly connections: number;
    readonly measured: number;
  },
): ReadonlyMap<number, number> | undefined {
  const perConnection = Math.floor(run.answers / run.connections);
  const intervalUs = perConnection === 0 ? Infinity : Math.floor(run.durationUs / perConnection);
  const measured = new Map<number, number>();
  let sum = 0;
  for (const [us, count] of corrected) {
    const own = us > intervalUs ? count - (corrected.get(us + intervalUs) ?? 0) : count;
    if (own < 0) return undefined;
    if (own > 0) measured.set(us, own);
    sum += own;
  }
  return sum === run.measured ? measured : undefined;
}
