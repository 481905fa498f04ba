import http2, { type IncomingHttpHeaders, type ServerHttp2Stream, type Settings } from "node:http2";
import type { Socket } from "node:net";
import type { Action, Outcome } from "../../src/testing/ground-truth/action.js";
import { accept, standUp, trackSockets, type ReachOptions } from "../../src/testing/ground-truth/truth-server.js";
import {
  after,
  createServerLog,
  enterAction,
  enterRequest,
  type ServerLog,
  type TruthServer,
} from "../../src/testing/ground-truth/server-log.js";

/** What a server that speaks HTTP/2 does with one request, and what a client has to make of it. */
export interface Http2Action {
  readonly outcome: Outcome;
  /** From the last byte of the request to what is done, as that of an {@link Action}. */
  readonly delay: Action["delay"];
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

/** An answer; with no options a 200 with the body `hello`. */
export function reply(
  options: {
    readonly outcome?: Outcome;
    readonly status?: number;
    readonly body?: string;
    readonly delay?: Action["delay"];
    readonly headers?: Readonly<Record<string, string>>;
    readonly trailers?: boolean;
    readonly hints?: boolean;
  } = {},
): Http2Action {
  const { outcome = "ok", status = 200, body = "hello", delay = 0, headers = {} } = options;
  return {
    outcome,
    delay,
    status,
    body,
    perform: (stream) => {
      if (options.hints === true) stream.additionalHeaders({ ":status": 103, link: "</style.css>; rel=preload" });
      const waitForTrailers = options.trailers === true;
      const endStream = body === "" && !waitForTrailers;
      stream.respond({ ...headers, ":status": status }, { waitForTrailers, endStream });
      if (waitForTrailers) stream.on("wantTrailers", () => stream.sendTrailers({ "x-sum": "1" }));
      if (!endStream) stream.end(body);
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
  return { outcome, delay: 0, status: null, body: "" };
}

/** Starts a server of Node's that does what it is told and writes down what it did; with an `identity` it speaks TLS. */
export async function startHttp2Server(
  behaviour: Http2Behaviour,
  { identity, port = 0, ...settings }: ReachOptions & Pick<Settings, "maxConcurrentStreams" | "initialWindowSize"> = {},
): Promise<TruthServer<Http2Log>> {
  const log: Http2Log = { ...createServerLog(), mostStreams: 0 };
  const sockets = trackSockets();
  const server =
    identity === undefined ? http2.createServer({ settings }) : http2.createSecureServer({ ...identity, settings });
  const open = new Map<Socket, number>();
  const countStreams = (socket: Socket, change: number): void => {
    const streams = (open.get(socket) ?? 0) + change;
    open.set(socket, streams);
    log.mostStreams = Math.max(log.mostStreams, streams);
  };
  let last: Socket | undefined;
  // Before Node's own listener, which starts the session; that is told while the socket is the last one.
  server.prependListener(identity === undefined ? "connection" : "secureConnection", (socket: Socket) => {
    last = socket;
    accept(socket, sockets, log);
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
      const readAtMs = enterRequest(log);
      const action = behaviour(log.requests, { headers, body });
      after(action.delay, () => {
        if (stream.destroyed) return;
        enterAction(log, { ...action, bodyBytes: Buffer.byteLength(action.body) }, readAtMs);
        action.perform(stream, socket);
      });
    });
  });
  return { log, ...(await standUp(server, "http", { identity, port }, sockets)) };
}
