import { once } from "node:events";
import { createServer, type IncomingMessage, type Server } from "node:http";
import { expect, onTestFinished } from "vitest";
import { WebSocket, WebSocketServer, type ClientOptions } from "ws";
import { serve } from "@lbbench/test-support/servers.js";

/** Starts a WebSocket server that sends back what it is sent, at a port or a Unix socket, until the test ends. */
export async function startEcho(
  place: number | string = 0,
  server: Server = createServer((_, response) => response.end("plain")),
) {
  const wss = new WebSocketServer({ server });
  const requests: IncomingMessage[] = [];
  wss.on("connection", (socket, request) => {
    requests.push(request);
    socket.on("error", () => undefined);
    socket.on("message", (data, isBinary) => socket.send(data as Buffer, { binary: isBinary }));
  });
  return { ...(await serve(server, place)), wss, requests };
}

/** Opens a WebSocket that is gone with the test; `url` is that of the balancer. */
export async function openWebSocket(url: string, options: ClientOptions & { readonly protocols?: string[] } = {}) {
  const socket = new WebSocket(url.replace(/^http/, "ws"), options.protocols ?? [], options);
  onTestFinished(() => socket.terminate());
  await once(socket, "open");
  return socket.on("error", () => undefined);
}

/** Expects that what is sent comes back. */
export async function expectEcho(socket: WebSocket, message: string | Buffer = "still here"): Promise<void> {
  const next = once(socket, "message") as Promise<[Buffer, boolean]>;
  socket.send(message);
  const [data, isBinary] = await next;
  expect([isBinary, data.equals(Buffer.from(message))]).toEqual([typeof message !== "string", true]);
}
