import type { Arrival } from "../../model/scenario.js";
import { seededRandom } from "../../stats/seeded-random.js";
import type { LoadRun, LoadUser } from "../load-run.js";
import type { CreateRequester, Requester } from "./account.js";
import type { Ticker } from "./ticker.js";

/** When the requests of an open loop leave, and who sends them. */
export interface OpenLoopPlan {
  readonly createRequester: CreateRequester;
  /** How many requesters share a connection. */
  readonly streams: number;
  /** Tells when the next request is due, in microseconds from the common start; `Infinity` after the last. */
  readonly nextDueUs: () => number;
  /** Requests in flight beyond which one that is due cannot leave. */
  readonly maxInFlight: number;
  /** Whether it is over with the last outcome; otherwise when it is cut. */
  readonly endsByItself: boolean;
}

/** A request that is so late was held up by what else this process did, not by how exactly it is woken. */
const HELD_UP_US = 1000;
/** Connections opened in one turn of the event loop: more would keep the answers waiting that set others free. */
const OPENED_PER_TURN = 16;

/**
 * Makes an open loop, and enters it: requests leave when they are due, whatever became of earlier ones. Each takes the
 * connection (by HTTP/2 the place in one) that was free last, or a new one; those beyond what may be in flight are counted
 * as unsent. Returns what closes its connections.
 */
export function enterOpenLoop(
  run: LoadRun,
  { createRequester, streams, nextDueUs, maxInFlight, endsByItself }: OpenLoopPlan,
  ticker: Ticker,
): { readonly close: () => Promise<void> } {
  const all: Requester[] = [];
  const free: Requester[] = [];
  let dueUs = nextDueUs();
  let ended = false;
  let turn: NodeJS.Immediate | undefined;

  const open = (): Requester => {
    const requester = createRequester(() => {
      free.push(requester);
      // Answers come between the ticks, and the next request may be due.
      sendDue();
    });
    if (all.length % streams === 0) run.recorder.needsConnection();
    all.push(requester);
    return requester;
  };
  /** Sends what is due; tells whether the rest has to wait for a turn of the event loop. */
  const sendSome = (afterTurn: boolean): boolean => {
    let opened = 0;
    for (let nowUs = run.nowUs(); dueUs <= nowUs; nowUs = run.nowUs()) {
      const isFull = all.length === maxInFlight;
      if (free.length === 0) {
        // When we were held up ourselves, answers wait to be read, and with them connections to be free.
        const heldUp = nowUs - dueUs > HELD_UP_US && !afterTurn;
        if (heldUp || opened === OPENED_PER_TURN) return true;
        if (!isFull) opened += 1;
      }
      const since = dueUs;
      dueUs = nextDueUs();
      const requester = free.pop() ?? (isFull ? undefined : open());
      if (requester === undefined) run.recorder.unsent();
      else requester.send(since);
    }
    return false;
  };
  const sendDue = (afterTurn = false): void => {
    if (ended) return;
    if (sendSome(afterTurn)) {
      turn ??= setImmediate(() => {
        turn = undefined;
        tick(true);
      });
    }
    if (endsByItself && dueUs === Infinity && free.length === all.length) end();
  };
  const tick = (afterTurn = false): void => {
    sendDue(afterTurn);
    if (!ended && turn === undefined && dueUs !== Infinity) ticker.wakeIn((dueUs - run.nowUs()) / 1000, () => tick());
  };
  const end = (): void => {
    ended = true;
    ticker.rest();
    run.leave(user);
  };
  const user: LoadUser = {
    start: () => tick(),
    cut: () => {
      ended = true;
      ticker.rest();
      return all.reduce((sum, requester) => sum + requester.cut(), 0);
    },
  };
  run.enter(user);
  return {
    close: async () => {
      await Promise.all(all.map((requester) => requester.close()));
    },
  };
}

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
