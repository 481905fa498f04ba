import type { LoadRun, LoadUser } from "../load-run.js";
import { chooseRequesters } from "./choose-requesters.js";
import type { Requester, RequesterPlan } from "./requester.js";
import type { Ticker } from "./ticker.js";

/** When the requests of an open loop leave. */
export interface OpenLoopPlan extends RequesterPlan {
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
  plan: OpenLoopPlan,
  ticker: Ticker,
): { readonly close: () => Promise<void> } {
  const { streams } = plan.http2 ?? { streams: 1 };
  const createRequester = chooseRequesters(run, plan, [streams]);
  const all: Requester[] = [];
  const free: Requester[] = [];
  let dueUs = plan.nextDueUs();
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
      const isFull = all.length === plan.maxInFlight;
      if (free.length === 0) {
        // When we were held up ourselves, answers wait to be read, and with them connections to be free.
        const heldUp = nowUs - dueUs > HELD_UP_US && !afterTurn;
        if (heldUp || opened === OPENED_PER_TURN) return true;
        if (!isFull) opened += 1;
      }
      const since = dueUs;
      dueUs = plan.nextDueUs();
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
    if (plan.endsByItself && dueUs === Infinity && free.length === all.length) end();
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
