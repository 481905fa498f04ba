import * as z from "zod";
import { DEFAULTS } from "../../config/defaults.js";

const MOST_THREADS = 1024;

/** What can be said about how wrk is run. */
export const wrkOptions = z.strictObject({
  /** Name of the program, or its path. */
  program: z.string().min(1).default(DEFAULTS.wrk.program),
  /** Threads, among which the connections of every level have to be divided without a rest. */
  threads: z.int().min(1).max(MOST_THREADS).default(DEFAULTS.wrk.threads),
});

/** Options of the engine, with their defaults. */
export type WrkOptions = z.output<typeof wrkOptions>;
