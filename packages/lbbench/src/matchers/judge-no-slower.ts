import { compare } from "../api/compare.js";
import { ConfigError } from "../config/config-error.js";
import { DEFAULTS } from "../config/defaults.js";
import { parseMargin } from "../config/parse-values.js";
import type { TargetPair } from "../judge/compare-pairs.js";
import type { Margins } from "../judge/compare-scales.js";
import { compareWithReference } from "../judge/compare-with-reference.js";
import type { Finding } from "../model/finding.js";
import type { Result } from "../model/result.js";
import { describeMargin } from "../report/compare-words.js";
import { describeComparison, type Compared } from "./describe-comparison.js";
import { shortTarget } from "./describe-doubts.js";
import { findBaseline } from "./find-baseline.js";
import { judgeWith } from "./judge-thresholds-met.js";
import type { Judgement } from "./judgement.js";
import { toResult } from "./measured.js";
import { selectPart } from "./part.js";
import type { Part } from "./part.js";

/** How a result is compared with a baseline, and which part of it. */
export interface NoSlowerOptions extends Part {
  /** Part by which throughput, p50 and p99 may be worse: `"5%"` or 0.05; 5 % by default. */
  readonly margin?: string | number;
  /** How much the share of failed requests may rise: `"0.1%"` or 0.001, which is the default. */
  readonly errorMargin?: string | number;
  /** Of two results: names of a target of the baseline and of that of the result to compare with it; by default those of the same name. */
  readonly targets?: readonly TargetPair[];
}

/**
 * Judges whether a result is worse than a baseline by no more than a margin, as `compare` does, and with a target of the same run
 * as `--margin` does, and more strictly: `yes` only where throughput (but of rates), p50 and p99 are each shown to be no worse at every
 * level. `no` where one of them was shown to be worse; `unknown` where the trials do not tell of all of them, where a side lacks a
 * level, where an error says that figures are false, and where requests fail more often without it being slower.
 *
 * Throws a `ConfigError` for what is no result, no baseline, no margin or no part of the result.
 */
export function judgeNoSlower(given: unknown, baseline: unknown, options: NoSlowerOptions = {}): Judgement {
  if (typeof options !== "object" || options === null) {
    throw new ConfigError(`Expected an object such as {margin: "10%"}, got ${JSON.stringify(options)}.`);
  }
  const { margin, errorMargin, targets: pairs, ...part } = options;
  const result = toResult(given);
  const margins: Margins = {
    margin: toMargin("margin", margin, DEFAULTS.margin),
    errorMargin: toMargin("errorMargin", errorMargin, DEFAULTS.errorMargin),
  };
  const found = findBaseline(baseline, result);
  const compared =
    "target" in found
      ? withTarget(result, found.target, { part, pairs, margins })
      : withResult(result, found.result, { part, pairs, margins });
  const name = "target" in found ? shortTarget(found.target) : "path" in found ? found.path : "the baseline";
  return describeComparison(compared, `be no slower than ${name} by more than ${describeMargin(margins)}`);
}

interface Asked {
  readonly part: Part;
  readonly pairs: readonly TargetPair[] | undefined;
  readonly margins: Margins;
}

/** Compares targets of one run, which were measured in turn. */
function withTarget(result: Result, reference: string, { part, pairs, margins }: Asked): Compared {
  if (pairs !== undefined) {
    throw new ConfigError("targets: expected none beside a target of the same result; target names those to compare.");
  }
  const names = result.scenario.targets.map(({ name }) => name).filter((name) => name !== reference);
  const others = part.target === undefined ? names : [part.target].flat();
  if (others.length === 0 || others.includes(reference)) {
    throw new ConfigError(
      `Expected another target to compare with "${reference}", ${others.length === 0 ? "and the result has no other" : "got itself"}.`,
    );
  }
  const chosen = selectPart(result, { ...part, target: [reference, ...others] });
  // What the targets of the run are compared with otherwise is not asked here.
  const asked = chosen.scenario.targets.map((target) => ({ ...target, references: [reference] }));
  const scenario = { ...chosen.scenario, reference, targets: asked };
  const { status, targets } = compareWithReference({ ...chosen, scenario }, margins);
  const [sides, runs] = [[chosen, chosen] as const, [result, result] as const];
  return { status, margins, targets, differences: [], errors: errorsOf(chosen), sides, runs };
}

function withResult(result: Result, baseline: Result, { part, pairs, margins }: Asked): Compared {
  const { target, ...levels } = part;
  const names = target === undefined ? undefined : [target].flat();
  if (names !== undefined && pairs !== undefined) {
    throw new ConfigError("Expected target or targets, got both.");
  }
  const sides = [selectPart(baseline, levels), selectPart(result, levels)] as const;
  const asked = pairs ?? names?.map((name) => [name, name] as const) ?? [];
  const { status, targets, differences } = compare(...sides, { ...margins, targets: asked });
  const errors = sides.flatMap((side, at) => {
    const own = targets.map(({ reference, other }) => (at === 0 ? reference : other));
    return errorsOf(own.length === 0 ? side : selectPart(side, { target: own }));
  });
  return { status, margins, targets, differences, errors, sides, runs: [baseline, result] };
}

function errorsOf(result: Result): readonly Finding[] {
  const { findings } = result.search === undefined ? judgeWith(result, []) : result.verdict;
  return findings.filter(({ severity }) => severity === "error");
}

function toMargin(name: string, given: string | number | undefined, otherwise: number): number {
  if (given === undefined) return otherwise;
  try {
    return parseMargin(String(given));
  } catch (error) {
    throw new ConfigError(`${name}: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
  }
}
