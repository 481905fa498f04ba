import { STATUS_CODES } from "node:http";
import type { AnswerHead, BodyScan, Connection } from "@lbbench/wire";
import type { AskedRequest } from "./asked-request.js";
import type { HttpContext } from "./link.js";

/** Up to this a piece of an answer is sent in one text with what stands before and behind it. */
const TEXT_BYTES = 16_384;

/** Answers before the answer that one request may have: more than any server sends, and no way to fill the memory. */
const INTERIM = { answers: 4096, bytes: 1_048_576 };

export const CLOSE = "Connection: close\r\n";
const KEEP_ALIVE = "Connection: keep-alive\r\n";
const CONTINUE = "HTTP/1.1 100 Continue\r\n\r\n";

/** What an answer is written to. */
export type AnswerTarget = Pick<Connection, "blocked" | "writeText" | "writeBytes" | "writeAll">;

/** The answer to one request, as it is written to a client that speaks HTTP/1.1 or 1.0: heads, framing of the body, and its end. */
export class ClientAnswer {
  readonly #context: HttpContext;
  readonly #client: AnswerTarget;
  readonly #asked: AskedRequest;
  /** Of the answer; 0 where there is none yet. */
  status = 0;
  /** Whether the client has been sent anything of it. */
  hasBegun = false;
  /** Whether it ends the client's connection. */
  closes = false;
  /** Whether the backend said where it ends, other than by the end of its connection. */
  isDelimited = true;
  /**
   * How the client sees the end of the body: by what the backend said; by its chunks; by chunks that each piece is made
   * here; or by the end of the connection.
   */
  #framing: "as said" | "chunks" | "wrapped" | "close" = "as said";
  /** What goes out in front of the next piece. */
  #before = "";
  #interimAnswers = 0;
  #interimBytes = 0;

  constructor(context: HttpContext, client: AnswerTarget, asked: AskedRequest) {
    this.#context = context;
    this.#client = client;
    this.#asked = asked;
  }

  /** Forgets the answer to the request before. */
  begin(): void {
    this.status = 0;
    this.hasBegun = false;
    this.#before = "";
    this.#interimAnswers = 0;
    this.#interimBytes = 0;
  }

  /** Whether the client learns only by the end of its connection that an answer is complete. */
  get endsByClose(): boolean {
    return this.#framing === "close";
  }

  /** Counts an answer before the answer, which took `size` bytes; false: there have been too many. */
  countInterim(size: number): boolean {
    this.#interimAnswers += 1;
    this.#interimBytes += size;
    return this.#interimAnswers <= INTERIM.answers && this.#interimBytes <= INTERIM.bytes;
  }

  /** Passes an answer before the answer on; false asks to wait. A client of HTTP/1.0 knows none. */
  passInterim(head: AnswerHead, bytes: Buffer): boolean {
    return this.#asked.isHttp10 || this.#client.writeText(`${head.keptText(bytes, true)}\r\n`);
  }

  /** Asks the client for the body; false asks to wait. */
  sayContinue(): boolean {
    return this.#client.writeText(CONTINUE);
  }

  /**
   * Begins the answer whose head has been read from `bytes` up to `end`; returns from where on what stands there is to be written.
   *
   * @param scan reads the body; without it each piece is payload.
   * @param isBodyLeftOut whether the client may leave out the body of its request, which it has not sent yet.
   */
  open(
    head: AnswerHead,
    bytes: Buffer,
    end: number,
    scan: BodyScan | undefined,
    backendName: string,
    isBodyLeftOut: boolean,
  ): number {
    const { options, closing } = this.#context;
    const { backendHeader } = options;
    const { method, isHttp10, keepAlive } = this.#asked;
    const { status } = head;
    const hasNoBody = method === "HEAD" || status === 204 || status === 304;
    const isEndless = !hasNoBody && !head.chunked && head.contentLength < 0;
    const isChunked = !hasNoBody && (head.chunked || isEndless);
    if (!isChunked) this.#framing = "as said";
    else if (isHttp10) this.#framing = "close";
    else this.#framing = isEndless || scan === undefined ? "wrapped" : "chunks";
    const framing = this.#framing;
    this.isDelimited = !isEndless;
    this.closes = closing || !keepAlive || framing === "close" || isBodyLeftOut;
    this.status = status;
    scan?.beginAnswer(head, isHttp10 ? "payload" : "pass", method === "HEAD");
    const isUsual = !this.closes && !isHttp10 && framing !== "wrapped" && head.hasDate && backendHeader === false;
    if (isUsual && scan !== undefined && !(hasNoBody && (head.chunked || status === 204))) {
      if (head.isWhole) return head.start;
      if (head.cutStart >= 0) {
        // What is left out is left behind: the lines before it move up to those behind it.
        const size = head.cutEnd - head.cutStart;
        bytes.copyWithin(head.start + size, head.start, head.cutStart);
        return head.start + size;
      }
    }
    let lines = head.keptText(bytes, status === 204);
    if (!head.hasDate) lines += `Date: ${httpDate()}\r\n`;
    if (framing === "chunks" || framing === "wrapped") lines += "Transfer-Encoding: chunked\r\n";
    if (backendHeader !== false) lines += `${backendHeader}: ${backendName}\r\n`;
    if (this.closes) lines += CLOSE;
    else if (isHttp10) lines += KEEP_ALIVE;
    this.#before = `${lines}\r\n`;
    return end;
  }

