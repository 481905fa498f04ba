import type { FailureClass } from "../../model/measurement.js";

/** What a client has to count for a request. */
export type Outcome = "ok" | FailureClass;

/** What the server does with one request, and what a client has to make of it. */
export interface Action {
  readonly outcome: Outcome;
  /** From the last byte of the request to the first byte written: so many ms, or until this has come. */
  readonly delay: number | Promise<void>;
  readonly bytes: Buffer;
  /** Packets the bytes are spread over. Each is written when who reads in this process has had a turn to read the one before. */
  readonly packets: number;
  /** Position at which the bytes are cut in two packets, in place of `packets`. */
  readonly splitAt?: number;
  /** What becomes of the connection; `more`: another answer begins on it, unasked, and does not end. */
  readonly then: "keep" | "fin" | "rst" | "more";
  /** Status of a complete answer; `null` where there is none. */
  readonly status: number | null;
  /** Bytes of the body that a client gets to see. */
  readonly bodyBytes: number;
}

/** How an answer differs from the ordinary one. */
export interface AnswerOptions {
  readonly outcome?: Outcome;
  readonly delay?: Action["delay"];
  readonly status?: number;
  readonly version?: "1.0" | "1.1";
  readonly body?: string;
  /** Header lines; a `Content-Length` that fits unless they are given. */
  readonly headers?: readonly string[];
  /** Body as it is framed, if not as it is. */
  readonly payload?: string;
  readonly packets?: number;
  /** Closes the connection after the answer. */
  readonly close?: boolean;
  /** Text in the same packet, before and after the answer. */
  readonly before?: string;
  readonly after?: string;
}

/** An answer; with no options a 200 with the body `hello`, on a connection that stays open. */
export function answer(options: AnswerOptions = {}): Action {
  const { status = 200, version = "1.1", body = "hello", payload = body, before = "", after = "" } = options;
  const headers = options.headers ?? [`Content-Length: ${Buffer.byteLength(body)}`];
  const head = [`HTTP/${version} ${status} Whatever`, ...headers, "", ""].join("\r\n");
  return {
    outcome: options.outcome ?? "ok",
    delay: options.delay ?? 0,
    bytes: Buffer.from(`${before}${head}${payload}${after}`),
    packets: options.packets ?? 1,
    then: options.close === true ? "fin" : "keep",
    status,
    bodyBytes: Buffer.byteLength(body),
  };
}

/** A 200 whose body comes in chunks. */
export function chunked(pieces: readonly string[], options: AnswerOptions = {}): Action {
  const frames = pieces.map((piece) => `${Buffer.byteLength(piece).toString(16)}\r\n${piece}\r\n`);
  const payload = `${frames.join("")}0\r\n\r\n`;
  return answer({ headers: ["Transfer-Encoding: chunked"], ...options, body: pieces.join(""), payload });
}

/** Closes without an answer, in order or by a reset. */
export function hangUp(how: "fin" | "rst", delay: Action["delay"] = 0): Action {
  return { ...nothing(), outcome: how === "fin" ? "dropped" : "resets", delay, then: how };
}

/** Closes in the middle of the body: ten bytes are promised, five come. */
export function breakOff(how: "fin" | "rst"): Action {
  const half = answer({ headers: ["Content-Length: 10"] });
  return { ...half, outcome: how === "fin" ? "dropped" : "resets", then: how, status: null };
}

/** Closes in the middle of the head. */
export function breakOffInHead(how: "fin" | "rst"): Action {
  return { ...hangUp(how), bytes: Buffer.from("HTTP/1.1 200 OK\r\nContent-Le") };
}

/** Answers with something that is not HTTP. */
export function gibberish(): Action {
  return { ...nothing(), outcome: "mismatched", bytes: Buffer.from("SSH-2.0-OpenSSH_9.2\r\n") };
}

/** Never answers. */
export function hang(): Action {
  return { ...nothing(), outcome: "timedOut" };
}

function nothing(): Omit<Action, "outcome"> {
  return { delay: 0, bytes: Buffer.alloc(0), packets: 1, then: "keep", status: null, bodyBytes: 0 };
}
