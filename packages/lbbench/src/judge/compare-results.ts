import type { Result } from "../model/result.js";
import { isPreventing } from "./compare-difference.js";
import type { Difference } from "./compare-difference.js";
import { compareLevels, decideComparison } from "./compare-levels.js";
import type { TargetJudgement } from "./compare-levels.js";
import { compareMeasurements } from "./compare-measurements.js";
import { comparePair, pairTargets } from "./compare-pairs.js";
import type { TargetPair } from "./compare-pairs.js";
import { compareRuns } from "./compare-runs.js";
import type { Margins } from "./compare-scales.js";
import { pairLevels } from "./compare-trials-by-level.js";

/** Which run a result is of. */
export interface RunIdentity {
  readonly name: string;
  readonly startedAt: string;
  readonly tool: Result["tool"];
}

/** How result B compares with result A. */
export interface ResultComparison {
  /** `fail`: B is worse beyond a margin. `inconclusive`: of a target or a level it cannot be said. `pass`: neither. */
  readonly status: "pass" | "fail" | "inconclusive";
  readonly margins: Margins;
  readonly a: RunIdentity;
  readonly b: RunIdentity;
  /** In what the two differ beside their figures. Those that prevent come first. */
  readonly differences: readonly Difference[];
  /** The targets that were paired, A being the reference; in the order of A. */
  readonly targets: readonly TargetJudgement[];
}

/**
 * Compares result B with result A: paired targets, at the levels that both have, over their trials.
 *
 * Where machine, engine, request or load differ, there are figures and no judgement: stored figures are a reference only
 * for what was measured in the same way on the same machine; nor is a copy of A judged. What B has lost makes it `inconclusive`:
 * a target, unless `asked` leaves it out, or a level at which A was measured.
 *
 * @param asked pairs of names that both have; see `pairTargets` for what is paired without them.
 */
export function compareResults(
  a: Result,
  b: Result,
  margins: Margins,
  asked: readonly TargetPair[] = [],
): ResultComparison {
  const { pairs, differences: unpaired } = pairTargets(a.scenario, b.scenario, asked);
  const runs = [...compareRuns(a, b), ...unpaired];
  const compared = pairs.map((pair) => {
    const [{ name: reference }, { name: other }] = pair;
    const own = comparePair(a.scenario, b.scenario, pair);
    const { sides, differences } = pairLevels(a, b, [reference, other]);
    const measured = compareMeasurements({
      target: other,
      a: a.steps.filter(({ target }) => target === reference),
      b: b.steps.filter(({ target }) => target === other),
      isSameRun: a.startedAt === b.startedAt,
    });
    const prevented = [...runs, ...own, ...measured].find(isPreventing)?.code;
    const planned = Math.min(a.scenario.trials, b.scenario.trials);
    const levels = compareLevels(sides, margins, { planned, ...(prevented === undefined ? {} : { prevented }) });
    return { judgement: { reference, other, levels }, differences: [...own, ...differences, ...measured] };
  });
  const targets = compared.map(({ judgement }) => judgement);
  const differences = [...runs, ...compared.flatMap((one) => one.differences)];
  return {
    status: decide(targets, differences),
    margins,
    a: identify(a),
    b: identify(b),
    differences: differences.toSorted((one, two) => rank(one) - rank(two)),
    targets,
  };
}

/** Of a target or a level that B has lost nothing can be said, nor of what a run that was cut short would have shown. */
function decide(targets: readonly TargetJudgement[], differences: readonly Difference[]): ResultComparison["status"] {
  const status = decideComparison(targets);
  const isLacking = differences.some(({ code }) => LACKING.has(code));
  return status === "pass" && isLacking ? "inconclusive" : status;
}

const LACKING: ReadonlySet<Difference["code"]> = new Set(["TARGET_ONLY_IN_A", "LEVELS_ONLY_IN_A", "NOT_COMPLETE"]);

function identify({ scenario, startedAt, tool }: Result): RunIdentity {
  return { name: scenario.name, startedAt, tool: { name: tool.name, version: tool.version } };
}

function rank({ effect }: Difference): number {
  return effect === "prevents" ? 0 : 1;
}
