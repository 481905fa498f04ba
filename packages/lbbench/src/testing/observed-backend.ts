import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { standUp } from "./ground-truth/truth-server.js";

/** A server in this process that tells how it was used. */
export type ObservedBackend = Awaited<ReturnType<typeof observeBackend>>;

/** Starts it; it answers at once, but keeps requests for `/hold` until they are released. */
export async function observeBackend() {
  const sockets = new Set<object>();
  const held: ServerResponse[] = [];
  const received: IncomingMessage[] = [];
  let most = 0;
  const server = createServer((request, response) => {
    received.push(request);
    sockets.add(request.socket);
    request.resume();
    if (request.url !== "/hold") return void response.end("observed");
    held.push(response);
    most = Math.max(most, held.length);
  });
  const { url, close } = await standUp(server, "http");
  return {
    url: new URL(url).origin,
    /** Connections that carried a request. */
    connections: () => sockets.size,
    /** The most requests that were under way at once. */
    most: () => most,
    /** Requests under way, oldest first; answered by `release`. */
    held: () => held.length,
    release: () => void held.shift()?.end("released"),
    /** What has come, oldest first. */
    received,
    close,
  };
}
