import { AnswerHead, BodyScan } from "@lbbench/wire";
import {
  INVALID_RESPONSE,
  UNASKED_RESPONSE,
  type AnswerListener,
  type AnswerReader,
  type OnComplete,
} from "../http1.js";
import { isInterim, SWITCHING_PROTOCOLS } from "../requests.js";

/** Longer heads are refused. */
const HEAD_BYTES = 65_536;

/** Reads one head after the other, of all connections. */
const HEAD = new AnswerHead({ headBytes: HEAD_BYTES });

/** The bytes of the head that `HEAD` has read last: most heads are the same as the one before. */
const LAST = Buffer.allocUnsafeSlow(HEAD_BYTES);
let lastBytes = 0;

/** As `HEAD.scan`; the same bytes are not read twice. */
function scanHead(bytes: Buffer, at: number, end: number): number {
  const isLast = lastBytes > 0 && at + lastBytes <= end && LAST.compare(bytes, at, at + lastBytes, 0, lastBytes) === 0;
  if (isLast) return at + lastBytes;
  const behind = HEAD.scan(bytes, at, end);
  // What was read holds only of a whole head.
  lastBytes = behind > 0 ? bytes.copy(LAST, 0, at, behind) : 0;
  return behind;
}

const SERVER_TIMING = "server-timing";

/** Reads answers where they stand, strictly, with the scanner of the balancer. */
export class AnswerScan implements AnswerReader {
  readonly #listener: AnswerListener;
  readonly #onComplete: OnComplete;
  readonly #serverTiming: boolean;
  readonly #body = new BodyScan();
  /** What has come of a head that is not whole. */
  #held: Buffer | undefined;
  #isInBody = false;
  #isReusable = true;

  /** `serverTiming`: whether the header of that name is read; it differs from answer to answer, so that each head is read. */
  constructor(listener: AnswerListener, onComplete: OnComplete, serverTiming = false) {
    this.#listener = listener;
    this.#onComplete = onComplete;
    this.#serverTiming = serverTiming;
  }

  begin(): void {
    this.#held = undefined;
    this.#isInBody = false;
  }

  read(bytes: Buffer, start: number, end: number): string | undefined {
    if (this.#held !== undefined) {
      const all = Buffer.concat([this.#held, bytes.subarray(start, end)]);
      this.#held = undefined;
      return this.read(all, 0, all.length);
    }
    let at = start;
    while (!this.#isInBody) {
      if (this.#serverTiming) lastBytes = 0;
      const behind = scanHead(bytes, at, end);
      if (behind < 0) return INVALID_RESPONSE;
      if (behind === 0) {
        if (at < end) this.#held = Buffer.from(bytes.subarray(at, end));
        return undefined;
      }
      at = behind;
      const { status } = HEAD;
      if (isInterim(status)) this.#listener.head(status);
      else {
        this.#listener.head(status, this.#serverTiming ? HEAD.field(SERVER_TIMING, bytes) : undefined);
        this.#beginBody(status);
      }
    }
    const body = this.#body;
    do {
      const to = body.take(bytes, at, end);
      if (to < 0) return INVALID_RESPONSE;
      if (to > at) this.#listener.body(bytes, at, to - at);
      at = body.next;
    } while (!body.done && at < end);
    if (!body.done) return undefined;
    this.#isInBody = false;
    this.#onComplete(this.#isReusable);
    return at === end ? undefined : UNASKED_RESPONSE;
  }

  finish(): void {
    if (this.#isInBody && this.#body.endsByClose) this.#onComplete(false);
  }

  #beginBody(status: number): void {
    this.#isInBody = true;
    this.#isReusable = HEAD.keepAlive && status !== SWITCHING_PROTOCOLS;
    this.#body.beginAnswer(HEAD, "payload", this.#listener.picked.isHead);
  }
}
