/** A server in this process that counts what it gets, in one of the protocols that engines speak. */
import { createServer, type ServerResponse } from "node:http";
import { constants, createServer as createHttp2Server, type ServerHttp2Stream } from "node:http2";
import type { Server } from "node:net";
import { WebSocketServer, type WebSocket } from "ws";
import { SCHEMES } from "../stats/url-address.js";
import { standUp } from "./ground-truth/truth-server.js";

/** What is done with a request; `nothing` leaves it open, `hang up` ends it without an answer. */
export type Answer = "ok" | "error" | "hang up" | "nothing";

/** What is done with each request, by its number, from 1. */
export type AnswerTo = (number: number) => Answer;

type Answers<Where> = Readonly<Record<Answer, (where: Where) => unknown>>;

/** How long the answers of HTTP say that the server took, in ms. */
export const TOLD_MS = 0.25;
const TOLD = { "server-timing": `app;dur=${TOLD_MS}` };

const HTTP1: Answers<ServerResponse> = {
  ok: (response) => response.writeHead(200, TOLD).end("hello"),
  error: (response) => response.writeHead(503).end("no"),
  "hang up": (response) => response.socket?.destroy(),
  nothing: () => {},
};

const respond =
  (status: number, body: string) =>
  (stream: ServerHttp2Stream): void => {
    stream.respond({ ":status": status, ...TOLD });
    stream.end(body);
  };

const HTTP2: Answers<ServerHttp2Stream> = {
  ok: respond(200, "hello"),
  error: respond(503, "no"),
  "hang up": (stream) => stream.close(constants.NGHTTP2_INTERNAL_ERROR),
  nothing: () => {},
};

const GRPC_HEADERS = { ":status": 200, "content-type": "application/grpc" };
/** Not compressed, 0 bytes long: a message of any type. */
const EMPTY_MESSAGE = Buffer.alloc(5);

/** Of any unary method. No gRPC library answers, so that none is measured by itself. */
const GRPC: Answers<ServerHttp2Stream> = {
  ...HTTP2,
  ok: (stream) => {
    stream.once("wantTrailers", () => stream.sendTrailers({ "grpc-status": "0" }));
    stream.respond(GRPC_HEADERS, { waitForTrailers: true });
    stream.end(EMPTY_MESSAGE);
  },
  error: (stream) => stream.respond({ ...GRPC_HEADERS, "grpc-status": "14" }, { endStream: true }),
};

/** A message on its WebSocket. It has no status, so that an error is an answer that is no echo. */
interface Message {
  readonly socket: WebSocket;
  readonly data: Buffer;
}

const WEBSOCKET: Answers<Message> = {
  ok: ({ socket, data }) => socket.send(data, { binary: false }),
  error: ({ socket }) => socket.send("no"),
  "hang up": ({ socket }) => socket.terminate(),
  nothing: () => {},
};

/** Where each is reached, and its statuses. */
const PROTOCOLS = {
  "HTTP/1.1": { scheme: SCHEMES.http, statuses: { ok: "200", error: "503" } },
  "HTTP/2": { scheme: SCHEMES.http, statuses: { ok: "200", error: "503" } },
  gRPC: { scheme: SCHEMES.grpc, statuses: { ok: "OK", error: "UNAVAILABLE" } },
  WebSocket: { scheme: SCHEMES.websocket, statuses: { ok: "OK", error: "OK" } },
} as const;

/** A server that counts what it gets. */
export type CountingServer = Awaited<ReturnType<typeof startCountingServer>>;

/**
 * Starts a server that speaks one protocol and nothing else; HTTP/2 and gRPC by prior knowledge. All requests are ok by default. `statuses`
 * are the names of those that it answers with.
 */
export async function startCountingServer(
  answer: AnswerTo = () => "ok",
  protocol: keyof typeof PROTOCOLS = "HTTP/1.1",
) {
  let [requests, connections] = [0, 0];
  const next = (): Answer => {
    requests += 1;
    return answer(requests);
  };
  const overHttp2 = protocol === "gRPC" ? GRPC : HTTP2;
  const overHttp1 = (): Server =>
    createServer((request, response) => {
      request.resume();
      HTTP1[next()](response);
    });
  const overStreams = (): Server =>
    createHttp2Server().on("stream", (stream) => {
      // Requests that their client gives up.
      stream.on("error", () => {}).resume();
      overHttp2[next()](stream);
    });
  const overWebSockets = (): Server => {
    const http = createServer();
    new WebSocketServer({ server: http }).on("connection", (socket) => {
      socket.on("error", () => {});
      socket.on("message", (data) => void WEBSOCKET[next()]({ socket, data: data as Buffer }));
    });
    return http;
  };
  const start = { "HTTP/1.1": overHttp1, "HTTP/2": overStreams, gRPC: overStreams, WebSocket: overWebSockets };
  const server = start[protocol]();
  server.on("connection", () => void (connections += 1));
  const { scheme, statuses } = PROTOCOLS[protocol];
  const { url, close } = await standUp(server, scheme);
  return { url: new URL("/", url).href, statuses, requests: () => requests, connections: () => connections, close };
}
