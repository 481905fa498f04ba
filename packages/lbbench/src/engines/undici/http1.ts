import type { Socket } from "node:net";
import { Client, type buildConnector, type Dispatcher } from "undici";
import type { LoadRun } from "../load-run.js";
import {
  requestersBy,
  type CreateRequester,
  type LinePlan,
  type RequestAccount,
  type RequestFailure,
} from "../requester.js";
import { isInterim, SWITCHING_PROTOCOLS } from "../requests.js";
import { endOf, openSocket, type Destination, type SocketEnd } from "../sockets.js";
import { classifyFailure, faultOfAnswer } from "./failure.js";

/**
 * Returns what creates requesters over HTTP/1.1, each with its own connection. Undici connects, again where the connection was
 * lost, reads the answers and says whether the connection can be used again. It is never given a second request before the first
 * has its outcome, so that there is none that it could send twice.
 */
export function http1Requesters(run: LoadRun, plan: LinePlan): CreateRequester {
  // All that undici is to know of a request whose bytes it does not write.
  const get: Dispatcher.DispatchOptions = {
    method: "GET",
    path: "/",
    reset: !plan.keepAlive,
    idempotent: true,
    blocking: false,
  };
  const head: Dispatcher.DispatchOptions = { ...get, method: "HEAD" };

  return requestersBy(run, plan, (account, onDone) => {
    let wire: Wire | undefined;
    /** Why the request was given up. */
    let failure: RequestFailure | undefined;
    /** Ends the request that undici sends, or the attempt to connect for it. */
    let abort: ((error: Error) => void) | undefined;

    const connect: buildConnector.connector = (_options, callback) => {
      // Undici opens a connection as well for a request that was given up.
      if (!account.isOpen) return callback(new Error("There is nothing to be sent"), null);
      const startedUs = run.nowUs();
      const onReady = (): void => {
        if (abort !== fail) return;
        abort = undefined;
        opened.connected = true;
        account.waited(run.nowUs() - startedUs);
        account.established();
        callback(null, socket);
      };
      const opened = openWire(plan, run, account, onReady);
      const { socket } = opened;
      wire = opened;
      const fail = (error: Error): void => {
        if (abort !== fail) return;
        abort = undefined;
        // What undici makes of an error depends on its code: some it would try again for ever.
        callback(new Error("There is no connection", { cause: error }), null);
        socket.destroy();
      };
      abort = fail;
      socket.on("error", fail);
    };
    const client = createClient(plan, connect);

    const giveUp = (reason: RequestFailure): void => {
      failure = reason;
      abort?.(new Error("The request was given up"));
    };
    const handler: Dispatcher.DispatchHandler = {
      onConnect: (abortRequest) => {
        abort = abortRequest;
        account.written();
      },
      onResponseStarted: () => {
        account.startsAnswer();
        if (wire?.writtenWhileReading === true) giveUp({ kind: "mismatched", code: "UNASKED_RESPONSE" });
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
        if (reset === undefined) account.settleAnswer();
        else account.settleFailure(reset, true);
        onDone(true);
      },
      onError: (error) => {
        if (!account.isOpen) return;
        // What undici says of a 101; it knows that nobody asked for one.
        if (error.message === "bad upgrade") account.head(SWITCHING_PROTOCOLS);
        const { connected = false, end } = wire ?? {};
        // What lies behind the error that undici was given for a connection.
        const reason = !connected && error.cause instanceof Error ? error.cause : error;
        if (failure === undefined && account.completeUs !== null) account.settleAnswer(account.completeUs);
        else account.settleFailure(failure ?? classifyFailure(reason, { connected, end }), connected);
        // Undici is in the middle of clearing up, and would lose a request that it is given now.
        queueMicrotask(() => onDone(connected));
      },
    };
    return {
      send: () => {
        failure = undefined;
        client.dispatch(account.picked.isHead ? head : get, handler);
      },
      giveUp: () => giveUp({ kind: "timedOut" }),
      close: async () => {
        abort = undefined;
        wire?.socket.destroy();
        await client.destroy();
      },
    };
  });
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
  connected: boolean;
  /** How the other side ended it. */
  end: SocketEnd | undefined;
  /** Whether what is read now had come before the last request was written. */
  writtenWhileReading: boolean;
}

/**
 * Opens a connection. It counts every byte, and writes the bytes of the request as the scenario spells it whenever undici
 * writes one of its own: undici would put the headers into another order and refuse some of them.
 */
function openWire(
  to: Destination,
  { recorder: { counts } }: LoadRun,
  account: RequestAccount,
  onReady: () => void,
): Wire {
  const socket = openSocket(to, onReady, { protocol: "http/1.1" });
  const wire: Wire = { socket, connected: false, end: undefined, writtenWhileReading: false };
  const read = socket.read.bind(socket) as (size?: number) => Buffer | null;
  const write = socket.write.bind(socket) as (bytes: Buffer) => boolean;
  let reading = false;

  socket.read = (size?: number): Buffer | null => {
    const chunk = read(size);
    // Node itself asks with a size, to make the stream go on.
    if (size !== undefined) return chunk;
    reading = chunk !== null;
    if (chunk !== null) {
      wire.writtenWhileReading = false;
      counts.received += chunk.length;
    }
    return chunk;
  };
  // Undici writes a request that has no body, as it is given them, in one piece.
  socket.write = () => {
    wire.writtenWhileReading = reading;
    const { bytes } = account.picked;
    counts.written += bytes.length;
    return write(bytes);
  };
  // Whether the process may end is not for an idle connection to say, and undici would tell it twice for each request.
  socket.ref = () => socket;
  socket.unref = () => socket;
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
