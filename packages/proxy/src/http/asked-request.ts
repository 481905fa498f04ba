import type { IncomingHttpHeaders } from "node:http";
import type { RequestHead } from "@lbbench/wire";

const NOTHING: Buffer = Buffer.alloc(0);
/** A head of which nothing has been read. */
const UNREAD = { method: "", targetStart: 0, targetEnd: 0, start: 0, isHttp10: false };

/** The head of a client's request. It is kept as it came, since the memory that it was read from is used again. */
export class AskedRequest {
  method = "";
  /** What is asked for in `Upgrade`; "" for nothing. */
  upgrade = "";
  isHttp10 = false;
  hasHost = true;
  /** Whether the client wants its connection to be kept. */
  keepAlive = true;
  /** Whether it asks about the server as a whole, by `*` in place of a path. */
  isOfServer = false;
  readonly #reader: RequestHead;
  #raw = NOTHING;
  #targetStart = 0;
  #targetEnd = 0;
  #isRepeatable = false;
  #headers: IncomingHttpHeaders | undefined;

  /** @param reader reads the headers when they are asked for. */
  constructor(reader: RequestHead) {
    this.#reader = reader;
  }

  /** Keeps a head that has been read from `bytes`, up to `end`. */
  keep(head: RequestHead, bytes: Buffer, end: number): void {
    const { start } = head;
    const raw = Buffer.allocUnsafe(end - start);
    bytes.copy(raw, 0, start, end);
    this.#raw = raw;
    this.#targetStart = head.targetStart - start;
    this.#targetEnd = head.targetEnd - start;
    this.#headers = undefined;
    this.method = head.method;
    this.isHttp10 = head.isHttp10;
    this.hasHost = head.host !== undefined;
    this.keepAlive = head.keepAlive;
    this.upgrade = head.upgrade;
    this.isOfServer = !head.isPlainTarget && head.path(bytes) === "*";
    const hasBody = head.chunked || head.contentLength > 0;
    this.#isRepeatable = !hasBody && this.upgrade === "" && !this.isOfServer;
  }

  /** Keeps what can be told of a head that cannot be read. */
  keepRefused({ method, targetStart, targetEnd, start, isHttp10 }: typeof UNREAD, bytes: Buffer): void {
    const end = Math.max(targetEnd, start);
    this.#raw = Buffer.from(bytes.subarray(start, end));
    this.#targetStart = targetStart - start;
    this.#targetEnd = end - start;
    this.#headers = {};
    this.#isRepeatable = false;
    this.method = method;
    this.isHttp10 = isHttp10;
    this.upgrade = "";
  }

  keepUnread(): void {
    this.keepRefused(UNREAD, NOTHING);
  }

  /** Returns where a head ends that is the same as this one, or 0: most clients repeat theirs, and nothing has to be read again. */
  isRepeatedIn(bytes: Buffer, from: number, end: number): number {
    const { length } = this.#raw;
    if (!this.#isRepeatable || end - from < length) return 0;
    return bytes.compare(this.#raw, 0, length, from, from + length) === 0 ? from + length : 0;
  }

  /** Path and query as the client sent them. */
  get url(): string {
    return this.#raw.toString("latin1", this.#targetStart, this.#targetEnd);
  }

  get headers(): IncomingHttpHeaders {
    if (this.#headers === undefined) {
      this.#reader.scan(this.#raw, 0, this.#raw.length);
      this.#headers = this.#reader.headers(this.#raw);
    }
    return this.#headers;
  }
}
