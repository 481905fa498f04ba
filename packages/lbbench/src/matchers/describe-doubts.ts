import type { Finding } from "../model/finding.js";
import type { Result } from "../model/result.js";
import { describeFinding } from "../report/finding-text.js";
import { shortenName } from "../report/shorten-name.js";

const LONGEST_NAME = 40;

/** Says what was found, with its code in brackets; plain text. */
export function describeDoubt(finding: Finding): string {
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
