import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import { onTestFinished } from "vitest";
import { WebSocket } from "ws";

/** Opens a WebSocket that is gone with the test; `headers` are those of the answer to its upgrade. */
export async function openWebSocket({ url }: { readonly url: string }) {
  const socket = new WebSocket(url);
  onTestFinished(() => socket.terminate());
  const [[{ headers }]] = await Promise.all([
    once(socket, "upgrade") as Promise<[IncomingMessage]>,
    once(socket, "open"),
  ]);
  return Object.assign(socket, { headers });
}

/** Sends a message; resolves with what comes back, or with the code that the server closes with. */
export function askWebSocket(socket: WebSocket, message: string | Buffer = "hi"): Promise<string | Buffer | number> {
  return new Promise((resolve) => {
    socket.once("message", (data, isBinary) => resolve(isBinary ? (data as Buffer) : String(data as Buffer)));
    socket.once("close", resolve);
    socket.send(message);
  });
}
