import type { IncomingMessage } from "node:http";

/**
 * Calls `then` with what a request carries when it has come whole, or with `undefined` when that is more than
 * `limitBytes`. Never calls it for a request that breaks off.
 */
export function readBody(
  request: IncomingMessage,
  limitBytes: number,
  then: (body: Uint8Array | undefined) => void,
): void {
  const chunks: Buffer[] = [];
  let bytes = 0;
  request.on("data", (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes <= limitBytes) chunks.push(chunk);
    // The rest is read all the same: a client that still sends would not see the answer.
    else chunks.length = 0;
  });
  request.on("end", () => then(bytes > limitBytes ? undefined : joined(chunks, bytes)));
}

/** In memory of its own: a small `Buffer` is a part of a larger one, and all of that would be sent to a thread. */
function joined(chunks: readonly Buffer[], bytes: number): Uint8Array {
  const body = new Uint8Array(bytes);
  let at = 0;
  for (const chunk of chunks) {
    body.set(chunk, at);
    at += chunk.length;
  }
  return body;
}
