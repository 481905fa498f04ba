import type { CompleteCounts, CompleteLatency, MixedShare } from "../model/measurement.js";
import type { MixedRequest } from "../model/scenario.js";
import { shareOut } from "./fake-seconds.js";

/** Shares the requests of a measurement out to the entries of its mix by their weights; each takes as long as all others. */
export function fakeMix(
  mix: readonly MixedRequest[],
  { sent, ok, inFlight }: CompleteCounts,
  latency: CompleteLatency | undefined,
): readonly MixedShare[] {
  const weights = mix.map(({ weight }) => ({ answers: weight }));
  const [oks, failures, open] = [ok, sent - ok - inFlight, inFlight].map((count) => shareOut(count, weights));
  return mix.map(({ name }, index) => {
    const [good = 0, failed = 0, left = 0] = [oks?.[index], failures?.[index], open?.[index]];
    return {
      name,
      sent: good + failed + left,
      ok: good,
      failed,
      ...(good > 0 && latency !== undefined ? { latency } : {}),
    };
  });
}
