import type { ParsedSweepInput } from "./sweep-input.js";

type Headers = NonNullable<NonNullable<ParsedSweepInput["request"]>["headers"]>;

/** Puts headers over others: one of a name takes the place of all that have it, however it is spelled there. */
export function mergeHeaders(under: Headers | undefined, over: Headers | undefined): Headers | undefined {
  if (under === undefined || over === undefined) return over ?? under;
  const overridden = new Set(Object.keys(over).map((name) => name.toLowerCase()));
  const kept = Object.entries(under).filter(([name]) => !overridden.has(name.toLowerCase()));
  return { ...Object.fromEntries(kept), ...over };
}
