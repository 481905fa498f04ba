import type { StepResult } from "../model/result.js";
import type { Sides } from "./compare-metric.js";

/** In how many trials of a level a target died. */
export interface Deaths {
  readonly died: number;
  readonly trials: number;
}

/**
 * Returns how often the other target died at a level, where that was in most of its trials, and in none of the reference's, which
 * was measured there; else `undefined`. No test is needed to say that this is worse: nothing that stays up dies by noise in most
 * of its trials. Fewer deaths leave the figures in doubt and decide nothing; nor does a step that failed for another reason, which may
 * be the generator's or the machine's.
 */
export function findDeaths({ reference, other }: Sides): Deaths | undefined {
  const died = other.filter(hasDied).length;
  const isSound = reference.some(({ measurement }) => measurement !== undefined) && !reference.some(hasDied);
  return isSound && died > other.length / 2 ? { died, trials: other.length } : undefined;
}

function hasDied({ findings }: StepResult): boolean {
  return findings.some(({ code }) => code === "TARGET_DIED");
}
