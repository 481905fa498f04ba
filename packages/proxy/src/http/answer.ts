import { STATUS_CODES } from "node:http";
import type { AnswerHead, BodyScan } from "@lbbench/wire";
import type { AskedRequest } from "./asked-request.js";
import type { HttpContext } from "./context.js";

/** Answers before the answer that one request may have: more than any server sends, and no way to fill the memory. */
const INTERIM = { answers: 4096, bytes: 1_048_576 };

/** The answer to one request, as it is written to the client in the version of HTTP that it speaks. Used for one request after the other. */
export abstract class Answer {
  /** Of the answer; 0 where there is none yet. */
  status = 0;
  /** Whether the client has been sent anything of it. */
  hasBegun = false;
  /** Whether it ends the client's connection. */
  closes = false;
  /** Whether the backend said where it ends, other than by the end of its connection. */
  isDelimited = true;
  /** Name of the backend that it comes from. Set before it is opened, or agrees to an upgrade. */
  backendName = "";
  /** What the balancer adds to its `Server-Timing`; "" for nothing. Set before it is opened. */
  serverTiming = "";
  /** Whether the client may leave out the body of its request, which it has not sent yet. Set before it is opened. */
  isBodyLeftOut = false;
  protected readonly context: HttpContext;
  protected readonly asked: AskedRequest;
  #interimAnswers = 0;
  #interimBytes = 0;

  constructor(context: HttpContext, asked: AskedRequest) {
    this.context = context;
    this.asked = asked;
  }

  /** Forgets the answer to the request before. */
  begin(): void {
    this.status = 0;
    this.hasBegun = false;
    this.#interimAnswers = 0;
    this.#interimBytes = 0;
  }

  /** Whether the client learns only by the end of its connection that an answer is complete. */
  abstract get endsByClose(): boolean;

  /** Counts an answer before the answer, which took `size` bytes; false: there have been too many. */
  countInterim(size: number): boolean {
    this.#interimAnswers += 1;
    this.#interimBytes += size;
    return this.#interimAnswers <= INTERIM.answers && this.#interimBytes <= INTERIM.bytes;
  }

  /** Passes an answer before the answer on; false asks to wait. */
  abstract passInterim(head: AnswerHead, bytes: Buffer): boolean;

  /** Asks the client for the body; false asks to wait. */
  abstract sayContinue(): boolean;

  /**
   * Begins the answer whose head has been read from `bytes` up to `end`; returns from where on what stands there is to be written.
   *
   * @param scan reads the body; without it each piece is payload.
   */
  abstract open(head: AnswerHead, bytes: Buffer, end: number, scan: BodyScan | undefined): number;

  /** Writes a piece, and what stands before it; false asks to wait. */
  abstract write(piece: Buffer): boolean;

  /** Writes the end; `isEnded`: the end of the chunks has been written with the last piece. */
  abstract end(trailers: string, isEnded: boolean): void;

  /** Writes that the backend agrees to switch to another protocol. */
  abstract agree(head: AnswerHead, bytes: Buffer): void;

  /** Writes an answer of the balancer's own, a plain text; `lines` are headers of it. `closes` says whether it ends the connection. */
  own(status: number, text: string, lines: string, closes: boolean): void {
    const more = status === 503 ? `Retry-After: ${this.context.pool.retryAfterSeconds()}\r\n` : "";
    const body = text === "" ? "" : asBytes(`${text}\n`);
    this.writeOwn(ownHead(status, body, lines + more), this.asked.method === "HEAD" ? "" : body, closes);
  }

  /** Writes an answer of the balancer's own, as latin1 texts: its head without the blank line, and its body. */
  protected abstract writeOwn(head: string, body: string, closes: boolean): void;
}

/** The head of the balancer's own answer without the blank line; `lines` are headers before those of the body. */
function ownHead(status: number, body: string, lines: string): string {
  const about = `Content-Type: text/plain; charset=utf-8\r\nContent-Length: ${body.length}\r\n`;
  const first = `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ""}\r\nDate: ${httpDate()}\r\n`;
  return asBytes(`${first}${lines}${body === "" ? "" : about}`);
}

/** A text in UTF-8, as latin1 text, which is how texts are written. */
export function asBytes(text: string): string {
  return NOT_ASCII.test(text) ? Buffer.from(text).toString("latin1") : text;
}

const NOT_ASCII = /[^\p{ASCII}]/u;

let dateSecond = 0;
let dateText = "";

/** The time as HTTP writes it, to the second (RFC 9110, 5.6.7). */
export function httpDate(): string {
  const second = Math.floor(Date.now() / 1000);
  if (second !== dateSecond) {
    dateSecond = second;
    dateText = new Date(second * 1000).toUTCString();
  }
  return dateText;
}
