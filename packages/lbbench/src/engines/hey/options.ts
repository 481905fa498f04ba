import * as z from "zod";
import { DEFAULTS } from "../../config/defaults.js";

const MOST_CPUS = 1024;

/** What can be said about how hey is run. */
export const heyOptions = z.strictObject({
  /** Name of the program, or its path. */
  program: z.string().min(1).default(DEFAULTS.hey.program),
  /** Cores that it may use at a time (`-cpus`); all that there are without this, as hey does. */
  cpus: z.int().min(1).max(MOST_CPUS).optional(),
});

/** Options of the engine, with their defaults. */
export type HeyOptions = z.output<typeof heyOptions>;
