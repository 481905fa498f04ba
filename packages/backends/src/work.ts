/** What is done for a request; and how it comes and is answered over HTTP. */
import type { IncomingMessage, ServerResponse } from "node:http";

/** Answers requests; what `http.createServer` takes. */
export type Handler = (request: IncomingMessage, response: ServerResponse) => void;

/** What the work for one request needs to know; plain data, which can be sent to another thread. */
export interface Task {
  readonly drawn?: number | undefined;
  /** Type and bytes of what the request carried; only for work that uses them. */
  readonly contentType?: string | undefined;
  readonly body?: Uint8Array;
}

/** An answer as plain data, which can be sent to another thread. */
export interface Answer {
  readonly status: number;
  /** Names and values in turn. */
  readonly headers: readonly string[];
  readonly body: string | Uint8Array;
}

/** What one kind of handler does for its requests: the same in a plain server, a pool and a gRPC service. */
export interface Work {
  /** Whether it needs what the requests carry; otherwise that is thrown away. */
  readonly usesBody?: boolean;
  /**
   * What is different from one request to the next, such as a delay. Called once for each request, in their order and in
   * one place, so that the same requests get the same, whichever thread works.
   */
  readonly draw?: () => number;
  /** Does the work and then hands over the answer. The thread that does it has no time for another request until then. */
  readonly perform: (task: Task, done: (answer: Answer) => void) => void;
}

/** A handler that does the work where it is called, as soon as a request has come whole. */
export function workHandler({ draw, perform }: Work): Handler {
  return (request, response) => {
    // When the request comes, so that the order of what is drawn is the order of the requests.
    const task = { drawn: draw?.() };
    drainBody(request, () => perform(task, (answer) => sendAnswer(response, answer)));
  };
}

/** Calls `then` when the whole request has come; what it carries is thrown away. */
export function drainBody(request: IncomingMessage, then: () => void): void {
  // Not looking at the headers saves their parsing; Node itself drains the rare body of a GET.
  if (request.method === "GET" || request.method === "HEAD") return then();
  request.on("end", then);
  request.resume();
}

/**
 * Calls `then` with what a request carries when it has come whole, or with `undefined` when that is more than
 * `limitBytes`. Never calls it for a request that breaks off.
 */
export function readBody(request: IncomingMessage, limitBytes: number, then: (body: Buffer | undefined) => void): void {
  const chunks: Buffer[] = [];
  let bytes = 0;
  request.on("data", (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes <= limitBytes) chunks.push(chunk);
    // The rest is read all the same: a client that still sends would not see the answer.
    else chunks.length = 0;
  });
  request.on("end", () => then(bytes > limitBytes ? undefined : Buffer.concat(chunks)));
}

export function sendAnswer(response: ServerResponse, { status, headers, body }: Answer): void {
  response.writeHead(status, headers as string[]);
  response.end(body);
}

export const TEXT = "text/plain; charset=utf-8";

/** Below this many bytes, Node sends a text in one piece with the head, which is faster than a buffer in a piece of its own. */
const SHORT_BYTES = 4096;

export function prepareAnswer(status: number, contentType: string, body: string): Answer {
  const buffer = Buffer.from(body);
  const headers = ["Content-Type", contentType, "Content-Length", String(buffer.length)];
  return { status, headers, body: buffer.length <= SHORT_BYTES ? body : buffer };
}

/** A text of the given number of bytes, or the short one when there is no size. */
export function textBody(short: string, sizeBytes: number | undefined): string {
  if (sizeBytes === undefined) return short;
  return short.repeat(Math.ceil(sizeBytes / short.length)).slice(0, sizeBytes);
}

/** A JSON document of the given number of bytes (at least 2), or a short one when there is no size. */
export function jsonBody(sizeBytes: number | undefined): string {
  if (sizeBytes === undefined) return JSON.stringify({ message: "hello" });
  const frame = JSON.stringify({ message: "hello", padding: "" });
  if (sizeBytes < frame.length) return JSON.stringify("x".repeat(sizeBytes - 2));
  return JSON.stringify({ message: "hello", padding: "x".repeat(sizeBytes - frame.length) });
}
