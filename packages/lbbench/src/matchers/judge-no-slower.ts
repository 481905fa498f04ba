import { compare } from "../api/compare.js";
import { ConfigError, insist, refuse } from "../config/config-error.js";
import { DEFAULTS } from "../config/defaults.js";
import { parseMargin } from "../config/parsers.js";
import type { ResultComparison, TargetPair } from "../judge/compare-results.js";
import { compareWithReference } from "../judge/compare-targets.js";
import { tellComparison } from "../judge/conclusions.js";
import type { Difference } from "../judge/differences.js";
import { judgeResult } from "../judge/judge-result.js";
import type { Margins } from "../judge/metrics.js";
import type { Result } from "../model/result.js";
import { describeDifferences, describeMargin } from "../report/compare-words.js";
import { describeFinding } from "../report/finding-text.js";
import { describeComparison } from "../report/headline.js";
import { plannedTrials } from "../stats/identity.js";
import { FEWEST_FOR_SPREAD } from "../stats/spread.js";
import { findBaseline, type Part, resultOf, selectPart } from "./asked.js";
import { askedOnly } from "./judge-run.js";
import { describeFound, findCut, findUnmeasured, type Judgement, remediesOf, shortTarget } from "./judgement.js";
import { isRecord } from "../stats/plain-data.js";

/** How a result is compared with a baseline, and which part of it. */
export interface NoSlowerOptions extends Part {
  /** Part by which throughput and latencies may be worse: `"5%"` or 0.05; 5 % by default. */
  readonly margin?: string | number;
  /** How much the share of failed requests may rise: `"0.1%"` or 0.001, which is the default. */
  readonly errorMargin?: string | number;
  /** Of two results: names of a target of the baseline and of that of the result to compare with it; by default those of the same name. */
  readonly targets?: readonly TargetPair[];
}

/**
 * Judges whether a result is worse than a baseline by no more than a margin, as `compare` does, and with a target of the same run
 * as `--margin` does: `yes` where the speed over all levels (throughput, of rates the mean latency) and the failed requests of each are
 * shown to be no worse. `no` where one of these, or a percentile at a level, was shown to be worse, or where it died; `unknown` where the
 * trials do not tell of speed or failures, where a side lacks a level, and where an error says that figures are false.
 *
 * Throws a `ConfigError` for a value that is no result, no baseline, no margin or no part of the result.
 */
export function judgeNoSlower(given: unknown, baseline: unknown, options: NoSlowerOptions = {}): Judgement {
  refuse(!isRecord(options) && `Expected an object such as {margin: "10%"}, got ${JSON.stringify(options)}.`);
  const result = resultOf(given);
  const found = findBaseline(baseline, result);
  const asked = {
    ...options,
    margin: toMargin("margin", options.margin, DEFAULTS.margin),
    errorMargin: toMargin("errorMargin", options.errorMargin, DEFAULTS.errorMargin),
  };
  const name = "target" in found ? shortTarget(found.target) : "path" in found ? found.path : "the baseline";
  const compared =
    "target" in found ? compareInRun(result, found.target, asked) : compareRuns(found.result, result, asked);
  return describeCompared(compared, asked, name);
}

