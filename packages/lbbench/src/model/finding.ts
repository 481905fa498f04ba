import type * as stored from "./result-schema.js";

/**
 * `error`: the numbers are false or of the wrong thing. `warning`: a number means less than it seems.
 * `info`: worth knowing.
 */
export type Severity = Finding["severity"];

export type { FindingCode } from "./finding-args.js";

/** Facts a finding carries; the sentence is made from them at the edge. */
export type FindingArgs = Finding["args"];

/** Something noticed, as a code with arguments. */
export interface Finding extends stored.Of<typeof stored.finding> {}

/** The judgement of a run, with the findings that led to it. */
export interface Verdict extends stored.Of<typeof stored.verdict> {}
