import type { Doubt } from "../../model/measurement.js";
import type { AbOutput } from "./parse-output.js";

/**
 * Says that it is not known how many of the answers were good, because they had another length than the first one: ab does not tell how
 * many of them it counts for their status as well, and the first may have been the odd one. Nothing where no connection was closed by
 * which they could have failed, or where every answer has failed for certain.
 */
export function doubtAbLengths(output: AbOutput): readonly Doubt[] {
  const { complete, non2xx, failures } = output;
  if (!mayHaveFailedByLength(output) || complete <= non2xx + failures.receive) return [];
  if (non2xx === 0 && !isFirstSuspect(output)) return [];
  return (["errors", "throughput"] as const).map((figure) => ({ figure, because: "other-lengths" }));
}

/**
 * Whether the first answer may be the odd one: more than half of all had another length, and these had a body, so that they are
 * not merely connections that were closed.
 */
export function isFirstSuspect(output: AbOutput): boolean {
  const { complete, failures, bodyBytes, documentLength = 0 } = output;
  if (!mayHaveFailedByLength(output) || failures.length <= complete / 2) return false;
  return bodyBytes > documentLength * (complete - failures.length);
}

/** On connections that stay open ab waits for the whole length, so that another one is no failure. */
function mayHaveFailedByLength({ complete, keptAlive = 0, failures, documentLength = 0 }: AbOutput): boolean {
  return documentLength > 0 && Math.min(failures.length, complete - keptAlive) > failures.receive;
}
