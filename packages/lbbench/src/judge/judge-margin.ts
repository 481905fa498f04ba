import type { Finding, FindingArgs, Verdict } from "../model/finding.js";
import type { Level } from "../model/level.js";
import type { Result, StepResult } from "../model/result.js";
import { groupBy } from "../stats/group-by.js";
import { placeKey, plannedTrials } from "../stats/identity.js";
import { loadOf, loadValue } from "../stats/load.js";
import {
  compareByScenario,
  findUnanswered,
  isAnswered,
  metricsAsked,
  type LevelJudgement,
  type MarginComparison,
  type TargetJudgement,
} from "./compare-targets.js";
import { groupLevels, isMatrix, listNumbers } from "./group-findings.js";
import { JUDGED_METRICS, SCALES, speedMetric, type Margins } from "./metrics.js";
import { found } from "./step-rule.js";

/** Compares the targets of a run, and judges them by the margin of its scenario; `pass` without one. */
export function judgeComparison(run: Pick<Result, "scenario" | "steps"> & Partial<Pick<Result, "finishedAt">>): {
  readonly status: Verdict["status"];
  readonly findings: readonly Finding[];
  /** What the trials do not tell from noise. */
  readonly notes: readonly Finding[];
} {
  const { margin, errorMargin } = run.scenario;
  // To compare after each step of a run under way would take longer with every step.
  if (run.finishedAt === null) return { status: margin === null ? "pass" : "inconclusive", findings: [], notes: [] };
  const { status, targets } = compareByScenario(run);
  const notes = findWithinNoise(targets, run.steps);
  if (margin === null) return { status: "pass", findings: [], notes };
  const findings = targets.flatMap((target) =>
    judgeTarget(target, { margin, errorMargin }, plannedTrials(run.scenario, run.steps)),
  );
  return { status, findings, notes };
}

/**
 * The findings of one target by a margin; `planned` trials were asked for. `WORSE_THAN_REFERENCE` {reference, metric, change, low, high,
 * margin, together} over so many levels together, without `together` of each metric at its levels, or {metric: "deaths", died, trials}; else, where something cannot be said,
 * `COMPARISON_INCONCLUSIVE` {reference, margin, because, trials?, of?, trialsNeeded?, planned?} with the reason that voids most trials.
 */
export function judgeTarget(target: TargetJudgement, margins: Margins, planned: number): readonly Finding[] {
  const { reference, other, levels, overall } = target;
  const worseAt = (those: readonly LevelJudgement[], describe: (level: LevelJudgement) => FindingArgs) =>
    atLevels(other, those, (level) => found("WORSE_THAN_REFERENCE", "error", { reference, ...describe(level) }));
  const together =
    overall?.worse === "yes"
      ? found("WORSE_THAN_REFERENCE", "error", {
          target: other,
          reference,
          metric: overall.metric,
          change: overall.change,
          ...overall.interval,
          margin: margins.margin,
          together: overall.levels,
        })
      : [];
  const losses = JUDGED_METRICS.flatMap((metric) => {
    const scale = SCALES[metric];
    const sign = scale.worse === "higher" ? -1 : 1;
    // A recovery that did not come has no change, and is the worst.
    const changeAt = (level: LevelJudgement): number => level[metric]?.change ?? -sign * Number.MAX_VALUE;
    const worstFirst = levels
      .filter((level) => level[metric]?.worse === "yes")
      .toSorted((a, b) => sign * (changeAt(a) - changeAt(b)));
    const margin = Math.abs(scale.bound(margins));
    return worseAt(worstFirst, ({ [metric]: { change = null, interval = null } = {} }) => ({
      metric,
      ...(change === null ? {} : { change }),
      ...interval,
      margin,
    }));
  });
  const dead = levels.filter(({ deaths }) => deaths !== undefined);
  const worse = [...together, ...losses, ...worseAt(dead, ({ deaths }) => ({ metric: "deaths", ...deaths }))];
  return worse.length > 0 || isAnswered(target) ? worse : findOpen(target, margins.margin, planned);
}

