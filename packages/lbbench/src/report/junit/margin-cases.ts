import { findUnanswered, type LevelJudgement, type TargetJudgement } from "../../judge/compare-targets.js";
import type { JudgedMetric } from "../../judge/metrics.js";
import { SCALES } from "../../judge/metrics.js";
import type { Finding, FindingArgs } from "../../model/finding.js";
import type { Result } from "../../model/result.js";
import { loadOf } from "../../stats/load.js";
import { describeMargin } from "../compare-words.js";
import { compareOf } from "../reference-comparison.js";
import { missOf } from "./miss-of-findings.js";
import { namePlace } from "./name-place.js";
import type { Miss, TestCase } from "./test-case.js";

const METRICS: readonly JudgedMetric[] = ["throughput", "p50", "p99", "errors"];

/**
 * Makes a test case of each level at which a target is compared with the reference by a margin. `failure`: it is worse in some metric,
 * or died; `error`: that cannot be said; `skipped`: the reference was not measured there. None without a margin, and none for the
 * reference.
 */
export function marginCases(result: Result, target: string): readonly TestCase[] {
  const { margin, errorMargin } = result.scenario;
  if (margin === null) return [];
  return compareOf(result)
    .targets.filter(({ other }) => other === target)
    .flatMap((judgement) => {
      const unanswered = new Set(findUnanswered(judgement));
      return judgement.levels.map((level) => {
        const miss =
          missOf("failure", findWorse(judgement, level, { margin, errorMargin }), result) ??
          (unanswered.has(level) ? missOf("error", [describeUnknown(judgement, level, margin)], result) : undefined) ??
          missOfUnmeasured(judgement, level);
        return {
          name: `not worse than ${judgement.reference} by more than ${describeMargin({ margin })} at ${namePlace(level.level)}`,
          timeMs: 0,
          ...(miss === undefined ? {} : { miss }),
        };
      });
    });
}

function findWorse(
  { reference, other }: TargetJudgement,
  level: LevelJudgement,
  margins: { readonly margin: number; readonly errorMargin: number },
): readonly Finding[] {
  const worse = (args: FindingArgs): Finding => ({
    code: "WORSE_THAN_REFERENCE",
    severity: "error",
    args: { reference, ...args, ...placeOf(other, level) },
  });
  const ofMetrics = METRICS.filter((metric) => level[metric].worse === "yes").map((metric) => {
    const { change, interval } = level[metric];
    return worse({
      metric,
      ...(change === null ? {} : { change }),
      ...(interval === null ? {} : { low: interval.low, high: interval.high }),
      margin: Math.abs(SCALES[metric].bound(margins)),
    });
  });
  return level.deaths === undefined ? ofMetrics : [worse({ metric: "deaths", ...level.deaths }), ...ofMetrics];
}

function describeUnknown({ reference, other }: TargetJudgement, level: LevelJudgement, margin: number): Finding {
  const unknown = [level.throughput, level.p50, level.p99].find(({ worse }) => worse === "unknown");
  return {
    code: "COMPARISON_INCONCLUSIVE",
    severity: "warning",
    args: {
      reference,
      margin,
      because: unknown?.reason ?? "NOT_MEASURED",
      ...(unknown?.trialsNeeded === undefined ? {} : { trialsNeeded: unknown.trialsNeeded }),
      ...placeOf(other, level),
    },
  };
}

function placeOf(target: string, { level }: LevelJudgement): FindingArgs {
  const { kind, value } = loadOf(level);
  return { target, levels: String(value), [kind]: value };
}

function missOfUnmeasured({ reference }: TargetJudgement, { throughput }: LevelJudgement): Miss | undefined {
  if (throughput.reference !== null) return undefined;
  return { kind: "skipped", type: "NOT_MEASURED", message: `${reference} was not measured at this level.` };
}
