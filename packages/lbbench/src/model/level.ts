/**
 * What the levels of a scenario are values of: connections kept busy (closed loop), requests per second that leave on a
 * schedule (open loop), or users that come one after another (ramp).
 */
export type LoadKind = "connections" | "rate" | "users";

/**
 * One value of what is swept, for a number of requests or for a time (exactly one of the two).
 *
 * Exactly one of `connections`, `rate` and `users` is there.
 */
export interface Level {
  /** Each sends its next request when the last is answered. */
  readonly connections?: number;
  /** Requests per second, whether or not earlier ones are answered. */
  readonly rate?: number;
  /** Users there are in the end; each is one of a closed loop. */
  readonly users?: number;
  readonly requests?: number;
  readonly durationMs?: number;
}