/** One finding about several levels, with the figures of the first. */
function atLevels(
  target: string,
  levels: readonly LevelJudgement[],
  describe: (level: LevelJudgement) => readonly Finding[],
): readonly Finding[] {
  const located = levels.flatMap((judged) =>
    describe(judged).map((finding) => ({ step: { target, level: judged.level, trial: 1 }, finding })),
  );
  return groupLevels(located);
}

function findOpen(target: TargetJudgement, margin: number, planned: number): readonly Finding[] {
  const { reference, other } = target;
  const levels = findUnanswered(target);
  const unknown = levels.flatMap(metricsAsked).filter(({ worse }) => worse === "unknown");
  const reasons = [...groupBy(unknown, ({ reason }) => reason ?? "WITHIN_NOISE")].map(([because, those]) => {
    const [most] = those.toSorted((a, b) => (b.doubtful?.trials ?? 0) - (a.doubtful?.trials ?? 0));
    return { because, those, doubtful: most?.doubtful };
  });
  const [{ because, those, doubtful } = { because: "NOT_MEASURED", those: [], doubtful: undefined }] = reasons.toSorted(
    (a, b) => b.those.length - a.those.length || (b.doubtful?.trials ?? 0) - (a.doubtful?.trials ?? 0),
  );
  const needed = Math.max(0, ...those.map(({ trialsNeeded }) => trialsNeeded ?? 0));
  const args = {
    reference,
    margin,
    because,
    ...doubtful,
    ...(needed > 0 ? { trialsNeeded: needed } : {}),
    ...(those.some(({ canResume }) => canResume) ? { planned } : {}),
  };
  return atLevels(other, levels, () => found("COMPARISON_INCONCLUSIVE", "warning", args));
}

/** A change of the medians that nobody would call a gain or a loss. */
const NEGLIGIBLE = 0.02;

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
  return targets.flatMap(({ reference, other, levels, overall }): readonly Finding[] => {
    // What all levels together tell is no noise.
    if (overall !== undefined && overall.verdict !== "~") return [];
    const draws = levels.flatMap((row): readonly Draw[] => {
      const { [speedMetric(row.level)]: comparison, level } = row;
      const trials = [reference, other].map((target) => completed.get(placeKey({ target, level }))?.length ?? 0);
      return comparison && isWithinNoise(comparison)
        ? [{ level, change: comparison.change ?? 0, trials: Math.min(...trials) }]
        : [];
    });
    const [first] = draws;
    if (first === undefined) return [];
    const ofMatrix = isMatrix(levels.map(({ level }) => level));
    const ofSide = (where: "higher" | "lower", size: "highest" | "lowest", sign: number): FindingArgs => {
      const [largest, ...others] = draws
        .filter(({ change }) => change * sign > 0)
        .toSorted((a, b) => Math.abs(b.change) - Math.abs(a.change));
      if (largest === undefined) return {};
      const those = [largest, ...others].map(({ level }) => level);
      const amounts = listNumbers(those.flatMap(({ requests }) => requests ?? []));
      return {
        [where]: listNumbers(those.map(loadValue)),
        ...(ofMatrix ? { [`${where}Requests`]: amounts } : {}),
        [size]: largest.change,
      };
    };
    return found("WITHIN_NOISE", "info", {
      target: other,
      reference,
      kind: loadOf(first.level).kind,
      metric: speedMetric(first.level),
      trials: Math.min(...draws.map(({ trials }) => trials)),
      ...ofSide("higher", "highest", 1),
      ...ofSide("lower", "lowest", -1),
    });
  });
}

/** Whether a comparison is one that `WITHIN_NOISE` speaks of. */
export function isWithinNoise({ verdict, reason, change }: MarginComparison): boolean {
  const isTried = reason === undefined || reason === "TOO_FEW_TRIALS" || reason === "WITHIN_NOISE";
  return verdict === "~" && isTried && change !== null && Math.abs(change) >= NEGLIGIBLE;
}

interface Draw {
  readonly level: Level;
  readonly change: number;
  readonly trials: number;
}
