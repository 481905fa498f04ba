import type { Readable } from "node:stream";
import type { AnswerHeaders } from "../http/answer-head.js";
import type { RequestHead } from "../http/request-head.js";

/** Why an attempt failed: whether there was no connection, none in time, or what came was no complete answer. */
export type FailureKind = "connect" | "broken" | "invalid";

/** What a link tells of one attempt. Nothing is told after `failed` or `ended`, nor after the attempt was given up. */
export interface AttemptEvents {
  /** There is a connection, and the request goes out on it. */
  readonly onConnected: () => void;
  /** An answer before the answer, such as 103. */
  readonly onInformation: (status: number, reason: string, headers: AnswerHeaders) => void;
  readonly onHead: (status: number, reason: string, headers: AnswerHeaders) => void;
  /** A piece of the body; false asks the link to wait until `resume` is called. */
  readonly onData: (chunk: Buffer) => boolean;
  /** The answer is complete. Trailers: each with its line end. */
  readonly onEnd: (trailers: string) => void;
  readonly onFailed: (kind: FailureKind, reason: string) => void;
}

/** What is sent in one attempt. */
export interface AttemptRequest {
  readonly head: RequestHead;
  /** The path with what the backend's URL puts before it. */
  readonly path: string;
  /** Nothing, all of it, or what is on its way. */
  readonly body: Buffer | Readable | undefined;
}

/** One attempt to have a request answered. */
export interface Attempt {
  /** Goes on after `onData` said to wait. */
  readonly resume: () => void;
  /** Gives it up: ends what is left of it at the backend. Nothing is told after it. */
  readonly abandon: () => void;
}

/** The way to one backend: connections that are kept, and what is spoken on them. */
export interface Link {
  /** Sends a request. Whatever goes wrong is told as `onFailed`, never thrown; nothing is told before it returns. */
  readonly send: (request: AttemptRequest, events: AttemptEvents) => Attempt;
  /** Ends all connections; resolves when they are closed. */
  readonly close: () => Promise<void>;
}

/** What links are made with. */
export interface LinkContext {
  /** Header of answers that is left out because the balancer sends its own, in lower case. */
  readonly ownHeader: string | undefined;
  /** Size of an answer's head in bytes. */
  readonly headBytes: number;
}
