/** What travels to the live page; it imports this file too, so nothing of Node stands in it. */
import type { TimelineSecond } from "../model/measurement.js";

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

/** What the live page shows above the report, as it travels: words, and how much of all steps is done. */
export interface LivePanel {
  /** `balanced, 50 connections, trial 2`. */
  readonly step: string;
  /** What is being done for it, or before it: `measuring`, `checking balanced`; empty between steps. */
  readonly doing: string;
  /** Of all steps, 0 to 1; `null` before the run has begun. */
  readonly share: number | null;
  /** How many steps are done, and how long the others will take. */
  readonly progress: string;
  /** Of the step under way; a dash where one is not known. */
  readonly figures: readonly (readonly [label: string, figure: string])[];
}

/** Seconds of a step that were not sent before. */
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
