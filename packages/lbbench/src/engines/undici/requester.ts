import { Client, type buildConnector, type Dispatcher } from "undici";
import type { LoadRun } from "../load-run.js";
import { matchBody } from "../match-body.js";
import { isInterim, neverHasBody, SWITCHING_PROTOCOLS } from "../http-status.js";
import { watchTime } from "../watch-time.js";
import type { RequestPlan } from "../request-plan.js";
import { classifyFailure, isOfProtocol, type RequestFailure } from "./classify-failure.js";
import { openWire, type Wire } from "./open-wire.js";

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
export interface RequesterPlan extends RequestPlan {
  /** Whether the connection is used for the next request. */
  readonly keepAlive: boolean;
}

/** Longer than any run, and as long as a timer can be: idle connections are for the server to close. */
const NEVER_MS = 2 ** 31 - 1;
/** Undici closes a connection so long before the server says that it will; it is not to. */
const UNHEEDED_MS = -NEVER_MS;

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
  const body = matchBody(plan.expectBody);
  let everConnected = false;
  let ended = false;
  let wire: Wire | undefined;
  let failConnection: ((error: Error) => void) | undefined;
  /** Whether there is a request without an outcome, when it left (`null` before that), and from when it counts. */
  let open = false;
  let leftUs: number | null = null;
  let sinceUs = 0;
  let dueUs: number | undefined;
  let connectUs = 0;
  let writtenUs = 0;
  let firstByteUs: number | null = null;
  let status = 0;
  /** When an answer that has no body was complete; undici may look for one. */
  let completeUs: number | null = null;
  let failure: RequestFailure | undefined;
  let abort: ((error: Error) => void) | undefined;

  const leave = (): void => {
    if (leftUs !== null) return;
    leftUs = run.nowUs();
    sinceUs = dueUs ?? leftUs;
    recorder.sent(leftUs);
    if (dueUs !== undefined) recorder.late(leftUs - dueUs);
  };
  const settle = (): void => {
    open = false;
    leftUs = null;
    abort = undefined;
  };
  const settleAnswer = (nowUs: number): void => {
    run.sawLife();
    if (!plan.isExpected(status)) recorder.failed("non2xx", sinceUs, nowUs, { status });
    else if (!body.matches()) recorder.failed("mismatched", sinceUs, nowUs, { status });
    else {
      recorder.ok(sinceUs, nowUs, status);
      recorder.phases(connectUs, nowUs - writtenUs, (firstByteUs ?? nowUs) - writtenUs);
    }
    settle();
  };
  const settleFailure = ({ kind, ...why }: RequestFailure): void => {
    if (wire?.connected !== true) run.sawNoConnection();
    recorder.failed(kind, sinceUs, run.nowUs(), why);
    settle();
  };

  const connect: buildConnector.connector = (_options, callback) => {
    // Undici opens a connection as well for a request that was given up.
    if (!open) return callback(new Error("There is nothing to be sent"), null);
    leave();
    const startedUs = run.nowUs();
    const opened = openWire(plan, recorder);
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
      connectUs = run.nowUs() - startedUs;
      recorder.connected(!everConnected);
      everConnected = true;
      run.sawLife();
      callback(null, opened.socket);
    });
  };
  const client = new Client(`http://${plan.host.includes(":") ? `[${plan.host}]` : plan.host}`, {
    connect,
    // With 1, the next request would wait for a turn of the event loop. It is given when the answer is complete, and
    // undici takes it for a second one until it has put the first away.
    pipelining: 2,
    headersTimeout: 0,
    bodyTimeout: 0,
    keepAliveTimeout: NEVER_MS,
    keepAliveMaxTimeout: NEVER_MS,
    keepAliveTimeoutThreshold: UNHEEDED_MS,
  });

  const giveUp = (reason: RequestFailure): void => {
    failure = reason;
    const error = new Error("The request was given up");
    if (abort === undefined) failConnection?.(error);
    else abort(error);
  };
  const handler: Dispatcher.DispatchHandler = {
    onConnect: (abortRequest) => {
      abort = abortRequest;
      leave();
      writtenUs = run.nowUs();
    },
    onResponseStarted: () => {
      firstByteUs ??= run.nowUs();
      if (wire?.readsEarlierBytes() === true) giveUp({ kind: "mismatched", code: "UNASKED_RESPONSE" });
    },
    onHeaders: (statusCode) => {
      if (isInterim(statusCode)) return true;
      status = statusCode;
      body.start();
      if (neverHasBody(statusCode)) completeUs = run.nowUs();
      if (statusCode === SWITCHING_PROTOCOLS) abort?.(new Error("There is no further answer"));
      return true;
    },
    onData: (chunk) => {
      recorder.body(chunk.length);
      body.add(chunk, 0, chunk.length);
      return true;
    },
    onComplete: () => {
      if (!open) return;
      // To undici a reset is an end like any other where the end of the body is marked by closing.
      const reset = wire === undefined ? undefined : resetOf(wire);
      if (reset === undefined) settleAnswer(run.nowUs());
      else settleFailure(reset);
      onDone(true);
    },
    onError: (error) => {
      if (!open) return;
      if (isUpgrade(error)) {
        status = SWITCHING_PROTOCOLS;
        completeUs = run.nowUs();
      }
      const connected = wire?.connected === true;
      if (failure !== undefined) settleFailure(failure);
      else if (completeUs !== null) settleAnswer(completeUs);
      else if (wire !== undefined) settleFailure(classifyFailure(connected ? error : causeOf(error), wire));
      // Undici is in the middle of clearing up, and would lose a request that it is given now.
      queueMicrotask(() => {
        if (!ended) onDone(connected);
      });
    },
  };
  const request: Dispatcher.DispatchOptions = {
    // All that it is to know of a request whose bytes it does not write.
    method: plan.isHead ? "HEAD" : "GET",
    path: "/",
    reset: !plan.keepAlive,
    idempotent: true,
    blocking: false,
  };
  const watch = watchTime(
    plan.timeoutMs,
    () => (leftUs === null ? 0 : (run.nowUs() - leftUs) / 1000),
    () => giveUp({ kind: "timedOut" }),
  );
  const close = async (): Promise<void> => {
    ended = true;
    open = false;
    watch.stop();
    failConnection = undefined;
    wire?.socket.destroy();
    await client.destroy();
  };
  return {
    send: (due) => {
      open = true;
      dueUs = due;
      connectUs = 0;
      firstByteUs = null;
      completeUs = null;
      failure = undefined;
      client.dispatch(request, handler);
    },
    cut: () => {
      const left = leftUs === null ? 0 : 1;
      leftUs = null;
      void close();
      return left;
    },
    close,
  };
}

/** A reset that undici takes for the end of the answer. */
function resetOf({ socket, ending }: Wire): RequestFailure | undefined {
  if (ending === "resets") return { kind: "resets", code: "ECONNRESET" };
  const error: NodeJS.ErrnoException | null = socket.errored;
  return error === null || isOfProtocol(error) ? undefined : classifyFailure(error, { connected: true, ending });
}

/** What undici says of a 101; it knows that nobody asked for one. */
function isUpgrade(error: Error): boolean {
  return error.message === "bad upgrade";
}

function causeOf(error: Error): Error {
  return error.cause instanceof Error ? error.cause : error;
}
