import * as z from "zod";
import { name, options } from "./input-values.js";

const target = z.strictObject({
  name,
  server: z.string(),
  options: options.optional(),
  /**
   * Values of options to combine: `{pool: [8, 16], queue: [10, 20]}` makes four targets. An option inside another is named
   * with dots: `backends.0.options.pool`.
   */
  grid: z.record(z.string(), z.array(z.unknown()).min(1)).optional(),
  /** What loads this target, where the engine of the scenario does not: a name, or a name with options. */
  engine: z.union([z.string(), z.strictObject({ name: z.string(), options: options.optional() })]).optional(),
  /** Name of the target that this one is compared with, or several, where that is not the `reference` of the scenario. */
  reference: z.union([z.string(), z.array(z.string()).min(1)]).optional(),
});

/** Names of built-in servers, URLs, or targets with a server and its options. */
export const targetInputsSchema = z
  .array(z.union([z.string(), target], "expected the name of a server, a URL, or an object with name and server"))
  .min(1);
