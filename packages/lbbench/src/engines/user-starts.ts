import type { Load } from "../plugin.js";
import { closedConnections } from "../stats/load.js";
import { rampStartsUs } from "../stats/ramp-starts.js";
import type { GeneratorPlace } from "./generator.js";

/**
 * Returns when each user that a generator has of a closed loop starts, in microseconds from the common start, in order: those
 * of a level of connections all at 0, those of a ramp when they come. The level of a ramp is that of the whole, and the
 * generator takes every so many-th user of it, so that all generators together have exactly the whole. Throws a `RangeError`
 * for a rate, which has no users.
 */
export function userStartsUs(
  { level, ramp }: Pick<Load, "level" | "ramp">,
  { index: place, of }: GeneratorPlace,
): readonly number[] {
  if (level.users === undefined) return Array.from({ length: closedConnections(level) }, () => 0);
  if (ramp === undefined) throw new RangeError("Expected a ramp with a level that is users, got none");
  return rampStartsUs(level.users, ramp).filter((_, index) => index % of === place);
}
