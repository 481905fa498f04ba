import type { Socket } from "node:net";
import { Client, type buildConnector, type Dispatcher } from "undici";
import { watchTime, type LoadRun } from "../load-run.js";
import type { Recorder } from "../recorder.js";
import { isInterim, SWITCHING_PROTOCOLS } from "../requests.js";
import { endOf, openSocket, type Destination, type SocketEnd } from "../sockets.js";
import {
  classifyFailure,
  faultOfAnswer,
  RequestAccount,
  type CreateRequester,
  type RequestFailure,
  type RequesterPlan,
} from "./account.js";

/**
 * Returns what creates requesters over HTTP/1.1, each with its own connection.
 *
 * Undici connects, again where the connection was lost, reads the answers and says whether the connection can be used
 * again. It is never given a second request before the first has its outcome, so that there is none that it could send
 * twice.
 */
export function createHttp1Requesters(run: LoadRun, plan: RequesterPlan): CreateRequester {
  const { recorder } = run;
  // All that undici is to know of a request whose bytes it does not write.
  const get: Dispatcher.DispatchOptions = {
    method: "GET",
    path: "/",
    reset: !plan.keepAlive,
    idempotent: true,
    blocking: false,
  };
  const head: Dispatcher.DispatchOptions = { ...get, method: "HEAD" };

  return (onDone) => {
    const account = new RequestAccount(run, plan.mix);
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
      account.settleFailure(reason, wire?.connected === true);
      abort = undefined;
    };

    const connect: buildConnector.connector = (_options, callback) => {
      // Undici opens a connection as well for a request that was given up.
      if (!account.isOpen) return callback(new Error("There is nothing to be sent"), null);
      account.leave();
      const startedUs = run.nowUs();
      const opened = openWire(plan, () => account.picked.bytes, recorder);
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
    const client = createClient(plan, connect);

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
        if (!account.isOpen) return;
        // To undici a reset is an end like any other where the end of the body is marked by closing.
        const reset = wire === undefined ? undefined : resetOf(wire);
        if (reset === undefined) settleAnswer(run.nowUs());
        else settleFailure(reset);
        onDone(true);
      },
      onError: (error) => {
        if (!account.isOpen) return;
        // What undici says of a 101; it knows that nobody asked for one.
        if (error.message === "bad upgrade") account.head(SWITCHING_PROTOCOLS);
        const connected = wire?.connected === true;
        const { completeUs } = account;
        if (failure !== undefined) settleFailure(failure);
        else if (completeUs !== null) settleAnswer(completeUs);
        else if (wire !== undefined) settleFailure(classifyFailure(connected ? error : causeOf(error), wire));
        // Undici is in the middle of clearing up, and would lose a request that it is given now.
        queueMicrotask(() => {
          if (!ended) onDone(connected);
        });
      },
    };
    const watch = watchTime(
      plan.timeoutMs,
      () => account.goneMs(),
      () => giveUp({ kind: "timedOut" }),
    );
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
        client.dispatch(account.picked.isHead ? head : get, handler);
      },
      cut: () => {
        const left = account.drop();
        void close();
        return left;
      },
      close,
    };
  };
}

/** Longer than any run, and as long as a timer can be: idle connections are for the server to close. */
const NEVER_MS = 2 ** 31 - 1;

/** Creates a client of undici that has one connection at a time, made by `connect`, and gives up nothing by itself. */
function createClient({ host }: Destination, connect: buildConnector.connector): Client {
  return new Client(`http://${host.includes(":") ? `[${host}]` : host}`, {
    connect,
    // With 1, the next request would wait for a turn of the event loop. It is given when the answer is complete, and
    // undici takes it for a second one until it has put the first away.
    pipelining: 2,
    headersTimeout: 0,
    bodyTimeout: 0,
    keepAliveTimeout: NEVER_MS,
    keepAliveMaxTimeout: NEVER_MS,
    // Undici closes a connection so long before the server says that it will; it is not to.
    keepAliveTimeoutThreshold: -NEVER_MS,
  });
}

/** A connection that undici speaks over, and what is to be known of it. */
interface Wire {
  readonly socket: Socket;
  /** Told when it is established, after the handshake of TLS. */
  readonly readyEvent: "connect" | "secureConnect";
  /** Whether it was established. */
  connected: boolean;
  /** How the other side ended it, once it has. */
  end: SocketEnd | undefined;
  /** Whether what is read now had come before the last request was written. */
  readonly readsEarlierBytes: () => boolean;
}

/**
 * Opens a connection. It counts every byte, and writes the bytes of the request as the scenario spells it whenever undici
 * writes one of its own: undici would put the headers into another order and refuse some of them.
 *
 * @param bytes what the request that is written now has to be.
 */
function openWire(to: Destination, bytes: () => Buffer, recorder: Recorder): Wire {
  const { socket, readyEvent } = openSocket(to, { protocol: "http/1.1" });
  const read = socket.read.bind(socket) as (size?: number) => Buffer | null;
  const write = socket.write.bind(socket) as (bytes: Buffer) => boolean;
  let reading = false;
  let writtenWhileReading = false;

  socket.read = (size?: number): Buffer | null => {
    const chunk = read(size);
    // Node itself asks with a size, to make the stream go on.
    if (size !== undefined) return chunk;
    reading = chunk !== null;
    if (chunk !== null) {
      writtenWhileReading = false;
      recorder.received(chunk.length);
    }
    return chunk;
  };
  // Undici writes a request that has no body, as it is given them, in one piece.
  socket.write = () => {
    writtenWhileReading = reading;
    const request = bytes();
    recorder.written(request.length);
    return write(request);
  };
  // Whether the process may end is not for an idle connection to say, and undici would tell it twice for each request.
  socket.ref = () => socket;
  socket.unref = () => socket;
  const readsEarlierBytes = (): boolean => writtenWhileReading;
  const wire: Wire = { socket, readyEvent, connected: false, end: undefined, readsEarlierBytes };
  socket.on("end", () => {
    wire.end = endOf(socket);
  });
  return wire;
}

/** The reset that undici takes for the end of the answer, if it was one. */
function resetOf(wire: Wire): RequestFailure | undefined {
  if (wire.end?.kind === "resets") return wire.end;
  const { errored } = wire.socket;
  return errored === null || faultOfAnswer(errored) !== undefined ? undefined : classifyFailure(errored, wire);
}

/** What lies behind the error that undici was given for a connection. */
function causeOf(error: Error): Error {
  return error.cause instanceof Error ? error.cause : error;
}
