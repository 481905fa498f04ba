import { groupBy } from "../stats/group-by.js";
import type { FiledRun } from "./name-targets.js";

/** Who asks for a number of requests seldom asks for one with more digits than this before the zeros. */
const DIGITS = 3;

/**
 * Returns a sentence for each program and file with runs that look as if a time was asked for, and nobody told which: every one of them is a
 * level of its own, by its number of requests, and never a trial of another.
 */
export function noteCountedAmounts(runs: readonly FiledRun[]): readonly string[] {
  const counted = runs.filter(({ run }) => run.isAmountCounted === true);
  return [...groupBy(counted, ({ run, file }) => JSON.stringify([file, run.program])).values()].flatMap((alike) => {
    const [example] = alike.filter((one) => isLikelyTimed(one, counted));
    if (example === undefined) return [];
    const { run, file, place } = example;
    return [
      `${file}: ${run.program} does not tell whether a number of requests or a time was asked for, so that ${place} is of a level of ` +
        `${requestsOf(example)} requests. If it was a time, say it with --duration, or put the command in the line before: ` +
        "then repetitions are trials of one level",
    ];
  });
}

/** Rounded to its connections, as hey does it, a number is none of a time either. */
function isLikelyTimed(one: FiledRun, others: readonly FiledRun[]): boolean {
  const { url, program, connections } = one.run;
  const requests = requestsOf(one);
  const digits = String(requests).replace(/0+$/, "").length;
  if (digits > DIGITS && (connections < 10 || requests % connections > 0)) return true;
  return others.some(
    (other) =>
      other.run.program === program &&
      other.run.url === url &&
      other.run.connections === connections &&
      requestsOf(other) !== requests &&
      Math.max(requestsOf(other), requests) < 2 * Math.min(requestsOf(other), requests),
  );
}

function requestsOf({ run: { amount } }: FiledRun): number {
  return "requests" in amount ? amount.requests : 0;
}
