import type * as stored from "./result-schema.js";

/** What can be done to a part of a target while load is sent. */
export type FaultKind = stored.Of<typeof stored.faultKind>;

/** Something that is to be done to a target while it is measured, and when. */
export interface Fault extends stored.Of<typeof stored.fault> {}

/** What is done, wherever and whenever. */
export type FaultDeed = Pick<Fault, "kind" | "byMs" | "share">;

/** A fault of a step, and whether it took effect. */
export interface DoneFault extends stored.Of<typeof stored.doneFault> {}
