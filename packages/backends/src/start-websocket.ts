import { createServer, type IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import type { WebSocket } from "ws";
import {
  type BackendOptions,
  checkOptions,
  type ConnectionCounts,
  countConnections,
  IDLE_CHECK_MS,
  listen,
  type RunningBackend,
  runningHere,
  stopWith,
  urlOf,
} from "./backend.js";
import { disturbable } from "./disturbance.js";
import { resolveHandler, workOf } from "./handlers.js";
import { drainBody, prepareAnswer, sendAnswer, TEXT } from "./work.js";

/** What a WebSocket server is started with: its answers do not tell how long they took. */
export type WebSocketOptions = Omit<BackendOptions, "timing">;

/** Why a WebSocket is closed (RFC 6455, 7.4.1, and the registry of IANA). */
const CLOSE = { goingAway: 1001, internalError: 1011, tryAgainLater: 1013 } as const;

const notUpgraded = prepareAnswer(426, TEXT, "This server speaks WebSocket.\n");

/** A message that came. */
interface Message {
  readonly data: Buffer;
  readonly isBinary: boolean;
}

/**
 * Starts a WebSocket server (without TLS) in this process; resolves when it listens at `ws://host:port`. It does a handler's work for each
 * message, and then sends the message back. Where the handler answers with a 503 it closes the WebSocket with 1013, for any other 5xx with
 * 1011. Its `requests` are messages. Throws a `HandlerSpecError` or a `BackendStartError`.
 */
export async function startWebSocket(options: WebSocketOptions): Promise<RunningBackend> {
  const { draw, perform } = workOf(resolveHandler(options.handler));
  const endpoint = await checkOptions(options);
  // Loaded only when it is needed, so that servers which do without it start as fast as ever.
  const { WebSocketServer } = await import("ws");
  let messages = 0;
  /** WebSockets, each with its messages that are not answered yet. */
  const unanswered = new Map<WebSocket, number>();
  const count = (socket: WebSocket, more: number): void => {
    const before = unanswered.get(socket);
    if (before !== undefined) unanswered.set(socket, before + more);
  };
  const answer = (socket: WebSocket, { data, isBinary }: Message, status: number): void => {
    count(socket, -1);
    if (status < 500) socket.send(data, { binary: isBinary });
    else socket.close(status === 503 ? CLOSE.tryAgainLater : CLOSE.internalError);
  };
  const { serve, disturb } = disturbable<Message, WebSocket>(
    (message, socket) =>
      perform({ drawn: draw?.(), body: message.data }, ({ status }) => answer(socket, message, status)),
    (message, socket) => answer(socket, message, 503),
    (_message, socket) => !unanswered.has(socket),
  );
  const server = createServer({ noDelay: true }, (request, response) =>
    drainBody(request, () => sendAnswer(response, notUpgraded)),
  );
  const { open, counts } = countConnections(server, () => undefined);
  const webSockets = new WebSocketServer({ noServer: true, clientTracking: false });
  const take = (request: IncomingMessage, stream: Duplex, head: Buffer): void =>
    webSockets.handleUpgrade(request, stream, head, (socket) => webSockets.emit("connection", socket, request));
  server.on("upgrade", take);
  if (endpoint.identify) webSockets.on("headers", (headers) => headers.push(`x-worker: ${process.pid}`));
  webSockets.on("connection", (socket) => {
    unanswered.set(socket, 0);
    socket.once("close", () => unanswered.delete(socket));
    // A client that resets its connection, or breaks the protocol, is no error of the server.
    socket.on("error", () => undefined);
    socket.on("message", (data, isBinary) => {
      messages += 1;
      count(socket, 1);
      // In one piece, as `binaryType` says.
      serve({ data: data as Buffer, isBinary }, socket);
    });
  });
  const connections = (): ConnectionCounts => counts([...unanswered.values()].filter((left) => left > 0).length);
  const url = urlOf(endpoint.host, await listen(server, endpoint), "ws");
  const close = async (): Promise<void> => {
    const closeIdle = (): void => {
      server.closeIdleConnections();
      for (const [socket, left] of unanswered) if (left === 0) socket.close(CLOSE.goingAway);
    };
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    closeIdle();
    const idleCheck = setInterval(closeIdle, IDLE_CHECK_MS);
    await closed;
    clearInterval(idleCheck);
  };
  const stop = stopWith(close, () => open.forEach((_, socket) => socket.destroy()));
  return runningHere(url, () => messages, connections, disturb, stop);
}
