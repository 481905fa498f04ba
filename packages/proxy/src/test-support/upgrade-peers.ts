import { once } from "node:events";
import { createServer as createHttpServer, type IncomingMessage, type Server } from "node:http";
import { connect, createServer as createTcpServer, type NetConnectOpts, type Socket } from "node:net";
import { onTestFinished } from "vitest";
import { WebSocket, WebSocketServer, type ClientOptions, type ServerOptions } from "ws";
import { serveChecks } from "./health-servers.js";

/** Starts a WebSocket server that sends back what it is sent, at a port or a Unix socket, until the test ends. */
export async function startEcho(
  options: ServerOptions = {},
  {
    server = createHttpServer((_, response) => response.end("plain")),
    place,
  }: { server?: Server; place?: string } = {},
) {
  const wss = new WebSocketServer({ ...options, server });
  const requests: IncomingMessage[] = [];
  wss.on("connection", (socket, request) => {
    requests.push(request);
    socket.on("error", () => undefined);
    socket.on("message", (data, isBinary) => socket.send(data as Buffer, { binary: isBinary }));
  });
  const served = await serveChecks(server, place);
  return { ...served, url: `http://127.0.0.1:${served.port}`, wss, requests };
}

/** Opens a WebSocket that is gone with the test; `url` is that of the balancer. */
export async function openWebSocket(url: string, protocols: string[] = [], options: ClientOptions = {}) {
  const socket = new WebSocket(url.replace(/^http/, "ws"), protocols, options);
  onTestFinished(() => socket.terminate());
  await once(socket, "open");
  socket.on("error", () => undefined);
  return socket;
}

/** Sends a message and returns the next one that comes. */
export async function echo(socket: WebSocket, message: string | Buffer): Promise<{ data: Buffer; isBinary: boolean }> {
  const next = once(socket, "message") as Promise<[Buffer, boolean]>;
  socket.send(message);
  const [data, isBinary] = await next;
  return { data, isBinary };
}

/** Starts a server that hands over each connection with the head of the first request on it, and what came behind. */
export async function startChat(onRequest: (socket: Socket, head: string, rest: string) => void, place?: string) {
  const server = createTcpServer({ allowHalfOpen: true }, (socket) => {
    let text = "";
    const onData = (chunk: Buffer): void => {
      text += chunk.toString("latin1");
      const end = text.indexOf("\r\n\r\n");
      if (end < 0) return;
      socket.off("data", onData);
      onRequest(socket, text.slice(0, end), text.slice(end + 4));
    };
    socket.on("data", onData);
  });
  const served = await serveChecks(server, place);
  return { ...served, url: `http://127.0.0.1:${served.port}` };
}

/** Has a connection closed as soon as the other side has ended it. */
export function endWithPeer(socket: Socket): void {
  socket.on("end", () => socket.end()).resume();
}

/** What a backend says that agrees to speak chat. */
export const AGREED = "HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: chat\r\n\r\n";

/** What a client says that wants to speak chat. */
export function askForChat(path = "/", lines = "", method = "GET"): string {
  return `${method} ${path} HTTP/1.1\r\nHost: chat.test\r\nConnection: keep-alive, Upgrade\r\nUpgrade: chat\r\n${lines}\r\n`;
}

/** A connection on which a test speaks for itself. */
export function openRaw(where: NetConnectOpts) {
  const socket = connect({ ...where, allowHalfOpen: true });
  onTestFinished(() => void socket.destroy());
  const seen = { text: "", ended: false, reset: false, closed: false };
  socket.on("data", (chunk: Buffer) => (seen.text += chunk.toString("latin1")));
  socket.on("end", () => (seen.ended = true));
  socket.on("close", () => (seen.closed = true));
  socket.on("error", (error: NodeJS.ErrnoException) => (seen.reset = error.code === "ECONNRESET"));
  return { socket, seen };
}
