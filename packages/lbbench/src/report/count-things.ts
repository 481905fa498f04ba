import type { Figures } from "./finding-figures.js";

/** Names a figure of a finding with what it counts: `1 request`, `2,391 requests`; with a verb, `1 request was`, `3 requests were`. */
export function countThings(of: Figures, name: string, one: string, isPast = false): string {
  const isOne = of.number(name) === 1;
  return `${of.count(name)} ${one}${isOne ? "" : "s"}${isPast ? ` ${isOne ? "was" : "were"}` : ""}`;
}