  /** Writes a piece, and what stands before it; false asks to wait. */
  write(piece: Buffer): boolean {
    const client = this.#client;
    this.hasBegun = true;
    const wraps = this.#framing === "wrapped";
    if (this.#before === "" && !wraps) return piece.length === 0 || client.writeBytes(piece);
    let before = this.#before;
    let behind = "";
    this.#before = "";
    if (wraps && piece.length > 0) {
      before += `${piece.length.toString(16)}\r\n`;
      behind = "\r\n";
    }
    if (piece.length <= TEXT_BYTES) return client.writeText(before + piece.toString("latin1") + behind);
    return client.writeAll([Buffer.from(before, "latin1"), piece, Buffer.from(behind, "latin1")]);
  }

  /** Writes the end; `isEnded`: the end of the chunks has been written with the last piece. */
  end(trailers: string, isEnded: boolean): void {
    let rest = this.#before;
    this.#before = "";
    this.hasBegun = true;
    if (this.#framing === "wrapped") rest += `0\r\n${trailers}\r\n`;
    else if (this.#framing === "chunks" && !isEnded) rest += `${trailers}\r\n`;
    if (rest !== "") this.#client.writeText(rest);
  }

  /** Writes that the backend agrees to switch to another protocol. */
  agree(head: AnswerHead, bytes: Buffer, backendName: string): void {
    const { backendHeader } = this.#context.options;
    const named = backendHeader === false ? "" : `${backendHeader}: ${backendName}\r\n`;
    this.status = 101;
    this.hasBegun = true;
    this.closes = true;
    this.#client.writeText(
      `${head.keptText(bytes, true)}${named}Connection: Upgrade\r\nUpgrade: ${head.upgrade}\r\n\r\n`,
    );
  }

  /** Writes an answer of the balancer's own, a plain text; `lines` are headers of it. `closes` says whether it ends the connection. */
  own(status: number, text: string, lines: string, closes: boolean): void {
    const { method, isHttp10 } = this.#asked;
    const more = status === 503 ? `Retry-After: ${this.#context.pool.retryAfterSeconds()}\r\n` : "";
    const connection = closes ? CLOSE : isHttp10 ? KEEP_ALIVE : "";
    this.#client.writeText(ownAnswer(status, text, lines + more, connection, method === "HEAD"));
  }
}

/** An answer of the balancer's own, with a plain text; `lines` are headers in front of those of the text, `last` behind. */
export function ownAnswer(status: number, text: string, lines: string, last: string, hasNoBody = false): string {
  const body = text === "" ? "" : `${text}\n`;
  const about = `Content-Type: text/plain; charset=utf-8\r\nContent-Length: ${Buffer.byteLength(body)}\r\n`;
  const head = `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ""}\r\n${lines}${body === "" ? "" : about}${last}\r\n`;
  return Buffer.from(hasNoBody ? head : head + body).toString("latin1");
}

let dateSecond = 0;
let dateText = "";

/** The time as HTTP writes it, to the second (RFC 9110, 5.6.7). */
function httpDate(): string {
  const second = Math.floor(Date.now() / 1000);
  if (second !== dateSecond) {
    dateSecond = second;
    dateText = new Date(second * 1000).toUTCString();
  }
  return dateText;
}
