import { ConfigError, listWords, suggest } from "../config/config-error.js";
import { DEFAULTS } from "../config/defaults.js";
import type { TargetPair, ResultComparison } from "../judge/compare-results.js";
import { compareResults } from "../judge/compare-results.js";
import type { Result } from "../model/result.js";

/** How two results are compared. */
export interface CompareOptions {
  /** Part by which throughput and latencies may be worse, from 0 to below 1; 0.05 by default. */
  readonly margin?: number;
  /** How much the share of failed requests may rise, from 0 to below 1; 0.001 by default. */
  readonly errorMargin?: number;
  /** Names of a target of A and of the target of B to compare with it; by default those of the same name. */
  readonly targets?: readonly TargetPair[];
}

/**
 * Judges result B against result A: says for every target and level that both have whether B is worse beyond a margin,
 * and what cannot be compared and why. Prints nothing and reads no file: `readResult` does.
 *
 * Throws a `ConfigError` for a margin that is none and for a target that a result does not have.
 */
export function compare(a: Result, b: Result, options: CompareOptions = {}): ResultComparison {
  const { margin = DEFAULTS.margin, errorMargin = DEFAULTS.errorMargin, targets = [] } = options;
  for (const [name, value] of Object.entries({ margin, errorMargin })) {
    if (!(value >= 0 && value < 1)) {
      throw new ConfigError(`${name}: expected a part from 0 to below 1, such as 0.05 for 5 %, got ${value}`);
    }
  }
  for (const [left, right] of targets) {
    checkTarget(left, a, "A");
    checkTarget(right, b, "B");
  }
  return compareResults(a, b, { margin, errorMargin }, targets);
}

function checkTarget(name: string, { scenario }: Result, side: "A" | "B"): void {
  const names = scenario.targets.map((target) => target.name);
  if (!names.includes(name)) {
    throw new ConfigError(
      `targets (-t): expected a target of ${side} (${listWords(names)}), got "${name}".${suggest(name, names)}`,
    );
  }
}
