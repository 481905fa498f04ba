import type { Finding, Verdict } from "../model/finding.js";
import { groupBy } from "../stats/group-by.js";
import { plannedTrials } from "../stats/identity.js";
import {
  findUnanswered,
  intervalOf,
  isAnswered,
  type Open,
  type LevelJudgement,
  type ReferenceComparison,
  type TargetJudgement,
  worseOf,
} from "./compare-targets.js";
import { found, type Run, type Told } from "./found.js";
import { groupLevels, locate } from "./group-findings.js";
import { JUDGED_METRICS, SCALES, speedMetric, type Margins } from "./metrics.js";

/** Judges the targets of a run, as they compare, by the margin of its scenario; `pass` without one. Without a comparison nothing is known. */
export function judgeMargin({ scenario, steps }: Run, comparison: ReferenceComparison | undefined): Verdict {
  const { margin, errorMargin } = scenario;
  if (margin === null) return { status: "pass", findings: [] };
  if (comparison === undefined) return { status: "inconclusive", findings: [] };
  const planned = plannedTrials(scenario, steps);
  const findings = comparison.targets.flatMap((target) => judgeTarget(target, { margin, errorMargin }, planned));
  return { status: comparison.status, findings };
}

/**
 * The findings of one target by a margin; `planned` trials were asked for. What is worse: over several levels together, of each metric at its
 * levels, and by deaths; else, where something cannot be said, the reason that voids most trials.
 */
export function judgeTarget(target: TargetJudgement, margins: Margins, planned: number): readonly Finding[] {
  const { reference, other, levels, overall } = target;
  const { margin } = margins;
  const together =
    overall?.worse === "yes"
      ? found("WORSE_THAN_REFERENCE", "error", {
          target: other,
          reference,
          metric: overall.metric,
          change: overall.change,
          bound: overall.isAtLeast,
          ...overall.interval,
          margin,
          together: overall.levels,
        })
      : [];
  type Describe = (level: LevelJudgement) => Told<"WORSE_THAN_REFERENCE">;
  const worseAt = (those: readonly LevelJudgement[], describe: Describe): readonly Finding[] =>
    atLevels(other, those, (level) => found("WORSE_THAN_REFERENCE", "error", { reference, ...describe(level) }));
  const losses = JUDGED_METRICS.flatMap((metric) => {
    const scale = SCALES[metric];
    const sign = scale.worse === "higher" ? -1 : 1;
    // A recovery that did not come has no change, and is the worst.
    const changeAt = (level: LevelJudgement): number => level[metric]?.change ?? -sign * Number.MAX_VALUE;
    const worstFirst = levels
      .filter((level) => worseOf(level[metric]) === "yes")
      .toSorted((a, b) => sign * (changeAt(a) - changeAt(b)));
    return worseAt(worstFirst, ({ [metric]: figures }) => {
      // What of a change the doubts leave.
      const atLeast = figures?.kind === "tested" ? figures.atLeast : undefined;
      const change = atLeast ?? figures?.change ?? undefined;
      const allowed = Math.abs(scale.bound(margins));
      return { metric, change, bound: atLeast !== undefined, ...intervalOf(figures), margin: allowed };
    });
  });
  const dead = levels
    .filter(({ deaths }) => deaths !== undefined)
    .toSorted((a, b) => (b.deaths?.died ?? 0) - (a.deaths?.died ?? 0));
  const worse = [...together, ...losses, ...worseAt(dead, ({ deaths }) => ({ metric: "deaths", ...deaths }))];
  return worse.length > 0 || isAnswered(target) ? worse : findOpen(target, margin, planned);
}

/** One finding about several levels, with the figures of the first, which is the worst. */
function atLevels(
  target: string,
  levels: readonly LevelJudgement[],
  describe: (level: LevelJudgement) => readonly Finding[],
): readonly Finding[] {
  return groupLevels(levels.flatMap((judged) => locate({ target, level: judged.level, trial: 1 }, describe(judged))));
}

/** Why it cannot be said of most that decides: of as many the reason that is in most trials. */
function findOpen(target: TargetJudgement, margin: number, planned: number): readonly Finding[] {
  const { reference, other } = target;
  const levels = findUnanswered(target);
  const unknown = levels
    .flatMap((judged) => [judged[speedMetric(judged.level)], judged.errors])
    .flatMap((figures): readonly Open[] =>
      worseOf(figures) === "unknown" ? [figures?.open ?? { why: "WITHIN_NOISE" }] : [],
    );
  const reasons = [...groupBy<Open>(unknown, ({ why }) => why).values()].map((those) =>
    those.toSorted((a, b) => trialsOf(b) - trialsOf(a)),
  );
  const [those = []] = reasons.toSorted((a, b) => b.length - a.length || trialsOf(b[0]) - trialsOf(a[0]));
  const [most] = those;
  const needed = Math.max(0, ...those.map(({ trialsNeeded }) => trialsNeeded ?? 0));
  const args = {
    reference,
    margin,
    because: most?.why ?? "NOT_MEASURED",
    ...most?.doubtful,
    trialsNeeded: needed > 0 ? needed : undefined,
    planned: those.some(({ canResume }) => canResume) ? planned : undefined,
  };
  return atLevels(other, levels, () => found("COMPARISON_INCONCLUSIVE", "warning", args));
}

const trialsOf = (open: Open | undefined): number => open?.doubtful?.trials ?? 0;
