import type { Finding } from "../model/finding.js";
import type { Level } from "../model/level.js";
import type { Result } from "../model/result.js";
import { describePlaces } from "../report/describe-level.js";
import { describeFinding } from "../report/finding-text.js";
import { shortenName } from "../report/plain-line.js";
import { levelKey, placeKey } from "../stats/identity.js";

const LONGEST_NAME = 40;

/** Says what was found, with its code in brackets; plain text. */
export function describeFound(finding: Finding): string {
  return `${describeFinding(withShortNames(finding)).text} [${finding.code}]`;
}

/** Returns what to do about some findings, each remedy once; of a result that was imported with the program it came from. */
export function remediesOf(findings: readonly Finding[], { imported }: Pick<Result, "imported">): readonly string[] {
  const origin = imported === undefined ? "measured" : "imported";
  return [...new Set(findings.map((finding) => describeFinding(withShortNames(finding), origin).remedy))];
}

/** Says that a run did not get to its end, or nothing; a run that lacks steps may lack those that would fail. */
export function describeIncomplete({ complete, steps }: Result, what = "The run"): readonly string[] {
  return complete ? [] : [`${what} was interrupted after ${steps.length} of its steps.`];
}

/** What to do about that. */
export const RESUME_REMEDY = "Measure the rest: resume() goes on from a result that was written, or sweep again.";

/** A name of a target in a sentence, however long it is. */
export function shortTarget(name: string): string {
  return shortenName(name, LONGEST_NAME);
}

function withShortNames(finding: Finding): Finding {
  const { target, reference } = finding.args;
  return {
    ...finding,
    args: {
      ...finding.args,
      ...(typeof target === "string" ? { target: shortTarget(target) } : {}),
      ...(typeof reference === "string" ? { reference: shortTarget(reference) } : {}),
    },
  };
}

/** A target, and levels of its scenario at which it has no step. */
interface Unmeasured {
  readonly target: string;
  readonly levels: readonly Level[];
}

/**
 * Returns the levels that a target was to be measured at and was not: a stop rule left them out, or the run was cut short. What was
 * asked of them cannot be told.
 */
export function findUnmeasured({ scenario, steps }: Pick<Result, "scenario" | "steps">): readonly Unmeasured[] {
  const measured = new Set(steps.map(placeKey));
  const levels = [...new Map(scenario.levels.map((level) => [levelKey(level), level])).values()];
  return scenario.targets.flatMap(({ name: target }) => {
    const missing = levels.filter((level) => !measured.has(placeKey({ target, level })));
    return missing.length === 0 ? [] : [{ target, levels: missing }];
  });
}

/** Says so of a result, in a line for each target; nothing where every target was measured at every level. */
export function describeUnmeasured(result: Pick<Result, "scenario" | "steps">): readonly string[] {
  const { stopOn, levels } = result.scenario;
  const why =
    stopOn.length === 0 ? "" : `; a stop rule (${stopOn.map(({ source }) => source).join(", ")}) may have left it out`;
  return findUnmeasured(result).map(
    (one) => `${shortTarget(one.target)} was not measured at ${describePlaces(one.levels, levels)}${why}.`,
  );
}

const UNMEASURED_REMEDY =
  "Measure what is missing, without stopOn if that left it out, or ask about what was measured: target, and connections or rate.";

/** Says what a run, or the part of it that is asked about, lacks to be judged, and what to do about it. */
export function describeGaps(
  run: Result,
  part: Pick<Result, "scenario" | "steps">,
): { readonly gaps: readonly string[]; readonly remedies: readonly string[] } {
  const [incomplete, unmeasured] = [describeIncomplete(run), describeUnmeasured(part)];
  const remedies = incomplete.length > 0 ? [RESUME_REMEDY] : unmeasured.length > 0 ? [UNMEASURED_REMEDY] : [];
  return { gaps: [...incomplete, ...unmeasured], remedies };
}
