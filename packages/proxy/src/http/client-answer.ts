import { ServerResponse, type IncomingMessage } from "node:http";
import type { RequestLogEntry } from "../options/options.js";

/** How the end of an answer's body is told: not at all (there is none), by its length, in chunks, or by closing. */
export type Framing = "none" | "length" | "chunked" | "close";

/**
 * What `ServerResponse` keeps of a head that has been made ready, and how it sends: not documented, but unchanged since
 * Node 4 and what `on-headers` and its like have stood on since then. The tests of this file run on every version
 * of Node that is supported.
 */
interface ResponseInside {
  _header: string | null;
  _hasBody: boolean;
  _headerSent: boolean;
  _last: boolean;
  _trailer: string;
  _send(data: string | Buffer, encoding?: BufferEncoding): boolean;
  _writeRaw(data: string, encoding: BufferEncoding): boolean;
}

/** Up to this a body is sent in one text with the head: one system call, where two pieces cost two copies and more. */
export const WHOLE_BYTES = 16_384;

/**
 * A response whose head is given as a finished text. `writeHead` would check it and put it together again, header by
 * header, after a backend's answer has been read and checked already.
 */
export class ClientAnswer extends ServerResponse<IncomingMessage> {
  /** What is settled when the answer is closed. */
  exchange: { readonly settle: () => RequestLogEntry | undefined } | undefined;
  #head: string | undefined;

  /** Whether the head has been given, sent or not. */
  get opened(): boolean {
    return this.#head !== undefined;
  }

  /** Sends an answer before the answer, such as 103; ignored where clients do not know them. */
  inform(head: string): void {
    if (this.req.httpVersionMinor > 0 && !this.opened) inside(this)._writeRaw(`${head}\r\n`, "latin1");
  }

  /** Gives status line and headers, each with its line end; nothing is sent yet. `closes` ends the connection after it. */
  open(status: number, head: string, framing: Framing, closes: boolean): void {
    this.statusCode = status;
    let lines = head;
    if (framing === "chunked") lines += "Transfer-Encoding: chunked\r\n";
    if (closes) lines += "Connection: close\r\n";
    else if (this.req.httpVersionMinor === 0) lines += "Connection: keep-alive\r\n";
    this.#head = `${lines}\r\n`;
    const response = inside(this);
    response._header = this.#head;
    response._last = closes;
    response._hasBody = framing !== "none" && this.req.method !== "HEAD";
    this.chunkedEncoding = framing === "chunked";
  }

  /** Leaves it to the caller to end the connection that `open` said would end. */
  staysOpen(): void {
    inside(this)._last = false;
  }

  /** Ends the connection behind this answer, whether its head has been given or not. */
  endsConnection(): void {
    this.shouldKeepAlive = false;
    inside(this)._last = true;
  }

  /** Sends the head now. */
  sendHead(): void {
    if (!inside(this)._headerSent) inside(this)._send("", "latin1");
  }

  /** Ends an answer of which nothing was sent, with a whole body, in one piece if it is small. */
  endWhole(body: Buffer | undefined, trailers: string): void {
    if (body === undefined && !this.chunkedEncoding) {
      this.sendHead();
      this.end();
      return;
    }
    if (body !== undefined && body.length > WHOLE_BYTES) {
      this.endStreamed(trailers, body);
      return;
    }
    inside(this)._send(this.chunkedEncoding ? inChunks(body, trailers) : (body?.toString("latin1") ?? ""), "latin1");
    // What ends the body has been sent with it.
    this.chunkedEncoding = false;
    this.end();
  }

  /** Ends an answer of which something may have been sent; trailers, each with its line end, go with chunks only. */
  endStreamed(trailers: string, last?: Buffer): void {
    inside(this)._trailer = trailers;
    if (last === undefined) this.end();
    else this.end(last);
  }
}

function inChunks(body: Buffer | undefined, trailers: string): string {
  const chunk = body === undefined ? "" : `${body.length.toString(16)}\r\n${body.toString("latin1")}\r\n`;
  return `${chunk}0\r\n${trailers}\r\n`;
}

function inside(answer: ClientAnswer): ResponseInside {
  return answer as unknown as ResponseInside;
}
