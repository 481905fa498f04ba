import type { AnswerHead, BodyScan, Connection } from "@lbbench/wire";
import { Answer, asBytes, httpDate } from "./answer.js";
import type { AskedRequest } from "./asked-request.js";
import type { HttpContext } from "./context.js";

/** Up to this a piece of an answer is sent in one text with what stands before and behind it. */
const TEXT_BYTES = 16_384;

const CLOSE = "Connection: close\r\n";
const KEEP_ALIVE = "Connection: keep-alive\r\n";
const CONTINUE = "HTTP/1.1 100 Continue\r\n\r\n";

/** What an answer is written to. */
export type AnswerTarget = Pick<Connection, "writeText" | "writeBytes" | "writeAll">;

/** The answer to one request, as it is written to a client that speaks HTTP/1.1 or 1.0: heads, framing of the body, and its end. */
export class ClientAnswer extends Answer {
  readonly #client: AnswerTarget;
  /**
   * How the client sees the end of the body: by what the backend said; by its chunks; by chunks that each piece is made
   * here; or by the end of the connection.
   */
  #framing: "as said" | "chunks" | "wrapped" | "close" = "as said";
  /** What goes out in front of the next piece. */
  #before = "";

  constructor(context: HttpContext, client: AnswerTarget, asked: AskedRequest) {
    super(context, asked);
    this.#client = client;
  }

  override begin(): void {
    super.begin();
    this.#before = "";
  }

  override get endsByClose(): boolean {
    return this.#framing === "close";
  }

  /** A client of HTTP/1.0 knows none. */
  override passInterim(head: AnswerHead, bytes: Buffer): boolean {
    return this.asked.isHttp10 || this.#client.writeText(`${head.keptText(bytes, true)}\r\n`);
  }

  override sayContinue(): boolean {
    return this.#client.writeText(CONTINUE);
  }

  override open(head: AnswerHead, bytes: Buffer, end: number, scan: BodyScan | undefined): number {
    // What an attempt that failed has left.
    this.#before = "";
    const { options, closing } = this.context;
    const { backendHeader } = options;
    const { method, isHttp10, keepAlive } = this.asked;
    const { status } = head;
    const hasNoBody = method === "HEAD" || status === 204 || status === 304;
    const isEndless = !hasNoBody && !head.chunked && head.contentLength < 0;
    const isChunked = !hasNoBody && (head.chunked || isEndless);
    if (!isChunked) this.#framing = "as said";
    else if (isHttp10) this.#framing = "close";
    else this.#framing = isEndless || scan === undefined ? "wrapped" : "chunks";
    const framing = this.#framing;
    this.isDelimited = !isEndless;
    this.closes = closing || !keepAlive || framing === "close" || this.isBodyLeftOut;
    this.status = status;
    scan?.beginAnswer(head, isHttp10 ? "payload" : "pass", method === "HEAD");
    const addsNothing = head.hasDate && backendHeader === false && this.serverTiming === "";
    const isUsual = !this.closes && !isHttp10 && framing !== "wrapped" && addsNothing;
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
    lines += this.#backendLine();
    if (this.serverTiming !== "") lines += `Server-Timing: ${this.serverTiming}\r\n`;
    if (this.closes) lines += CLOSE;
    else if (isHttp10) lines += KEEP_ALIVE;
    this.#before = `${lines}\r\n`;
    return end;
  }

  override write(piece: Buffer): boolean {
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

  override end(trailers: string, isEnded: boolean): void {
    let rest = this.#before;
    this.#before = "";
    this.hasBegun = true;
    if (this.#framing === "wrapped") rest += `0\r\n${trailers}\r\n`;
    else if (this.#framing === "chunks" && !isEnded) rest += `${trailers}\r\n`;
    if (rest !== "") this.#client.writeText(rest);
  }

  override agree(head: AnswerHead, bytes: Buffer): void {
    this.status = 101;
    this.hasBegun = true;
    this.closes = true;
    const kept = head.keptText(bytes, true) + this.#backendLine();
    this.#client.writeText(`${kept}Connection: Upgrade\r\nUpgrade: ${head.upgrade}\r\n\r\n`);
  }

  #backendLine(): string {
    const { backendHeader } = this.context.options;
    return backendHeader === false ? "" : `${backendHeader}: ${asBytes(this.backendName)}\r\n`;
  }

  protected override writeOwn(head: string, body: string, closes: boolean): void {
    const connection = closes ? CLOSE : this.asked.isHttp10 ? KEEP_ALIVE : "";
    this.#client.writeText(`${head}${connection}\r\n${body}`);
  }
}
