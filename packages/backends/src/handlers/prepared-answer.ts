import type { Answer } from "./work.js";

/** Makes an answer that is the same each time. */
export function prepareAnswer(status: number, contentType: string, body: string): Answer {
  const headers = ["Content-Type", contentType, "Content-Length", String(Buffer.byteLength(body))];
  return { status, headers, body: pickPayload(body) };
}

/**
 * Below this many bytes, Node sends a text in one piece with the head, which is faster than a buffer in a piece of its
 * own.
 */
const SHORT_BYTES = 4096;

function pickPayload(body: string): string | Buffer {
  const buffer = Buffer.from(body);
  return buffer.length <= SHORT_BYTES ? body : buffer;
}
