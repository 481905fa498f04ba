import type { AnswerHead, BodyScan, Fields, Http2Stream } from "@lbbench/wire";
import { Answer, httpDate } from "../http/answer.js";
import type { AskedRequest } from "../http/asked-request.js";
import type { HttpContext } from "../http/context.js";
import { fieldsOf } from "../http/head-of-fields.js";

/** Longer heads are not kept for the next answer. */
const KEPT_HEAD_BYTES = 2048;
/** So many backends' heads are kept for a connection. */
const KEPT_HEADS = 64;

/** The beginning of the types of calls. */
const GRPC = "application/grpc";
/** The statuses of gRPC that clients make of those of HTTP. Source: grpc/grpc, doc/http-grpc-status-mapping.md. */
const GRPC_STATUSES: ReadonlyMap<string, string> = new Map([
  ["400", "13"],
  ["401", "16"],
  ["403", "7"],
  ["404", "12"],
  ["429", "14"],
  ["502", "14"],
  ["503", "14"],
  ["504", "14"],
]);
const UNKNOWN = "2";
const DEADLINE_EXCEEDED = "4";
/** The units of `grpc-timeout`, in ms. */
const TIMEOUT_UNITS: ReadonlyMap<string, number> = new Map([
  ["H", 3_600_000],
  ["M", 60_000],
  ["S", 1000],
  ["m", 1],
  ["u", 0.001],
  ["n", 0.000_001],
]);

const CONTINUE: Fields = [":status", "100"];

/** The heads of answers that a connection has passed on last: most repeat one, and are then not read again. */
export class AnswerHeads {
  readonly #last = new Map<string, { head: Buffer; date: string; fields: Fields }>();
  readonly #backendHeader: string | false;

  constructor(backendHeader: string | false) {
    this.#backendHeader = backendHeader === false ? false : backendHeader.toLowerCase();
  }

