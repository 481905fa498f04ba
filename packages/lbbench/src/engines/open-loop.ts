import type { Arrival } from "../model/scenario.js";
import { seededRandom } from "../stats/seeded-random.js";
import type { Clients, GeneratorLoad } from "./generator.js";
import type { LoadRun, LoadUser } from "./load-run.js";
import { closeAll, type CreateRequester, type Requester } from "./requester.js";
import type { GeneratorPlace } from "./shares.js";
import { startTicker, type Ticker } from "./ticker.js";

/** A request that is so late was held up by what else this process did, not by how exactly it is woken. */
const HELD_UP_US = 1000;
/** Connections opened in one turn of the event loop: more would keep the answers waiting that set others free. */
const OPENED_PER_TURN = 16;

/** Of all open loops of this process, one after another. */
let ticker: Ticker | undefined;

/**
 * Enters an open loop: requests leave when they are due, whatever became of earlier ones. Each takes the requester that was free
 * last, or a new one; those beyond what may be in flight are counted as unsent. Of a level of new connections these leave when they are
 * due, and each sends its requests one after another. Rejects for a load that has no rate.
 *
 * @param connectionOf which connection a requester uses, both by their numbers from 0; one of its own by default.
 */
export async function enterOpenLoop(
  run: LoadRun,
  { level, arrival, place, atEnd }: GeneratorLoad,
  createRequester: CreateRequester,
  connectionOf = (requester: number): number => requester,
): Promise<Clients> {
  const { rate, perConnection = 1, requests, durationMs = Infinity } = level;
  if (rate === undefined || arrival === undefined) throw new RangeError("Expected a load with a rate, got none");
  const { maxInFlight } = arrival;
  /** Whether it is over with the last outcome; otherwise when it is cut. */
  const endsByItself = durationMs === Infinity || atEnd === "drain";
  const wakeIn = (ticker ??= await startTicker());
  const amount = requests === undefined ? undefined : requests / perConnection;
  const dues = createSchedule({ ...arrival, place, rate: rate / perConnection, requests: amount, durationMs });
  const nextDueUs = (): number => dues.next().value ?? Infinity;
  const all: Requester[] = [];
  const free: Requester[] = [];
  /** Requests that the connection of a requester is still to send, where each sends several. */
  const left = perConnection > 1 ? new Map<Requester, number>() : undefined;
  /** Connections. */
  let needed = 0;
  let dueUs = nextDueUs();
  let ended = false;
  let turn: NodeJS.Immediate | undefined;

  const open = (): Requester => {
    const requester = createRequester((_, isKept) => {
      const rest = left?.get(requester) ?? 0;
      // A connection that is what leaves on schedule sends its other requests as soon as it can.
      if (level.perConnection !== undefined && isKept && !ended) {
        left?.set(requester, rest - 1);
        return requester.send();
      }
      if (!ended) run.recorder.counts.unsent += rest;
      free.push(requester);
      // Answers come between the ticks, and the next request may be due.
      sendDue();
    });
    if (connectionOf(all.length) === needed) {
      needed += 1;
      run.recorder.counts.needed += 1;
    }
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
      if (requester === undefined) run.recorder.counts.unsent += perConnection;
      else {
        left?.set(requester, perConnection - 1);
        requester.send(since);
      }
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
    if (!endsByItself || dueUs !== Infinity || free.length < all.length) return;
    ended = true;
    run.leave(user);
  };
  const tick = (afterTurn = false): void => {
    sendDue(afterTurn);
    if (!ended && turn === undefined && dueUs !== Infinity) wakeIn((dueUs - run.nowUs()) / 1000, () => tick());
  };
  const user: LoadUser = {
    start: () => tick(),
    cut: () => {
      ended = true;
      return all.reduce((sum, requester) => sum + requester.cut(), 0);
    },
  };
  run.enter(user);
  return { stop: () => closeAll(all) };
}

export interface Schedule extends Pick<Arrival, "spacing" | "seed"> {
  /** Requests per second. */
  readonly rate: number;
  /** How many there are in all, and when they are all due; either may be without a bound. */
  readonly requests?: number | undefined;
  readonly durationMs?: number;
  /** Every how many-th request is meant, and which of so many: 0 is the first. All of them by default. */
  readonly place?: GeneratorPlace;
}

const SECOND_US = 1e6;

/**
 * Tells one after another when requests are due, in microseconds from the start of the schedule. With `uniform` spacing request
 * number i (from 0) is due after i / rate; with `poisson` all gaps, the first included, are drawn from the exponential distribution
 * with mean 1 / rate. All places of a schedule together are the whole of it.
 */
export function* createSchedule(schedule: Schedule): Generator<number, undefined, undefined> {
  const { spacing, seed, rate, requests = Infinity, durationMs = Infinity, place = { index: 0, of: 1 } } = schedule;
  const random = seededRandom(seed);
  let dueUs = 0;
  for (let number = 0; number < requests; number += 1) {
    // Uniform gaps are not added up, because the sum would drift; of 1 - random(), which is never 0, there is a logarithm.
    if (spacing === "uniform") dueUs = (number * SECOND_US) / rate;
    else dueUs -= (Math.log(1 - random()) * SECOND_US) / rate;
    if (dueUs >= durationMs * 1000) return;
    if (number % place.of === place.index) yield dueUs;
  }
}
