import { seededRandom } from "../../stats/seeded-random.js";
import type { Arrival } from "../../model/scenario.js";

/** What a schedule is made of. */
export interface ScheduleOptions extends Pick<Arrival, "spacing" | "seed"> {
  /** Requests per second. */
  readonly rate: number;
  /** How many there are in all, or up to when they are due (microseconds). */
  readonly requests?: number;
  readonly durationUs?: number;
  /** Every how many-th request is meant, and which of so many: 0 is the first. All of them by default. */
  readonly of?: number;
  readonly share?: number;
}

const SECOND_US = 1e6;

/**
 * Returns what tells when the next request is due, in microseconds from the start of the schedule; `Infinity` after the
 * last. With `uniform` spacing request number i (from 0) is due after i / rate; with `poisson` all gaps, that before the
 * first request as well, are drawn from the exponential distribution with mean 1 / rate. The shares of one schedule,
 * taken together, are the whole of it: each walks all of it and tells its own part.
 */
export function createSchedule(options: ScheduleOptions): () => number {
  const { requests = Infinity, durationUs = Infinity, of = 1, share = 0 } = options;
  const dueUs = options.spacing === "uniform" ? uniform(options.rate) : poisson(options.rate, options.seed);
  let number = 0;
  return () => {
    for (;;) {
      if (number >= requests) return Infinity;
      const due = dueUs();
      if (due >= durationUs) {
        number = Infinity;
        return Infinity;
      }
      const mine = number % of === share;
      number += 1;
      if (mine) return due;
    }
  };
}

/** Counted anew for each request: a sum of gaps would drift. */
function uniform(rate: number): () => number {
  let number = 0;
  return () => {
    const due = (number * SECOND_US) / rate;
    number += 1;
    return due;
  };
}

function poisson(rate: number, seed: number): () => number {
  const random = seededRandom(seed);
  let due = 0;
  return () => {
    // Inverse of the distribution function; 1 - random() is never 0.
    due -= (Math.log(1 - random()) * SECOND_US) / rate;
    return due;
  };
}
