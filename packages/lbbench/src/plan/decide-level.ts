import { judgeTrial } from "../judge/judge-trial.js";
import type { StepResult } from "../model/result.js";
import type { Scenario } from "../model/scenario.js";
import type { Decision, Search, TriedLevel } from "../model/search.js";

/**
 * Says what the trials of one level decide: it held when as many held as are needed, and did not when that cannot come any
 * more, so that trials which cannot change it are not made.
 *
 * @param steps of one target and level.
 */
export function decideLevel(
  value: number,
  steps: readonly StepResult[],
  { trials, thresholds }: Pick<Scenario, "trials" | "thresholds">,
  { needed }: Search,
): TriedLevel {
  const outcomes = steps.map((step) => judgeTrial(step, thresholds));
  const count = (what: Decision): number => outcomes.filter(({ outcome }) => outcome === what).length;
  const [held, broken, unclear] = [count("held"), count("broken"), count("unclear")];
  const because = outcomes.find((one) => one.because !== undefined)?.because;
  const isCertain = outcomes.some((one) => one.outcome === "broken" && one.doubt === undefined);
  const doubt = isCertain ? undefined : outcomes.find((one) => one.doubt !== undefined)?.doubt;
  return {
    value,
    decision: decide({ held, broken, made: outcomes.length, trials, needed }),
    held,
    broken,
    unclear,
    ...(because === undefined ? {} : { because }),
    ...(doubt === undefined ? {} : { doubt }),
  };
}

interface Tally {
  readonly held: number;
  readonly broken: number;
  readonly made: number;
  readonly trials: number;
  readonly needed: number;
}

function decide({ held, broken, made, trials, needed }: Tally): Decision {
  if (held >= needed) return "held";
  if (broken > trials - needed) return "broken";
  return made >= trials ? "unclear" : "undecided";
}
