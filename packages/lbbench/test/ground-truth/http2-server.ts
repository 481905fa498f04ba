import http2, { type IncomingHttpHeaders, type ServerHttp2Stream } from "node:http2";
import type { AddressInfo, Socket } from "node:net";
import type { Outcome } from "./action.js";
import type { ServerIdentity } from "./ground-truth-server.js";
import { createServerLog, type ServerLog } from "./server-log.js";

/** What a server that speaks HTTP/2 does with one request, and what a client has to make of it. */
export interface Http2Action {
  readonly outcome: Outcome;
  /** From the last byte of the request to what is done. */
  readonly delayMs: number;
  readonly status: number | null;
  readonly body: string;
  readonly perform: (stream: ServerHttp2Stream, socket: Socket) => void;
}

/** A request over HTTP/2. */
export interface Http2Request {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** Says what to do with a request; `number` counts from 1 over the whole server. */
export type Http2Behaviour = (number: number, request: Http2Request) => Http2Action;

/** What it did, and how its connections were shared. */
export interface Http2Log extends ServerLog {
  /** Most streams that were open on one connection at a time. */
  mostStreams: number;
}

/** A server of Node's that does what it is told and writes down what it did. */
export interface Http2Server {
  readonly url: string;
  readonly log: Http2Log;
  /** Resolves when no connection is open any more. */
  readonly drained: () => Promise<void>;
  readonly close: () => Promise<void>;
}

/** An answer; with no options a 200 with the body `hello`. */
export function reply(
  options: {
    readonly outcome?: Outcome;
    readonly status?: number;
    readonly body?: string;
    readonly delayMs?: number;
    readonly headers?: Readonly<Record<string, string>>;
    readonly trailers?: boolean;
    readonly hints?: boolean;
    /** Ends the connection in order once the streams that are open are answered. */
    readonly goaway?: boolean;
  } = {},
): Http2Action {
  const { outcome = "ok", status = 200, body = "hello", delayMs = 0, headers = {} } = options;
  return {
    outcome,
    delayMs,
    status,
    body,
    perform: (stream) => {
      if (options.hints === true) stream.additionalHeaders({ ":status": 103, link: "</style.css>; rel=preload" });
      if (options.goaway === true) stream.session?.close();
      const waitForTrailers = options.trailers === true;
      stream.respond(
        { ...headers, ":status": status },
        { waitForTrailers, endStream: body === "" && !waitForTrailers },
      );
      if (waitForTrailers) stream.on("wantTrailers", () => stream.sendTrailers({ "x-sum": "1" }));
      if (body !== "" || waitForTrailers) stream.end(body);
    },
  };
}

/** Ends the stream without an answer. */
export function resetStream(code: number, outcome: Outcome): Http2Action {
  return { ...nothing(outcome), perform: (stream) => stream.close(code) };
}

/** Closes the connection without an answer, in order or by a reset. */
export function closeConnection(how: "fin" | "rst"): Http2Action {
  return {
    ...nothing(how === "fin" ? "dropped" : "resets"),
    perform: (_stream, socket) => void (how === "fin" ? socket.end() : socket.resetAndDestroy()),
  };
}

/** Never answers. */
export function neverReply(): Http2Action {
  return { ...nothing("timedOut"), perform: () => {} };
}

function nothing(outcome: Outcome): Omit<Http2Action, "perform"> {
  return { outcome, delayMs: 0, status: null, body: "" };
}

/** Starts a server on a free port of the loopback; with an `identity` it speaks TLS. */
export async function startHttp2Server(
  behaviour: Http2Behaviour,
  { identity, ...settings }: { readonly identity?: ServerIdentity; readonly maxConcurrentStreams?: number } = {},
): Promise<Http2Server> {
  const log: Http2Log = { ...createServerLog(), mostStreams: 0 };
  const sockets = new Set<Socket>();
  const waiting: (() => void)[] = [];
  const server =
    identity === undefined ? http2.createServer({ settings }) : http2.createSecureServer({ ...identity, settings });
  const open = new Map<Socket, number>();
  const countStreams = (socket: Socket, change: number): void => {
    const streams = (open.get(socket) ?? 0) + change;
    open.set(socket, streams);
    log.mostStreams = Math.max(log.mostStreams, streams);
  };
  const addSocket = (socket: Socket): void => {
    log.accepted += 1;
    sockets.add(socket);
    socket.on("error", () => {});
    socket.once("close", () => {
      log.readBytes += socket.bytesRead;
      log.writtenBytes += socket.bytesWritten;
      sockets.delete(socket);
      if (sockets.size === 0) for (const resolve of waiting.splice(0)) resolve();
    });
  };
  let last: Socket | undefined;
  // Before Node's own listener, which starts the session; that is told while the socket is the last one.
  server.prependListener(identity === undefined ? "connection" : "secureConnection", (socket: Socket) => {
    last = socket;
    addSocket(socket);
  });
  const socketOf = new WeakMap<object, Socket>();
  server.on("session", (session) => {
    if (last !== undefined) socketOf.set(session, last);
    session.on("error", () => {});
  });
  server.on("sessionError", () => {});
  server.on("stream", (stream, headers) => {
    const socket = stream.session === undefined ? undefined : socketOf.get(stream.session);
    if (socket === undefined) throw new Error("There is a stream without a connection");
    countStreams(socket, 1);
    stream.on("error", () => {});
    stream.on("close", () => countStreams(socket, -1));
    let body = "";
    stream.setEncoding("latin1").on("data", (text: string) => (body += text));
    stream.on("end", () => {
      log.requests += 1;
      const action = behaviour(log.requests, { headers, body });
      const act = (): void => {
        if (stream.destroyed) return;
        enter(log, action);
        action.perform(stream, socket);
      };
      if (action.delayMs === 0) act();
      else setTimeout(act, action.delayMs);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", 4096, resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `${identity === undefined ? "http" : "https"}://127.0.0.1:${port}/`,
    log,
    drained: () => (sockets.size === 0 ? Promise.resolve() : new Promise((resolve) => waiting.push(resolve))),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}

function enter(log: Http2Log, { outcome, status, body }: Http2Action): void {
  log.outcomes[outcome] += 1;
  log.bodyBytes += Buffer.byteLength(body);
  if (status !== null) log.statusCodes[status] = (log.statusCodes[status] ?? 0) + 1;
}
