import { Gathered } from "./gathered.js";
import { HeaderLines, type AnswerHead, type RequestHead } from "./head.js";

const LF = 10;
const CR = 13;
const ZERO = 48;
const COLON = 58;
const SEMICOLON = 59;

/** How long extensions and trailers of one body may be in all. */
const MAX_EXTRA_BYTES = 16_384;
/** Below this, a loop moves bytes faster than a call does. */
const FEW_BYTES = 32;
/** More cannot be told apart as a number, and is never sent. */
const MAX_SIZE_DIGITS = 15;

/** Names that trailers may not have: they change how the message is read, or who may read it (RFC 9110, 6.5.1). */
const FORBIDDEN_TRAILERS = (
  "transfer-encoding content-length host connection keep-alive te trailer " +
  "upgrade authorization set-cookie content-encoding content-type content-range"
)
  .split(" ")
  .map((name) => [name, "hop"] as const);

/** Reads the trailers of one body at a time, whole; one for all, since its table takes kilobytes. */
const TRAILERS = new HeaderLines(FORBIDDEN_TRAILERS);

/** Extensions of a chunk (RFC 9112, 7.1.1), without the blanks that it allows between their parts. */
const EXTENSIONS =
  /^(?:;[!#$%&'*+.^_`|~0-9A-Za-z-]+(?:=(?:[!#$%&'*+.^_`|~0-9A-Za-z-]+|"(?:[\t !#-[\]-~\x80-\xff]|\\[\t -~\x80-\xff])*"))?)+$/;

const NO_TEXT = /[^\t -~\x80-\xff]/;
const NO_EXTENSION = "an extension of a chunk is not NAME=VALUE";

/** What the next byte of a chunked body belongs to; `last`: the trailers, or the line end behind them. */
type Place = "size" | "extensions" | "size LF" | "data" | "data CR" | "data LF" | "last";

/**
 * Follows the body of one message after another through the pieces in which it comes. A body in chunks may go on as it came
 * ("pass"), without extensions and trailers, or without its framing ("payload"): the payload of a piece is then moved together in
 * place, so that many small chunks cost no more than a large one.
 *
 * Never throws.
 */
export class BodyScan {
  /** Where to go on behind what `take` took, in the same bytes; what is between is left out. */
  next = 0;
  /** Whether the body has ended, as before the first one; what stands behind `next` is no part of it. */
  done = true;
  /** Why it cannot be read: a clause that says what is wrong. */
  reason = "";
  /** Bytes of the body so far, without framing. */
  payloadBytes = 0;
  /** When it is done: trailers that may be passed on, as latin1 text, each with its line end; "" for none. */
  trailers = "";
  /** Whether the line end behind the last chunk is part of what was taken; else `trailers` and a line end are to follow. */
  endWritten = false;
  #framing: "length" | "chunked" | "close" = "length";
  #isPayload = false;
  /** Bytes that are left of the body or the chunk; while a size is read, the number so far. */
  #left = 0;
  #place: Place = "size";
  #digits = 0;
  #extraBytes = 0;
  /** Extensions that have not come to their end. */
  #extensions = "";
  /** A line of trailers that has not come to its end. */
  readonly #line = new Gathered();
  /** It is read again when it has grown to this size, or has come to its end. */
  #nextLook = 0;

  /** Begins with the body of a request whose head has been read; there is none unless the head says so (RFC 9112, 6.3). */
  beginRequest(head: RequestHead, mode: "pass" | "payload"): void {
    if (head.chunked) this.beginChunked(mode);
    else this.beginLength(Math.max(0, head.contentLength));
  }

  /**
   * Begins with the body of an answer whose head has been read (RFC 9112, 6.3). Answers to HEAD (`isToHead`), and those
   * with 1xx, 204 and 304, have none, even if they say so; the others last until the close if they say nothing.
   */
  beginAnswer(head: AnswerHead, mode: "pass" | "payload", isToHead: boolean): void {
    const { status } = head;
    if (isToHead || status < 200 || status === 204 || status === 304) this.beginLength(0);
    else if (head.chunked) this.beginChunked(mode);
    else if (head.contentLength >= 0) this.beginLength(head.contentLength);
    else this.beginUntilClose();
  }

  /** Begins with a body of so many bytes; of none it is `done` at once. */
  beginLength(bytes: number): void {
    this.#begin("length");
    this.#left = bytes;
    this.done = bytes === 0;
  }

  /** Begins with a body in chunks, which goes on in chunks as it came, or without its framing. */
  beginChunked(mode: "pass" | "payload"): void {
    this.#begin("chunked");
    this.#isPayload = mode === "payload";
    this.#place = "size";
    this.#digits = 0;
    this.#left = 0;
    this.#extraBytes = 0;
    this.#extensions = "";
    this.#line.clear();
    this.#nextLook = 0;
  }

  /** Begins with a body that ends with its connection. It is never `done`. */
  beginUntilClose(): void {
    this.#begin("close");
  }

  /** Whether only the end of the connection ends the body. */
  get endsByClose(): boolean {
    return this.#framing === "close";
  }

  /**
   * How far the bytes from `from` may be taken: the end of that piece, which is `from` for nothing. Goes on at `next`; of
   * what is before that, the rest is of no use any more. -1: malformed, see `reason`; nothing from `from` on is to be taken.
   */
  take(bytes: Buffer, from: number, end: number): number {
    if (this.#framing === "chunked" && !this.done) return this.#takeChunks(bytes, from, end);
    const size = this.#framing === "close" ? end - from : this.done ? 0 : Math.min(this.#left, end - from);
    this.payloadBytes += size;
    this.next = from + size;
    if (this.#framing === "length") {
      this.#left -= size;
      this.done = this.#left === 0;
    }
    return this.next;
  }

  #begin(framing: "length" | "chunked" | "close"): void {
    this.#framing = framing;
    this.done = false;
    this.payloadBytes = 0;
    this.trailers = "";
    this.endWritten = false;
  }

  #takeChunks(bytes: Buffer, from: number, end: number): number {
    const isPayload = this.#isPayload;
    let at = from;
    // Where the payload ends that has been moved together.
    let to = from;
    while (at < end) {
      const byte = bytes[at] as number;
      switch (this.#place) {
        case "data": {
          const size = Math.min(this.#left, end - at);
          if (isPayload) to = moveDown(bytes, at, size, to);
          at += size;
          this.#left -= size;
          this.payloadBytes += size;
          if (this.#left === 0) this.#place = "data CR";
          continue;
        }
        case "data CR":
          if (byte !== CR) return this.#malformed("a chunk does not end where its size says");
          this.#place = "data LF";
          break;
        case "data LF":
          if (byte !== LF) return this.#malformed("a chunk does not end where its size says");
          this.#place = "size";
          this.#digits = 0;
          break;
        case "size": {
          const digit = hexDigit(byte);
          if (digit >= 0) {
            this.#left = this.#left * 16 + digit;
            this.#digits += 1;
            if (this.#digits > MAX_SIZE_DIGITS) return this.#malformed("the size of a chunk is too long");
            break;
          }
          if (this.#digits === 0 || (byte !== CR && byte !== SEMICOLON)) {
            return this.#malformed("the size of a chunk is no number");
          }
          if (this.#left > Number.MAX_SAFE_INTEGER) return this.#malformed("the size of a chunk is too long");
          this.#place = byte === CR ? "size LF" : "extensions";
          if (byte === CR) break;
          continue;
        }
        case "extensions": {
          if (byte === CR) {
            if (!EXTENSIONS.test(this.#extensions)) return this.#malformed(NO_EXTENSION);
            this.#extensions = "";
            this.#place = "size LF";
            break;
          }
          const behind = this.#readExtensions(bytes, at, end);
          if (behind < 0) return behind;
          if (!isPayload) return this.#taken(at, behind);
          at = behind;
          continue;
        }
        case "size LF":
          if (byte !== LF) return this.#malformed("the size of a chunk does not end with CR and LF");
          this.#place = this.#left === 0 ? "last" : "data";
          break;
        case "last":
          return this.#takeEnd(bytes, isPayload ? to : at, at, end);
      }
      at++;
    }
    return this.#taken(isPayload ? to : at, at);
  }

  /** Reads what has come of extensions, and returns the position behind it; -1: malformed. */
  #readExtensions(bytes: Buffer, start: number, end: number): number {
    let at = start;
    while (at < end && bytes[at] !== CR) at++;
    this.#extraBytes += at - start;
    if (this.#extraBytes > MAX_EXTRA_BYTES) return this.#tooLong();
    const piece = bytes.toString("latin1", start, at);
    if (NO_TEXT.test(piece)) return this.#malformed(NO_EXTENSION);
    this.#extensions += piece;
    return at;
  }

  /** The line end behind the last chunk, or trailers and then a line end; what stands before `taken` is taken. */
  #takeEnd(bytes: Buffer, taken: number, start: number, end: number): number {
    const line = this.#line;
    const isFirst = line.length === 0 && this.trailers === "";
    if (isFirst && bytes[start] === CR && start + 1 < end && bytes[start + 1] === LF) {
      this.done = true;
      this.endWritten = !this.#isPayload;
      return this.#taken(this.#isPayload ? taken : start + 2, start + 2);
    }
    const stop = Math.min(end, start + MAX_EXTRA_BYTES - this.#extraBytes);
    const before = line.length;
    line.append(bytes, start, stop);
    this.#extraBytes += stop - start;
    if (line.length >= this.#nextLook || bytes.subarray(start, stop).includes(LF)) {
      const all = line.view();
      TRAILERS.reset();
      const behind = TRAILERS.scanLines(all, 0, all.length);
      if (behind < 0) return this.#malformed(`its trailers cannot be read: ${TRAILERS.reason}`);
      this.trailers += TRAILERS.keptFrom(all, 0);
      line.clear();
      if (behind > 0) {
        this.done = true;
        return this.#taken(taken, start + behind - before);
      }
      line.append(all, TRAILERS.linesEnd, all.length);
      this.#nextLook = 2 * line.length;
    }
    if (this.#extraBytes === MAX_EXTRA_BYTES) return this.#tooLong();
    return this.#taken(taken, end);
  }

  #taken(end: number, next: number): number {
    this.next = next;
    return end;
  }

  #tooLong(): number {
    return this.#malformed(`extensions of its chunks and trailers are longer than ${MAX_EXTRA_BYTES} bytes`);
  }

  #malformed(reason: string): number {
    this.reason = reason;
    return -1;
  }
}

/** Moves bytes to an earlier place, and returns where they end there. */
function moveDown(bytes: Buffer, at: number, size: number, to: number): number {
  if (to === at) return at + size;
  if (size > FEW_BYTES) bytes.copyWithin(to, at, at + size);
  else for (let index = 0; index < size; index++) bytes[to + index] = bytes[at + index] as number;
  return to + size;
}

/** What a hexadecimal digit stands for; -1 for any other byte. */
function hexDigit(byte: number): number {
  if (byte >= ZERO && byte < COLON) return byte - ZERO;
  const letter = (byte | 0x20) - 0x61;
  return letter >= 0 && letter < 6 ? letter + 10 : -1;
}
