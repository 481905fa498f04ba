import * as z from "zod";
import { count, duration, parsed, someTime } from "./input-values.js";

const STEPS = 'expected a whole number of at least 1, or "none"';

/** A word in place of a number of steps, to undo one of a config file. */
const noSteps = parsed((text): null => {
  if (text.trim() === "none") return null;
  throw new Error(STEPS);
}, STEPS);

/** How the users of a ramp come. */
export const rampInputSchema = z.strictObject({
  /** Users there are from the start. */
  from: count.optional(),
  /** Users there are in the end. */
  to: count.optional(),
  /** Time over which they rise: `"30s"`. */
  over: someTime.optional(),
  /** Equal steps in which they come, each at its end; one after the other without it, or with `"none"`. */
  steps: z.union([count, noSteps], STEPS).optional(),
  /** For how long all of them stay. */
  hold: duration.refine((ms) => ms > 0, "expected a time longer than 0: the last user comes when it begins").optional(),
});
