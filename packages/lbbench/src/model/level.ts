/**
 * One value of what is swept: a closed loop of `connections`, each sending its next request when the last is answered,
 * for a number of requests or for a time (exactly one of the two).
 */
export interface Level {
  readonly connections: number;
  readonly requests?: number;
  readonly durationMs?: number;
}
