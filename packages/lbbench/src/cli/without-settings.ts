import type { ParsedSweepInput } from "../index.js";

/** Leaves settings out of an input: a config file may be that of other commands as well. */
export function withoutSettings(
  input: ParsedSweepInput,
  settings: readonly (keyof ParsedSweepInput)[],
): ParsedSweepInput {
  return Object.fromEntries(Object.entries(input).filter(([name]) => !settings.some((one) => one === name)));
}
