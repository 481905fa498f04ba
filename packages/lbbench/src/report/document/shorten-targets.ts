import type { Finding } from "../../model/finding.js";
import type { Result } from "../../model/result.js";
import { shortenName } from "../plain-line.js";

/** Longer names would make a sentence hard to read. */
const LONGEST_NAME = 60;

/**
 * Returns a result with the names of its targets shortened wherever they are long; the same one if none is. Names that would be
 * alike when shortened stay as they are.
 */
export function shortenTargets(result: Result): Result {
  const names = result.scenario.targets.map(({ name }) => name);
  const short = names.map((name) => (Array.from(name).length > LONGEST_NAME ? shortenName(name, LONGEST_NAME) : name));
  if (short.every((name, at) => name === names[at]) || new Set(short).size < names.length) return result;
  const byName = new Map(names.map((name, at) => [name, short[at] ?? name]));
  const rename = (name: string): string => byName.get(name) ?? name;
  const renameFinding = (finding: Finding): Finding => ({
    ...finding,
    args: Object.fromEntries(
      Object.entries(finding.args).map(([key, value]) => [key, typeof value === "string" ? rename(value) : value]),
    ),
  });
  const { scenario, steps, search, verdict } = result;
  return {
    ...result,
    scenario: {
      ...scenario,
      targets: scenario.targets.map((target) => ({
        ...target,
        name: rename(target.name),
        ...(target.references === undefined ? {} : { references: target.references.map(rename) }),
      })),
      reference: scenario.reference === null ? null : rename(scenario.reference),
    },
    steps: steps.map((step) => ({ ...step, target: rename(step.target), findings: step.findings.map(renameFinding) })),
    ...(search === undefined
      ? {}
      : { search: search.map((outcome) => ({ ...outcome, target: rename(outcome.target) })) }),
    verdict: { ...verdict, findings: verdict.findings.map(renameFinding) },
  };
}
