/** Statuses with which calls beyond the limit can be refused. */
export const REFUSALS = Object.freeze(["UNAVAILABLE", "RESOURCE_EXHAUSTED"] as const);

/** One of the statuses with which calls beyond the limit can be refused. */
export type Refusal = (typeof REFUSALS)[number];
