import { sweepInputSchema, type ParsedSweepInput } from "../config/sweep-input.js";
import { validate, type NamePlace } from "../config/validate.js";

/**
 * Checks what a sweep is asked to do and reads its lists, times and thresholds. Throws a `ConfigError` that names the
 * place, what was expected and what came.
 *
 * @param where what the input is, `lbbench.config.json`, or how its places are called.
 */
export function parseSweepInput(input: unknown, where: string | NamePlace): ParsedSweepInput {
  return validate(sweepInputSchema, input, where);
}
