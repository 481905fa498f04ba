import type { Finding, FindingArgs, Verdict } from "../model/finding.js";
import type { Result } from "../model/result.js";
import { groupBy } from "../stats/group-by.js";
import { plannedTrials } from "../stats/identity.js";
import {
  findUnanswered,
  intervalOf,
  isAnswered,
  isWorseIn,
  metricsAsked,
  type Open,
  type LevelJudgement,
  type MarginComparison,
  type ReferenceComparison,
  type TargetJudgement,
  worseOf,
} from "./compare-targets.js";
import { groupLevels } from "./group-findings.js";
import { JUDGED_METRICS, SCALES, type Margins } from "./metrics.js";
import { found } from "./step-rule.js";
import { defined } from "../stats/defined.js";

/** Judges the targets of a run, as they compare, by the margin of its scenario; `pass` without one. Without a comparison nothing is known. */
export function judgeMargin(
  { scenario, steps }: Pick<Result, "scenario" | "steps">,
  comparison: ReferenceComparison | undefined,
): Verdict {
  const { margin, errorMargin } = scenario;
  if (margin === null) return { status: "pass", findings: [] };
  if (comparison === undefined) return { status: "inconclusive", findings: [] };
  const planned = plannedTrials(scenario, steps);
  const findings = comparison.targets.flatMap((target) => judgeTarget(target, { margin, errorMargin }, planned));
  return { status: comparison.status, findings };
}

/**
 * The findings of one target by a margin; `planned` trials were asked for. `WORSE_THAN_REFERENCE` {reference, metric, change, bound, low, high,
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
          ...defined({ bound: overall.isAtLeast ? 1 : undefined }),
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
      .filter((level) => isWorseIn(level, metric))
      .toSorted((a, b) => sign * (changeAt(a) - changeAt(b)));
    const margin = Math.abs(scale.bound(margins));
    return worseAt(worstFirst, ({ [metric]: figures }) => ({
      metric,
      ...changeOf(figures),
      ...intervalOf(figures),
      margin,
    }));
  });
  const dead = levels.filter(({ deaths }) => deaths !== undefined);
  const worse = [...together, ...losses, ...worseAt(dead, ({ deaths }) => ({ metric: "deaths", ...deaths }))];
  return worse.length > 0 || isAnswered(target) ? worse : findOpen(target, margins.margin, planned);
}

/** The change of a metric, or with {bound: 1} what of it the doubts leave. */
function changeOf(figures: MarginComparison | undefined): FindingArgs {
  if (figures?.kind === "tested" && figures.atLeast !== undefined) return { change: figures.atLeast, bound: 1 };
  return typeof figures?.change === "number" ? { change: figures.change } : {};
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
  const unknown = levels
    .flatMap(metricsAsked)
    .flatMap((figures): readonly Open[] =>
      worseOf(figures) === "unknown" ? [figures.open ?? { why: "WITHIN_NOISE" }] : [],
    );
  const reasons = [...groupBy<Open>(unknown, ({ why }) => why)].map(([because, those]) => {
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
    ...defined({
      trialsNeeded: needed > 0 ? needed : undefined,
      planned: those.some(({ canResume }) => canResume) ? planned : undefined,
    }),
  };
  return atLevels(other, levels, () => found("COMPARISON_INCONCLUSIVE", "warning", args));
}
