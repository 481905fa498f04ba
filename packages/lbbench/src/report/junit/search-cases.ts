import { decideSearch, findLimits } from "../../judge/judge-search.js";
import type { Result } from "../../model/result.js";
import { missOf } from "./miss-of-findings.js";
import type { Miss, TestCase } from "./test-case.js";

/** Makes a test case of what a search found for a target: `failure` when nothing held, `error` when it cannot be said. */
export function searchCases(result: Result, target: string): readonly TestCase[] {
  return (result.search ?? [])
    .filter((outcome) => outcome.target === target)
    .map((outcome) => {
      const kind = MISSES[decideSearch([], [outcome])];
      const miss = kind === undefined ? undefined : missOf(kind, findLimits(outcome).toReversed(), result);
      return { name: `largest load by ${outcome.by}`, timeMs: 0, ...(miss === undefined ? {} : { miss }) };
    });
}

const MISSES: Readonly<Record<Result["verdict"]["status"], Miss["kind"] | undefined>> = {
  pass: undefined,
  fail: "failure",
  inconclusive: "error",
};
