import * as z from "zod";
import { DEFAULTS } from "../../config/defaults.js";

/** What can be said about how ab is run. */
export const abOptions = z.strictObject({
  /** Name of the program, or its path. */
  program: z.string().min(1).default(DEFAULTS.ab.program),
});
