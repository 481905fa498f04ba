/** What travels to the live page; it imports this file too, so nothing of Node stands in it. */
import type { TimelineSecond } from "../model/measurement.js";
import type { Role } from "../model/usage.js";

/** Seconds of a run that are kept, here and in the page: an hour. The report at the end has all. */
export const MOST_SECONDS = 3600;

/** Leaves out steps without seconds, and the first seconds where all of them together have more than are kept. */
export function lastSteps<Step extends { readonly seconds: readonly TimelineSecond[] }>(
  steps: readonly Step[],
): readonly Step[] {
  let room = MOST_SECONDS;
  const kept = steps.toReversed().flatMap((step) => {
    const seconds = room === 0 ? [] : step.seconds.slice(-room);
    room -= seconds.length;
    return seconds.length === 0 ? [] : [{ ...step, seconds }];
  });
  return kept.toReversed();
}

/** What the live page shows above the report, as it travels: plain text and numbers. */
export interface LivePanel {
  /** The step: `balanced, 50 connections, trial 2`; `null` before the first. */
  readonly step: string | null;
  /** What is being done for it, or before it: `measuring`, `checking balanced`; empty between steps. */
  readonly doing: string;
  /** Steps that are done, and all there are; `null` before the run has begun. */
  readonly done: number;
  readonly total: number | null;
  /** Whether that is the most there can be. */
  readonly isBound: boolean;
  /** Of all steps, 0 to 1; `null` before the run has begun. */
  readonly share: number | null;
  /** `null` where nobody can say yet. */
  readonly timeLeftMs: number | null;
  /** ok responses per second: of the last second, where the engine tells them apart, else so far; `null` before any. */
  readonly rate: number | null;
  /** Of the last second, in ms; `null` where there is none. */
  readonly p99: number | null;
  /** Requests of the step whose outcome is known, and those of them that failed; `null` where the engine cannot tell. */
  readonly answered: number | null;
  readonly failed: number | null;
  /** Processor time over wall time by role; 1 is one core kept busy. */
  readonly cpu: Readonly<Partial<Record<Role, number>>>;
}

/** Seconds of a step: those that were not sent before. */
export interface LiveSeconds {
  /** Of the step, in the order in which they are made. */
  readonly index: number;
  readonly target: string;
  /** As a number alone: `50`. */
  readonly load: string;
  readonly seconds: readonly TimelineSecond[];
}

/** The report: what stands in `<main>`. */
export interface LiveHtml {
  readonly html: string;
}

/** The report at the end of a run. */
export interface LiveDone extends LiveHtml {
  /** The same as a file that can be kept: `report.html`. */
  readonly file: string;
}
