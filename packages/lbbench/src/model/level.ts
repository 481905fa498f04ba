import type * as stored from "./result-schema.js";

/**
 * What the levels of a scenario are values of: connections kept busy (closed loop), requests per second that leave on a
 * schedule (open loop), new connections per second that leave on a schedule, or users that come one after another (ramp).
 */
export type LoadKind = "connections" | "rate" | "connectionRate" | "users";

/**
 * One value of the load that is swept, for a number of requests or for a time (exactly one of the two).
 *
 * Exactly one of `connections`, `rate` and `users` is there.
 */
export interface Level extends stored.Of<typeof stored.level> {}