function toMargin(name: string, given: string | number | undefined, otherwise: number): number {
  if (given === undefined) return otherwise;
  try {
    return parseMargin(String(given));
  } catch (error) {
    throw new ConfigError(`${name}: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
  }
}

type Asked = Omit<NoSlowerOptions, keyof Margins> & Margins;

/** Two sides that were compared. */
interface Compared extends Pick<ResultComparison, "status" | "targets" | "differences"> {
  /** The part of the results of the two sides that is asked about; a single one where they are targets of one run. */
  readonly sides: readonly Result[];
}

/** Compares targets of one run, which were measured in turn. */
function compareInRun(result: Result, reference: string, asked: Asked): Compared {
  const { margin, errorMargin, targets: pairs, ...part } = asked;
  insist(
    pairs === undefined,
    "targets: expected none beside a target of the same result; target names those to compare.",
  );
  const names = result.scenario.targets.map(({ name }) => name).filter((name) => name !== reference);
  const others = part.target === undefined ? names : [part.target].flat();
  refuse(
    others.length === 0 && `Expected another target to compare with "${reference}", and the result has no other.`,
    others.includes(reference) && `Expected another target to compare with "${reference}", got itself.`,
  );
  const chosen = selectPart(result, { ...part, target: [reference, ...others] });
  // What the targets of the run are compared with otherwise is not asked here.
  const targets = chosen.scenario.targets.map((target) => ({ ...target, references: [reference] }));
  const side = { ...chosen, scenario: { ...chosen.scenario, reference, targets } };
  return { ...compareWithReference(side, { margin, errorMargin }), differences: [], sides: [side] };
}

function compareRuns(baseline: Result, result: Result, asked: Asked): Compared {
  const { target, margin, errorMargin, targets, ...levels } = asked;
  refuse(target !== undefined && targets !== undefined && "Expected target or targets, got both.");
  const pairs = targets ?? (target === undefined ? [] : [target].flat().map((name): TargetPair => [name, name]));
  const [a, b] = [selectPart(baseline, levels), selectPart(result, levels)];
  const compared = compare(a, b, { margin, errorMargin, targets: pairs });
  const own = (side: Result, of: "reference" | "other"): Result =>
    compared.targets.length === 0 ? side : selectPart(side, { target: compared.targets.map((pair) => pair[of]) });
  return { ...compared, sides: [own(a, "reference"), own(b, "other")] };
}

/** Differences that leave a target or a level without a counterpart. */
const LACKS: ReadonlySet<Difference["code"]> = new Set([
  "TARGET_ONLY_IN_A",
  "TARGET_ONLY_IN_B",
  "LEVELS_ONLY_IN_A",
  "LEVELS_ONLY_IN_B",
]);

function describeCompared({ status, targets, differences, sides }: Compared, asked: Asked, name: string): Judgement {
  const hasOwnRuns = sides.length > 1;
  // Of a search the steps beyond its limit fail on purpose.
  const errors = sides
    .flatMap((side) => (side.search === undefined ? judgeResult(askedOnly(side, [])) : side.verdict).findings)
    .filter(({ severity }) => severity === "error");
  const cuts = sides.map((side, at) => findCut(side, hasOwnRuns && at === 0 ? "The run of the baseline" : "The run"));
  const unmeasured = sides.flatMap((side, at) =>
    findUnmeasured(side).lines.map((line) => (hasOwnRuns && at === 0 ? `The baseline: ${line}` : line)),
  );
  const lacks = [...describeDifferences(differences.filter(({ code }) => LACKS.has(code))), ...unmeasured];
  const prevents = differences.filter(({ effect, code }) => effect === "prevents" && !LACKS.has(code));
  const isWhole = lacks.length === 0 && cuts.every(({ lines }) => lines.length === 0);
  const isFalse = errors.some(({ code }) => code !== "TARGET_DIED");
  const isNoSlower = status === "pass" && isWhole && errors.length === 0;
  const answer = status === "fail" && !isFalse ? "no" : isNoSlower ? "yes" : "unknown";
  const trials = Math.min(...sides.map(({ scenario, steps }) => plannedTrials(scenario, steps)));
  const named = targets.map((pair) => ({
    ...pair,
    reference: hasOwnRuns ? "the baseline" : shortTarget(pair.reference),
    other: shortTarget(pair.other),
  }));
  const findings = tellComparison(named, asked, trials);
  const { worse, open, shown } = describeComparison(findings);
  const evidence = [...worse, ...shown];
  const lacking = findings.filter(({ code }) => code === "COMPARISON_INCONCLUSIVE");
  const needed = Math.max(0, ...lacking.map(({ args }) => Number(args["trialsNeeded"] ?? 0)));
  const doubts = [
    ...errors.map(describeFound),
    ...describeDifferences(prevents),
    ...lacks,
    ...(differences.length === 0 ? [] : ["A is the baseline, B the result."]),
    ...open,
    ...(targets.length === 0 ? ["No target of the two could be compared."] : []),
    ...cuts.flatMap(({ lines }) => lines),
  ];
  const notes = describeDifferences(differences.filter(({ effect }) => effect === "note")).map(
    (note) => `Note: ${note}`,
  );
  const cutRemedies = cuts.flatMap(({ remedies }) => remedies);
  const remedies = [
    ...(prevents.length > 0
      ? ["Measure both sides as two targets of one run, in turn, and name one of them as the baseline."]
      : []),
    ...(needed > 0
      ? [`Measure each side in ${Math.max(needed, FEWEST_FOR_SPREAD)} trials or more (trials, --trials).`]
      : []),
    ...(lacks.length > 0 && cutRemedies.length === 0
      ? [
          "Measure both sides at the same levels, or ask about what both have: target or targets, and connections or rate.",
        ]
      : cutRemedies.slice(0, 1)),
  ];
  const why = errors.length > 0 ? remediesOf(errors, sides.at(-1) ?? {}) : remedies;
  const code = answer === "no" ? "WORSE_THAN_REFERENCE" : "COMPARISON_INCONCLUSIVE";
  const { remedy } = describeFinding({ code, severity: "warning", args: {} });
  return {
    answer,
    asked: `be no slower than ${name} by more than ${describeMargin(asked)}`,
    evidence: answer === "unknown" ? evidence : [...evidence, ...notes],
    doubts,
    remedies: answer === "unknown" && why.length > 0 ? why : [remedy],
    expected: `worse by at most ${describeMargin(asked)}`,
    actual: evidence.join("; "),
  };
}
