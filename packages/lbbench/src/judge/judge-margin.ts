import type { Finding, FindingArgs } from "../model/finding.js";
import type { Level } from "../model/level.js";
import type { Result, StepKey, StepResult } from "../model/result.js";
import { groupBy } from "../stats/group-by.js";
import { placeKey } from "../stats/identity.js";
import { loadOf, loadValue } from "../stats/load.js";
import { compareByScenario, findUnanswered, isAnswered } from "./compare-targets.js";
import type { LevelJudgement, MarginComparison, TargetJudgement } from "./compare-targets.js";
import { groupLevels } from "./group-findings.js";
import { JUDGED_METRICS, SCALES, speedMetric, speedsOf } from "./metrics.js";
import type { JudgedMetric, Margins } from "./metrics.js";

/** What comparing its targets makes of a run. */
interface ComparisonVerdict {
  readonly status: "pass" | "fail" | "inconclusive";
  readonly findings: readonly Finding[];
  /** What the trials do not tell from noise. */
  readonly notes: readonly Finding[];
}

/**
 * Compares the targets of a run, and judges them by the margin of its scenario; `pass` without one. For each target
 * `WORSE_THAN_REFERENCE` {reference, metric, change, low, high, margin} of each metric, or {metric: "deaths", died, trials}; else, where
 * something cannot be said, `COMPARISON_INCONCLUSIVE` {reference, margin, because, trialsNeeded?, planned?} with the most frequent reason;
 * and, as notes, {@link findWithinNoise}. Of a run under way there is nothing yet: to compare after each of its steps would take longer with every step.
 */
export function judgeComparison(
  run: Pick<Result, "scenario" | "steps"> & Partial<Pick<Result, "finishedAt">>,
): ComparisonVerdict {
  const { margin, errorMargin, trials } = run.scenario;
  if (run.finishedAt === null) return { status: margin === null ? "pass" : "inconclusive", findings: [], notes: [] };
  const { status, targets } = compareByScenario(run);
  const notes = findWithinNoise(targets, run.steps);
  if (margin === null) return { status: "pass", findings: [], notes };
  const findings = targets.flatMap((target) => judgeTarget(target, { margin, errorMargin }, trials));
  return { status, findings, notes };
}

/** The findings of one target by a margin, at all of its levels; `planned` trials were asked for. */
export function judgeTarget(target: TargetJudgement, margins: Margins, planned: number): readonly Finding[] {
  const worse = [
    ...JUDGED_METRICS.flatMap((metric) => findLosses(target, metric, SCALES[metric].bound(margins))),
    ...findDeadly(target),
  ];
  return worse.length > 0 || isAnswered(target) ? worse : findOpen(target, margins.margin, planned);
}

function findDeadly({ reference, other, levels }: TargetJudgement): readonly Finding[] {
  const dead = levels.filter(({ deaths }) => deaths !== undefined);
  return atLevels(other, dead, ({ deaths }) => ({
    code: "WORSE_THAN_REFERENCE",
    severity: "error",
    args: { reference, metric: "deaths", ...deaths },
  }));
}

function findLosses(
  { reference, other, levels }: TargetJudgement,
  metric: JudgedMetric,
  bound: number,
): readonly Finding[] {
  const sign = SCALES[metric].worse === "higher" ? -1 : 1;
  const worstFirst = levels
    .filter((level) => level[metric].worse === "yes")
    .toSorted((a, b) => sign * ((a[metric].change ?? 0) - (b[metric].change ?? 0)));
  return atLevels(other, worstFirst, ({ [metric]: { change, interval } }) => ({
    code: "WORSE_THAN_REFERENCE",
    severity: "error",
    args: { reference, metric, ...(change === null ? {} : { change }), ...interval, margin: Math.abs(bound) },
  }));
}

/** One finding about several levels, with the figures of the first. */
function atLevels(
  target: string,
  levels: readonly LevelJudgement[],
  describe: (level: LevelJudgement) => Finding,
): readonly Finding[] {
  const located = levels.map((level) => {
    const step: StepKey = { target, level: level.level, trial: 1 };
    return { step, finding: describe(level) };
  });
  return groupLevels(located);
}

