import type { Finding, FindingArgs } from "../model/finding.js";
import type { Result, StepKey } from "../model/result.js";
import { groupBy } from "../stats/group-by.js";
import type { MarginComparison } from "./compare-by-margin.js";
import { findUnanswered, isAnswered } from "./compare-levels.js";
import type { LevelJudgement, TargetJudgement } from "./compare-levels.js";
import type { JudgedMetric } from "./compare-scales.js";
import { SCALES } from "./compare-scales.js";
import { compareWithReference } from "./compare-with-reference.js";
import { groupFindings } from "./group-findings.js";

/** What a margin makes of a run. */
export interface MarginVerdict {
  readonly status: "pass" | "fail" | "inconclusive";
  readonly findings: readonly Finding[];
}

const METRICS: readonly JudgedMetric[] = ["throughput", "p50", "p99", "errors"];

/**
 * Judges the targets of a run by the margin of its scenario, as `compareWithReference` does; `pass` without one. For each target
 * `WORSE_THAN_REFERENCE` {reference, metric, change, low, high, margin} with the figures of the worst level, one for each metric, and
 * {reference, metric: "deaths", died, trials} where it died; else, where at some level nothing can be said of it,
 * `COMPARISON_INCONCLUSIVE` {reference, margin, because, trialsNeeded?, planned?}, `because` being the most frequent reason there and
 * `planned` the trials of a run that was cut short. All with {target, levels}, and `connections` (or `rate`, `users`).
 *
 * A run that is still under way is not compared after each of its steps, which would take longer with every step: `inconclusive`.
 */
export function judgeMargin({
  scenario,
  steps,
  finishedAt,
}: Pick<Result, "scenario" | "steps"> & Partial<Pick<Result, "finishedAt">>): MarginVerdict {
  const { margin, errorMargin } = scenario;
  if (margin === null) {
    return { status: "pass", findings: [] };
  }
  if (finishedAt === null) {
    return { status: "inconclusive", findings: [] };
  }
  const margins = { margin, errorMargin };
  const { status, targets } = compareWithReference({ scenario, steps }, margins);
  const findings = targets.flatMap((target) => {
    const worse = [
      ...METRICS.flatMap((metric) => findWorse(target, metric, SCALES[metric].bound(margins))),
      ...findDeadly(target),
    ];
    return worse.length > 0 || isAnswered(target) ? worse : describeUnknown(target, margin, scenario.trials);
  });
  return { status, findings };
}

function findDeadly({ reference, other, levels }: TargetJudgement): readonly Finding[] {
  const dead = levels.filter(({ deaths }) => deaths !== undefined);
  return atLevels(other, dead, ({ deaths }) => ({
    code: "WORSE_THAN_REFERENCE",
    severity: "error",
    args: { reference, metric: "deaths", ...deaths },
  }));
}

function findWorse(
  { reference, other, levels }: TargetJudgement,
  metric: JudgedMetric,
  bound: number,
): readonly Finding[] {
  const worse = levels.filter((level) => level[metric].worse === "yes");
  const sign = SCALES[metric].worse === "higher" ? -1 : 1;
  const worstFirst = worse.toSorted((a, b) => sign * ((a[metric].change ?? 0) - (b[metric].change ?? 0)));
  return atLevels(other, worstFirst, (level) => ({
    code: "WORSE_THAN_REFERENCE",
    severity: "error",
    args: { reference, metric, ...sizeOf(level[metric]), margin: Math.abs(bound) },
  }));
}

function sizeOf({ change, interval }: MarginComparison): FindingArgs {
  return {
    ...(change === null ? {} : { change }),
    ...(interval === null ? {} : { low: interval.low, high: interval.high }),
  };
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
  return groupFindings(located).map(({ args, ...finding }) => {
    // Of all trials of a level, not of one step.
    const { steps: _steps, trial: _trial, alike: _alike, ...figures } = args;
    return { ...finding, args: figures };
  });
}

function describeUnknown(target: TargetJudgement, margin: number, planned: number): readonly Finding[] {
  const { reference, other } = target;
  const levels = findUnanswered(target);
  // Failed requests are counted whatever the trials are, and the reason is asked of what is not known.
  const unknown = levels.flatMap((level) =>
    [level.throughput, level.p50, level.p99].filter(({ worse }) => worse === "unknown"),
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
