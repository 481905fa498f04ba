/** What the options of the sample servers may be, without the servers: light to load for programs that only check them. */
import * as z from "zod";
import { BACKEND_LIMITS, GRPC_REFUSALS, OVERLOAD_POLICIES, REFUSALS } from "./defaults.js";

export { completeRoom } from "./admission.js";
export { GRPC_REFUSALS, OVERLOAD_POLICIES, REFUSALS } from "./defaults.js";
export { parseHandler } from "./handlers.js";

function whole(from: number, to: number, remark = ` to ${to}`) {
  const expected = `expected a whole number from ${from}${remark}`;
  return z.int(expected).min(from, expected).max(to, expected);
}
function oneOf<const Word extends string>(words: readonly Word[]) {
  return z.enum(words, `expected one of ${words.join(", ")}`);
}

const port = whole(0, 65_535, " to 65535 (0 takes any free port)");

/** Schemas of the options of all sample servers, by name. Their messages say what is expected. */
export const SAMPLE_OPTIONS = Object.freeze({
  port,
  workers: whole(1, BACKEND_LIMITS.workers),
  pool: whole(1, BACKEND_LIMITS.pool),
  queue: whole(0, BACKEND_LIMITS.queue),
  policy: oneOf(OVERLOAD_POLICIES),
  refusal: oneOf(REFUSALS),
  retryAfterS: whole(0, BACKEND_LIMITS.retryAfterS),
  adminPort: port,
  maxCalls: whole(1, Number.MAX_SAFE_INTEGER, " upwards, or none"),
  refuseWith: oneOf(GRPC_REFUSALS),
  channels: whole(1, BACKEND_LIMITS.channels),
  deadlineMs: whole(1, BACKEND_LIMITS.deadlineMs),
});