function findOpen(target: TargetJudgement, margin: number, planned: number): readonly Finding[] {
  const { reference, other } = target;
  const levels = findUnanswered(target);
  const unknown = levels.flatMap((level) =>
    [...speedsOf(level.level), "errors" as const]
      .map((metric) => level[metric])
      .filter(({ worse }) => worse === "unknown"),
  );
  const reasons = [...groupBy(unknown, ({ reason }) => reason ?? "WITHIN_NOISE")];
  const [[because, those] = ["NOT_MEASURED", []]] = reasons.toSorted(([, a], [, b]) => b.length - a.length);
  const needed = Math.max(0, ...those.map(({ trialsNeeded }) => trialsNeeded ?? 0));
  const args = {
    reference,
    margin,
    because,
    ...(needed > 0 ? { trialsNeeded: needed } : {}),
    ...(those.some(({ canResume }) => canResume) ? { planned } : {}),
  };
  return atLevels(other, levels, () => ({ code: "COMPARISON_INCONCLUSIVE", severity: "warning", args }));
}

/** A change of the medians that nobody would call a gain or a loss. */
export const NEGLIGIBLE = 0.02;

/**
 * `WITHIN_NOISE` {target, reference, kind, metric, trials} for each target whose median lies above or below that of the reference at levels
 * where several trials do not tell the two apart: {higher, highest} and {lower, lowest} are those levels and the largest change there; of a
 * matrix with {higherRequests, lowerRequests}. `trials` is the fewest that a side has at one of them.
 */
function findWithinNoise(targets: readonly TargetJudgement[], steps: readonly StepResult[]): readonly Finding[] {
  const completed = groupBy(
    steps.filter(({ state }) => state === "completed"),
    placeKey,
  );
  return targets.flatMap(({ reference, other, levels }): readonly Finding[] => {
    const draws = levels.flatMap((row): readonly Draw[] => {
      const comparison = row[speedMetric(row.level)];
      const trials = [reference, other].map((target) => completed.get(placeKey({ target, level: row.level }))?.length);
      return isWithinNoise(comparison)
        ? [{ level: row.level, change: comparison.change ?? 0, trials: Math.min(...trials.map((count) => count ?? 0)) }]
        : [];
    });
    const [first] = draws;
    if (first === undefined) return [];
    const isMatrix = new Set(levels.flatMap(({ level }) => level.requests ?? [])).size > 1;
    const args = {
      target: other,
      reference,
      kind: loadOf(first.level).kind,
      metric: speedMetric(first.level),
      trials: Math.min(...draws.map(({ trials }) => trials)),
      ...nameDraws("higher", "highest", { draws: draws.filter(({ change }) => change > 0), isMatrix }),
      ...nameDraws("lower", "lowest", { draws: draws.filter(({ change }) => change < 0), isMatrix }),
    };
    return [{ code: "WITHIN_NOISE", severity: "info", args }];
  });
}

/** Whether a comparison is one that `WITHIN_NOISE` speaks of. */
export function isWithinNoise({
  verdict,
  reason,
  change,
}: Pick<MarginComparison, "verdict" | "change" | "reason">): boolean {
  const isTried = reason === undefined || reason === "TOO_FEW_TRIALS" || reason === "WITHIN_NOISE";
  return verdict === "~" && isTried && change !== null && Math.abs(change) >= NEGLIGIBLE;
}

interface Draw {
  readonly level: Level;
  readonly change: number;
  readonly trials: number;
}

function nameDraws(
  where: string,
  size: string,
  { draws, isMatrix }: { readonly draws: readonly Draw[]; readonly isMatrix: boolean },
): FindingArgs {
  if (draws.length === 0) return {};
  const changes = draws.map(({ change }) => change).toSorted((a, b) => Math.abs(b) - Math.abs(a));
  return {
    [where]: joinNumbers(draws.map(({ level }) => loadValue(level))),
    ...(isMatrix ? { [`${where}Requests`]: joinNumbers(draws.flatMap(({ level }) => level.requests ?? [])) } : {}),
    [size]: changes[0] ?? 0,
  };
}

/** Each once, from the lowest to the highest. */
function joinNumbers(numbers: readonly number[]): string {
  return [...new Set(numbers)].toSorted((a, b) => a - b).join(", ");
}
