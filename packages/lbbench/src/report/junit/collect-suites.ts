import type { Result } from "../../model/result.js";
import { groupBy } from "../../stats/group-by.js";
import { marginCases } from "./margin-cases.js";
import { searchCases } from "./search-cases.js";
import { stepCases } from "./step-cases.js";
import type { TestSuite } from "./test-case.js";
import { thresholdCases } from "./threshold-cases.js";
import { verdictCase } from "./verdict-case.js";

/**
 * Returns a suite for each target: its steps, its thresholds by level, its comparison with the reference by level. A suite for the
 * run has the verdict, so that the file says no less than the exit code.
 */
export function collectSuites(result: Result): readonly TestSuite[] {
  const steps = groupBy(result.steps, ({ target }) => target);
  const planned = result.scenario.targets.map(({ name }) => name);
  const suites = [...new Set([...planned, ...steps.keys()])].map((name) => {
    const ofTarget = steps.get(name) ?? [];
    const cases = [
      ...stepCases(result, ofTarget),
      ...thresholdCases(result, ofTarget),
      ...marginCases(result, name),
      ...searchCases(result, name),
    ];
    return { name, cases };
  });
  return [...suites.filter(({ cases }) => cases.length > 0), { name: "verdict", cases: [verdictCase(result)] }];
}
