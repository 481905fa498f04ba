import { ConfigError } from "./config-error.js";
import type { ParsedSweepInput } from "./sweep-input.js";

/**
 * Throws a {@link ConfigError} when one of some settings was given that what is run has no use for.
 *
 * @param where why not, after "nothing of the kind": `in a ramp, which ...`.
 */
export function refuseSettings(
  input: ParsedSweepInput,
  settings: readonly (keyof ParsedSweepInput)[],
  where: string,
): void {
  const given = settings.find((name) => input[name] !== undefined);
  if (given !== undefined) throw new ConfigError(`${given}: expected nothing of the kind ${where}`);
}
