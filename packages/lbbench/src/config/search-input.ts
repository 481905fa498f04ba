import * as z from "zod";
import { count } from "./input-values.js";

const FACTOR = "expected a number above 1, such as 1.25";
const RATIO = "expected a ratio of at least 0 and below 1, such as 0.02";

/** How the largest load that holds is searched. */
export const searchInputSchema = z.strictObject({
  /** What is searched for: the largest number of connections, or the largest rate. */
  by: z.enum(["connections", "rate"]).optional(),
  /** The first value that is tried. */
  start: count.optional(),
  /** By what a value that held is multiplied for the next one. */
  growth: z.number(FACTOR).gt(1, FACTOR).optional(),
  /** The largest value that is tried. */
  most: count.optional(),
  /** How far apart what held and what did not may be in the end, as a ratio. */
  resolution: z.number(RATIO).min(0, RATIO).lt(1, RATIO).optional(),
  /** How many of the trials of a level have to hold; more than half by default. */
  needed: count.optional(),
  /** By what the largest value that held is multiplied for a run beyond it: `1.25`. */
  beyond: z.number(FACTOR).gt(1, FACTOR).optional(),
});
