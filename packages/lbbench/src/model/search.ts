import type * as stored from "./result-schema.js";

/** How the largest load is searched that still holds the thresholds. */
export interface Search extends stored.Of<typeof stored.search> {}

/** What is known of one level. `unclear`: its trials do not decide; `undecided`: not all of them were made. */
export type Decision = TriedLevel["decision"];

/** A level that was tried, and how many of its trials came out how. */
export interface TriedLevel extends stored.Of<typeof stored.triedLevel> {}

/** What a search found for one target. */
export interface SearchOutcome extends stored.Of<typeof stored.searchOutcome> {}
