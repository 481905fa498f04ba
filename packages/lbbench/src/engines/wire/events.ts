/** Server-sent events: where each of them ends in the body of an answer, and how they are accounted for. */
import type { AnswerListener, AnswerReader, Http1, OnComplete } from "../http1.js";

const [LF, CR, COLON] = [10, 13, 58];
const DATA = Buffer.from("data");
/** A column of no field of data. An index of `NaN` would do as well, but takes several times as long. */
const OTHER = -1;
/** May stand before a stream, and is no part of it. */
const BYTE_ORDER_MARK = Buffer.from("\uFEFF");

/**
 * Counts the events of `text/event-stream`, in pieces as they come: lines end with LF, CR or both, and an empty line ends an event that has
 * data (HTML Living Standard, 9.2.6). Comments and events without data count for nothing.
 */
export class EventScan {
  /** Bytes of a byte order mark so far; all of them behind the beginning of a stream. */
  #mark = 0;
  /** Bytes of the line so far; `OTHER` where it is no field of data. */
  #column = 0;
  #hasData = false;
  #isBehindCr = false;
  #isEmpty = true;

  /** Begins with a stream. */
  begin(): void {
    this.#mark = 0;
    this.#column = 0;
    this.#hasData = false;
    this.#isBehindCr = false;
    this.#isEmpty = true;
  }

  /** Returns how many events end in these bytes. */
  scan(bytes: Buffer, start: number, length: number): number {
    let events = 0;
    const end = start + length;
    for (let at = this.#skipMark(bytes, start, end); at < end; at += 1) {
      const byte = bytes[at];
      const isSecondHalf = byte === LF && this.#isBehindCr;
      this.#isBehindCr = byte === CR;
      if (isSecondHalf) continue;
      if (byte === LF || byte === CR) events += this.#endLine();
      else this.#take(byte ?? 0);
    }
    return events;
  }

  /** Returns where a stream goes on behind its byte order mark. */
  #skipMark(bytes: Buffer, start: number, end: number): number {
    let at = start;
    while (this.#mark < BYTE_ORDER_MARK.length && at < end) {
      const isOfMark = bytes[at] === BYTE_ORDER_MARK[this.#mark];
      this.#mark = isOfMark ? this.#mark + 1 : BYTE_ORDER_MARK.length;
      if (isOfMark) at += 1;
    }
    return at;
  }

  #take(byte: number): void {
    this.#isEmpty = false;
    if (byte === COLON && this.#column === DATA.length) this.#hasData = true;
    this.#column = this.#column !== OTHER && byte === DATA[this.#column] ? this.#column + 1 : OTHER;
  }

  #endLine(): number {
    const isEnd = this.#isEmpty && this.#hasData;
    // A name alone is a field without a value.
    if (this.#isEmpty) this.#hasData = false;
    else if (this.#column === DATA.length) this.#hasData = true;
    this.#column = 0;
    this.#isEmpty = true;
    return isEnd ? 1 : 0;
  }
}

/**
 * Has answers read as streams of events: tells each event of an answer whose status is expected, and has the answer complete, and its connection
 * lost, after so many of them. A stream that ends before is complete as well.
 *
 * @param most events of a stream.
 */
export function readEvents(
  most: number,
  createReader: (listener: AnswerListener, onComplete: OnComplete) => AnswerReader,
): Http1["createReader"] {
  return (account, onComplete) => {
    const scan = new EventScan();
    let events = 0;
    /** Of the answer that is being read nothing more is told. */
    let isOver = false;
    /** It has a status that was not expected: what is in it are no events. */
    let isRefused = false;
    const listener: AnswerListener = {
      get picked() {
        return account.picked;
      },
      head: (status, serverTiming) => {
        scan.begin();
        events = 0;
        isOver = false;
        isRefused = !account.picked.isExpected(status);
        account.head(status, serverTiming);
      },
      body: (bytes, start, length) => {
        if (isOver) return;
        account.body(bytes, start, length);
        if (isRefused) return;
        for (let left = scan.scan(bytes, start, length); left > 0 && events < most; left -= 1) {
          events += 1;
          account.event();
        }
        if (events < most) return;
        isOver = true;
        onComplete(false);
      },
    };
    return createReader(listener, (reusable) => {
      if (!isOver) onComplete(reusable);
    });
  };
}
