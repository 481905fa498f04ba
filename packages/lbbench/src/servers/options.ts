import { parseHandler } from "@lbbench/backends/options";
import * as z from "zod";
import { DEFAULTS } from "../config/defaults.js";

/** Option `handler` of the sample servers: a spec that the backends understand, kept as its text. */
export const handlerOption = z
  .string()
  .superRefine((spec, context) => {
    try {
      parseHandler(spec);
    } catch (error) {
      context.addIssue({
        code: "custom",
        message: error instanceof Error ? error.message : String(error),
        input: spec,
      });
    }
  })
  .default(DEFAULTS.handler);

/** Option `port`: 0 takes any free one. */
export const portOption = z.int().min(0).max(65_535).default(0);

const MOST_PROCESSES = 256;

/** An option that is a number of processes. */
export const processesOption = z.int().min(1).max(MOST_PROCESSES);

/** Option `template`: a file of the user's from which a program's configuration is rendered. */
export const templateOption = z.string().trim().min(1).optional();

/** Option `program`: the name of a program, or its path. */
export const programOption = z.string().trim().min(1);
