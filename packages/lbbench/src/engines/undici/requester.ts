import type { buildConnector, Dispatcher } from "undici";
import type { LoadRun } from "../load-run.js";
import { isInterim, SWITCHING_PROTOCOLS } from "../http-status.js";
import { watchTime } from "../watch-time.js";
import type { RequestMix } from "../request-mix.js";
import type { Destination } from "../request-plan.js";
import { causeOf, classifyFailure, isUpgrade, resetOf, type RequestFailure } from "./classify-failure.js";
import { openWire, type Wire } from "./open-wire.js";
import { createRequestAccount } from "./request-account.js";
import { createUndiciClient } from "./undici-client.js";

/** Sends one request after the other, over one connection at a time, and gives each of them one outcome. */
export interface Requester {
  /** Sends a request; there is none open. Its latency counts from `dueUs`, or else from when it leaves. */
  readonly send: (dueUs?: number) => void;
  /** Ends it at once, and tells how many requests were open. */
  readonly cut: () => number;
  /** Closes its connection; resolves when it is closed. */
  readonly close: () => Promise<void>;
}

/** What all requesters of a run have in common. */
export interface RequesterPlan extends Destination {
  /** What they send, each with its next turn. */
  readonly mix: RequestMix;
  /** Whether the connection is used for the next request. */
  readonly keepAlive: boolean;
  /** How requests are sent by HTTP/2; by HTTP/1.1 without this. */
  readonly http2?: {
    /** How many of them share a connection at a time. */
    readonly streams: number;
  };
}

/**
 * Creates a requester; nothing is opened before the first request.
 *
 * Undici connects, again where the connection was lost, reads the answers and says whether the connection can be used
 * again. It is never given a second request before the first has its outcome, so that there is none that it could send
 * twice.
 *
 * @param onDone called when a request has its outcome; `connected` says whether it had a connection.
 */
export function createRequester(run: LoadRun, plan: RequesterPlan, onDone: (connected: boolean) => void): Requester {
  const { recorder } = run;
  const account = createRequestAccount(run, plan.mix);
  let everConnected = false;
  let ended = false;
  let wire: Wire | undefined;
  let failConnection: ((error: Error) => void) | undefined;
  /** Why the request was given up. */
  let failure: RequestFailure | undefined;
  let abort: ((error: Error) => void) | undefined;

  const settleAnswer = (nowUs: number): void => {
    account.settleAnswer(nowUs);
    abort = undefined;
  };
  const settleFailure = (reason: RequestFailure): void => {
    if (wire?.connected !== true) run.sawNoConnection();
    account.settleFailure(reason);
    abort = undefined;
  };

  const connect: buildConnector.connector = (_options, callback) => {
    // Undici opens a connection as well for a request that was given up.
    if (!account.isOpen()) return callback(new Error("There is nothing to be sent"), null);
    account.leave();
    const startedUs = run.nowUs();
    const opened = openWire(plan, () => account.picked().bytes, recorder);
    wire = opened;
    failConnection = (error) => {
      failConnection = undefined;
      // What undici makes of an error depends on its code: some it would try again for ever.
      callback(new Error("There is no connection", { cause: error }), null);
      opened.socket.destroy();
    };
    opened.socket.on("error", (error) => failConnection?.(error));
    opened.socket.once(opened.readyEvent, () => {
      if (failConnection === undefined) return;
      failConnection = undefined;
      opened.connected = true;
      account.connected(run.nowUs() - startedUs);
      recorder.connected(!everConnected);
      everConnected = true;
      run.sawLife();
      callback(null, opened.socket);
    });
  };
  const client = createUndiciClient(plan, connect);

  const giveUp = (reason: RequestFailure): void => {
    failure = reason;
    const error = new Error("The request was given up");
    if (abort === undefined) failConnection?.(error);
    else abort(error);
  };
  const handler: Dispatcher.DispatchHandler = {
    onConnect: (abortRequest) => {
      abort = abortRequest;
      account.leave();
      account.written();
    },
    onResponseStarted: () => {
      account.startsAnswer();
      if (wire?.readsEarlierBytes() === true) giveUp({ kind: "mismatched", code: "UNASKED_RESPONSE" });
    },
    onHeaders: (status) => {
      if (isInterim(status)) return true;
      account.head(status);
      if (status === SWITCHING_PROTOCOLS) abort?.(new Error("There is no further answer"));
      return true;
    },
    onData: (chunk) => {
      account.body(chunk);
      return true;
    },
    onComplete: () => {
      if (!account.isOpen()) return;
      // To undici a reset is an end like any other where the end of the body is marked by closing.
      const reset = wire === undefined ? undefined : resetOf(wire);
      if (reset === undefined) settleAnswer(run.nowUs());
      else settleFailure(reset);
      onDone(true);
    },
    onError: (error) => {
      if (!account.isOpen()) return;
      if (isUpgrade(error)) account.head(SWITCHING_PROTOCOLS);
      const connected = wire?.connected === true;
      const completeUs = account.completeUs();
      if (failure !== undefined) settleFailure(failure);
      else if (completeUs !== null) settleAnswer(completeUs);
      else if (wire !== undefined) settleFailure(classifyFailure(connected ? error : causeOf(error), wire));
      // Undici is in the middle of clearing up, and would lose a request that it is given now.
      queueMicrotask(() => {
        if (!ended) onDone(connected);
      });
    },
  };
  // All that it is to know of a request whose bytes it does not write.
  const get: Dispatcher.DispatchOptions = {
    method: "GET",
    path: "/",
    reset: !plan.keepAlive,
    idempotent: true,
    blocking: false,
  };
  const head: Dispatcher.DispatchOptions = { ...get, method: "HEAD" };
  const watch = watchTime(plan.timeoutMs, account.goneMs, () => giveUp({ kind: "timedOut" }));
  const close = async (): Promise<void> => {
    ended = true;
    account.drop();
    watch.stop();
    failConnection = undefined;
    wire?.socket.destroy();
    await client.destroy();
  };
  return {
    send: (dueUs) => {
      failure = undefined;
      account.begin(dueUs);
      client.dispatch(account.picked().isHead ? head : get, handler);
    },
    cut: () => {
      const left = account.drop();
      void close();
      return left;
    },
    close,
  };
}
