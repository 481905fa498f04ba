import { STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import type { ClientAnswer } from "./client-answer.js";

/** What a client is told whose request cannot even be read, by the code of the error. */
const STATUS_OF: ReadonlyMap<string | undefined, number> = new Map([
  ["HPE_HEADER_OVERFLOW", 431],
  ["HPE_CHUNK_EXTENSIONS_OVERFLOW", 413],
  ["ERR_HTTP_REQUEST_TIMEOUT", 408],
]);

/** A connection as Node's server keeps it. */
export interface HttpSocket extends Duplex {
  /** The answer that is being sent or made, which Node keeps here. */
  readonly _httpMessage?: ClientAnswer | null;
}

/** Whether an error says that nobody is there any more to be told anything. */
export function isGone({ code }: NodeJS.ErrnoException): boolean {
  return code === "ECONNRESET" || code === "EPIPE";
}

/**
 * Ends a client's connection with a status, unless an answer has begun on it or it is gone already; returns the status
 * that was sent. What comes after a request that cannot be read is never taken for another one.
 */
export function refuseConnection(socket: HttpSocket, why: number | NodeJS.ErrnoException): number | undefined {
  if (typeof why !== "number" && isGone(why)) {
    socket.destroy();
    return undefined;
  }
  if (!socket.writable || socket._httpMessage?.headersSent === true) {
    socket.destroy();
    return undefined;
  }
  const status = typeof why === "number" ? why : (STATUS_OF.get(why.code) ?? 400);
  socket.on("error", () => undefined);
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ""}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`, () =>
    socket.destroy(),
  );
  return status;
}
