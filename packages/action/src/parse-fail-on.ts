import { ConfigError } from "lbbench";
import type { Verdict } from "./verdict.js";

const FAILING: ReadonlyMap<string, Verdict> = new Map([
  ["fail", "fail"],
  ["inconclusive", "inconclusive"],
]);
const NONE = "never";

/** Reads the input `fail-on`: the verdicts that fail the step. Throws a `ConfigError` for a word that is none. */
export function parseFailOn(text: string): ReadonlySet<Verdict> {
  const words = text.split(/[\s,]+/).filter((word) => word !== "");
  if (words.length === 1 && words[0] === NONE) return new Set();
  const verdicts = words.flatMap((word) => FAILING.get(word) ?? []);
  if (words.length === 0 || verdicts.length < words.length) {
    throw new ConfigError(
      `fail-on: expected fail, inconclusive, both with a comma between them, or never, got "${text}".`,
    );
  }
  return new Set(verdicts);
}