  /** The fields of a head that has been read from `bytes`; the same array for the same head. */
  fieldsOf(head: AnswerHead, bytes: Buffer, backendName: string): Fields {
    const { start, linesEnd } = head;
    const length = linesEnd - start;
    // A date of the balancer's own makes another head of it each second.
    const date = head.hasDate ? "" : httpDate();
    const last = this.#last.get(backendName);
    if (last?.date === date && last.head.length === length && last.head.compare(bytes, start, linesEnd) === 0) {
      return last.fields;
    }
    const fields = fieldsOf(head.keptText(bytes, head.status === 204));
    if (date !== "") fields.push("date", date);
    if (this.#backendHeader !== false) {
      fields.push(this.#backendHeader, Buffer.from(backendName).toString("latin1"));
    }
    if (length <= KEPT_HEAD_BYTES && (last !== undefined || this.#last.size < KEPT_HEADS)) {
      this.#last.set(backendName, { head: Buffer.from(bytes.subarray(start, linesEnd)), date, fields });
    }
    return fields;
  }
}

/** The answer to one request, as it is written to a stream of a client that speaks HTTP/2. */
export class StreamAnswer extends Answer {
  readonly #stream: Http2Stream;
  readonly #heads: AnswerHeads;
  /** Its head, until that is written. */
  #head: Fields | undefined;
  /** Bytes of the body that are to come until the end; -1: not known. */
  #left = -1;
  #beganMs = 0;

  constructor(context: HttpContext, stream: Http2Stream, asked: AskedRequest, heads: AnswerHeads) {
    super(context, asked);
    this.#stream = stream;
    this.#heads = heads;
  }

  override begin(): void {
    super.begin();
    this.#head = undefined;
    this.#beganMs = performance.now();
  }

  override get endsByClose(): boolean {
    return false;
  }

  override passInterim(head: AnswerHead, bytes: Buffer): boolean {
    this.#stream.writeHead(fieldsOf(head.keptText(bytes, true)), false);
    return !this.#stream.blocked;
  }

  override sayContinue(): boolean {
    this.#stream.writeHead(CONTINUE, false);
    return !this.#stream.blocked;
  }

  override open(head: AnswerHead, bytes: Buffer, end: number, scan: BodyScan | undefined): number {
    const { status } = head;
    const isToHead = this.asked.method === "HEAD";
    const hasNoBody = isToHead || status === 204 || status === 304;
    this.isDelimited = hasNoBody || head.chunked || head.contentLength >= 0;
    this.status = status;
    // Trailers may follow on a body with a length, where it comes by HTTP/2.
    if (scan === undefined) this.#left = -1;
    else this.#left = hasNoBody ? 0 : head.chunked ? -1 : head.contentLength;
    scan?.beginAnswer(head, "payload", isToHead);
    const fields = this.#heads.fieldsOf(head, bytes, this.backendName);
    this.#head = this.serverTiming === "" ? fields : [...fields, "server-timing", this.serverTiming];
    return end;
  }

  override write(piece: Buffer): boolean {
    const stream = this.#stream;
    const { length } = piece;
    const isLast = this.#left === length;
    this.hasBegun = true;
    if (this.#left > 0) this.#left -= length;
    this.#writeHead(isLast && length === 0);
    if (length > 0) stream.writeData(piece, isLast);
    return !stream.blocked;
  }

  override end(trailers: string): void {
    const stream = this.#stream;
    this.hasBegun = true;
    this.#writeHead(trailers === "");
    if (!stream.hasEnded) stream.writeEnd(trailers === "" ? undefined : fieldsOf(trailers));
  }

  #writeHead(ends: boolean): void {
    if (this.#head === undefined) return;
    this.#stream.writeHead(this.#head, ends);
    this.#head = undefined;
  }

  /** Never called: a request of HTTP/2 asks for no other protocol. */
  override agree(): void {
    throw new TypeError("A stream of HTTP/2 does not change its protocol.");
  }

  protected override writeOwn(head: string, body: string): void {
    if (this.asked.headers["content-type"]?.startsWith(GRPC) === true) {
      return this.#stream.writeHead(statusOf(fieldsOf(head), body, this.#isPastDeadline()), true);
    }
    this.#stream.writeHead(fieldsOf(head), body === "");
    if (body !== "") this.#stream.writeData(Buffer.from(body, "latin1"), true);
  }

  /** Whether a call has taken longer than it may: its backend knows that, too, and may have reset it for that. */
  #isPastDeadline(): boolean {
    const { "grpc-timeout": text = "" } = this.asked.headers;
    const ms = Number(String(text).slice(0, -1)) * (TIMEOUT_UNITS.get(String(text).slice(-1)) ?? NaN);
    return performance.now() - this.#beganMs >= ms;
  }
}

/**
 * An answer of the balancer's own to a call: a status with its text in place of HTTP's, so that clients see why. `fields` are those of
 * the answer as HTTP has it, the first its status.
 */
function statusOf(fields: Fields, body: string, isPastDeadline: boolean): Fields {
  const status = isPastDeadline ? DEADLINE_EXCEEDED : (GRPC_STATUSES.get(fields[1] ?? "") ?? UNKNOWN);
  const answer = [
    ":status",
    "200",
    "content-type",
    GRPC,
    "grpc-status",
    status,
    "grpc-message",
    encoded(body.trimEnd()),
  ];
  for (let at = 2; at < fields.length; at += 2) {
    const name = fields[at] as string;
    if (!name.startsWith("content-")) answer.push(name, fields[at + 1] as string);
  }
  return answer;
}

/** Bytes other than printable ones, as gRPC writes them in texts. */
function encoded(latin1: string): string {
  return latin1.replaceAll(
    /[^ -$&-~]/g,
    (byte) => `%${byte.charCodeAt(0).toString(16).toUpperCase().padStart(2, "0")}`,
  );
}
