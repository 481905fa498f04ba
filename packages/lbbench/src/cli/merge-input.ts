import type { ParsedSweepInput } from "../index.js";

/**
 * Puts what the command line says over what the config file says. Targets named on the command line are looked up in the
 * file first; `-n` there takes the place of a duration in the file, and the other way round.
 */
export function mergeInput(
  file: ParsedSweepInput,
  flags: ParsedSweepInput,
  targets: readonly string[],
): ParsedSweepInput {
  const { requests, duration, ...rest } = file;
  const amount = flags.requests === undefined && flags.duration === undefined ? { requests, duration } : {};
  const merged = {
    ...rest,
    ...amount,
    ...flags,
    ...(file.request === undefined && flags.request === undefined
      ? {}
      : { request: { ...file.request, ...flags.request } }),
    ...(targets.length === 0 ? {} : { targets: targets.map((word) => named(word, file)) }),
  };
  return Object.fromEntries(Object.entries(merged).filter(([, value]) => value !== undefined));
}

function named(word: string, { targets = [] }: ParsedSweepInput): NonNullable<ParsedSweepInput["targets"]>[number] {
  return targets.find((target) => typeof target !== "string" && target.name === word) ?? word;
}
