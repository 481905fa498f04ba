import { judgeThresholds } from "../../judge/thresholds.js";
import type { Result, StepResult } from "../../model/result.js";
import { groupBy } from "../../stats/group-by.js";
import { levelKey } from "../../stats/identity.js";
import { missOf } from "./miss-of-findings.js";
import { namePlace } from "./name-place.js";
import type { Miss, TestCase } from "./test-case.js";

/**
 * Makes a test case of each threshold at each level of a target, over its trials. `failure`: it does not hold in one of them; `error`:
 * that cannot be said. None in a search, which goes by its thresholds to find a limit.
 */
export function thresholdCases(result: Result, steps: readonly StepResult[]): readonly TestCase[] {
  const { scenario } = result;
  if (scenario.search !== null) return [];
  return [...groupBy(steps, ({ level }) => levelKey(level)).values()].flatMap((trials) =>
    scenario.thresholds.map((threshold) => {
      const findings = judgeThresholds([threshold], trials);
      const miss: Miss | undefined =
        missOf(
          "failure",
          findings.filter(({ code }) => code === "THRESHOLD_FAILED"),
          result,
        ) ?? missOf("error", findings, result);
      const [first] = trials;
      const place = first === undefined ? "" : ` at ${namePlace(first.level)}`;
      return { name: `${threshold.source}${place}`, timeMs: 0, ...(miss === undefined ? {} : { miss }) };
    }),
  );
}
