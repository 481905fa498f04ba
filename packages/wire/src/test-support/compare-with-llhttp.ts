import { METHODS } from "node:http";
import { BodyScan } from "../body.js";
import { AnswerHead, RequestHead } from "../head.js";
import { Draws } from "@lbbench/test-support/draws.js";
import { drawMessages } from "./fuzz-messages.js";
import { Llhttp } from "./llhttp.js";
import { readWire } from "@lbbench/test-support/wire-parse.js";

/** What a comparison went through, so that a test can see that it was about something. */
interface Compared {
  /** Heads that were accepted. */
  heads: number;
  /** Messages that were accepted to their end. */
  whole: number;
  /** Cases at whose end, or before it, something was refused. */
  refused: number;
}

/**
 * Draws messages of one direction and reads them with this parser and with llhttp: what is accepted here has to be
 * accepted there, with the same heads and bodies between the same bytes; and what is passed on of it may not be read in
 * two ways. Throws with the seed and the bytes of the first case that differs.
 */
export function compareWithLlhttp(what: "requests" | "answers", cases: number, firstSeed = 0): Compared {
  const compared = { heads: 0, whole: 0, refused: 0 };
  for (let seed = firstSeed; seed < firstSeed + cases; seed++) {
    const draws = new Draws(what === "requests" ? seed : -1 - seed);
    const text = drawMessages(draws, what);
    try {
      new Comparison(what, Buffer.from(text, "latin1"), draws, compared).run();
    } catch (error) {
      throw new Error(`Seed ${seed}, ${JSON.stringify(text)}: ${String(error)}`, { cause: error });
    }
  }
  return compared;
}

const requestHead = new RequestHead({ headBytes: 16_384, dropped: ["forwarded", "x-forwarded-for"], taken: ["via"] });
const answerHead = new AnswerHead({ headBytes: 16_384 });
const payload = new BodyScan();
const passing = new BodyScan();
const parsers = { requests: new Llhttp("requests"), answers: new Llhttp("answers") };
const HOP_LINE =
  /^(?:connection|keep-alive|proxy-connection|te|upgrade|transfer-encoding|via|expect|forwarded|x-forwarded-for):/im;

class Comparison {
  readonly #what: "requests" | "answers";
  readonly #bytes: Buffer;
  readonly #draws: Draws;
  readonly #compared: Compared;
  readonly #llhttp: Llhttp;

  /** Behind the last byte that was taken of a body. */
  #takenTo = 0;

  constructor(what: "requests" | "answers", bytes: Buffer, draws: Draws, compared: Compared) {
    this.#what = what;
    this.#bytes = bytes;
    this.#draws = draws;
    this.#compared = compared;
    this.#llhttp = parsers[what];
  }

  run(): void {
    const bytes = this.#bytes;
    const head = this.#what === "requests" ? requestHead : answerHead;
    this.#llhttp.begin();
    for (let at = 0; at < bytes.length;) {
      const behind = head.scan(bytes, at, bytes.length);
      if (behind < 0) this.#compared.refused += 1;
      if (behind <= 0) return;
      this.#compared.heads += 1;
      same("an early end", head.scan(bytes, at, at + this.#draws.below(behind - at)), 0);
      head.scan(bytes, at, bytes.length);
      this.#expectHead(head, at, behind);
      if (head === answerHead && head.status === 101) return;
      const end = this.#compareBody(head, behind);
      if (end === undefined) return;
      this.#compared.whole += 1;
      at = end;
    }
  }

  /** Lets llhttp read bytes, in pieces. */
  #feed(from: number, end: number): string | undefined {
    for (let at = from; at < end;) {
      const next = this.#draws.chance(0.7) ? end : at + 1 + this.#draws.below(end - at);
      const error = this.#llhttp.read(this.#bytes.subarray(at, next));
      if (error !== undefined) return error;
      at = next;
    }
    return undefined;
  }

  #expectHead(head: RequestHead | AnswerHead, from: number, behind: number): void {
    const llhttp = this.#llhttp;
    llhttp.forget();
    let method = "";
    let start = from;
    // It refuses methods that it does not know, which say nothing of where a request ends.
    if (head === requestHead && !METHODS.includes(requestHead.method)) {
      method = "GET";
      same("an error of llhttp in front", this.#feed(from, head.start), undefined);
      same("an error of llhttp in a method", llhttp.read(Buffer.from(method)), undefined);
      start = head.start + requestHead.method.length;
    }
    same("an error of llhttp in the head", this.#feed(start, behind - 1), undefined);
    same("a head of llhttp before its end", llhttp.head, undefined);
    same("an error of llhttp at the end of the head", this.#feed(behind - 1, behind), undefined);
    const other = llhttp.head;
    if (other === undefined) throw new Error("llhttp sees no end of the head.");
    same("version", other.isHttp10, head.isHttp10);
    const lines = this.#bytes.toString("latin1", head.linesStart, head.linesEnd);
    const headers = lines.split("\r\n").slice(0, -1).flatMap(splitLine);
    same("headers", JSON.stringify(llhttp.headers), JSON.stringify(headers));
    const endsByClosing = head === answerHead && !head.chunked && head.contentLength < 0;
    const says = head.keepAlive && !endsByClosing && !/^proxy-connection:/im.test(lines);
    if (says) same("keep-alive", other.keepAlive, true);
    if (head.upgrade !== "" && (head === requestHead || head.status === 101)) same("upgrade", other.isUpgrade, true);
    if (head === requestHead) {
      same("method", other.method, method === "" ? head.method : method);
      same("target", other.target, this.#bytes.toString("latin1", head.targetStart, head.targetEnd));
    } else same("status", other.status, (head as AnswerHead).status);
  }

  /** Where the body ends, if it does and llhttp is of the same opinion. */
  #compareBody(head: RequestHead | AnswerHead, from: number): number | undefined {
    const bytes = this.#bytes;
    const llhttp = this.#llhttp;
    const { status } = head;
    const isAnswer = head === answerHead;
    const hasNone = isAnswer && (status < 200 || status === 204 || status === 304);
    if (isAnswer) payload.beginAnswer(answerHead, "payload", false);
    else payload.beginRequest(requestHead, "payload");
    const body = this.#take(payload, from);
    if (body === undefined) {
      this.#compared.refused += 1;
      return undefined;
    }
    const { done, next } = payload;
    if (!done && head.chunked) {
      passing.beginChunked("pass");
      this.#take(passing, from);
    }
    // Extensions and trailers are read when they are there to their end.
    const end = done ? next : this.#takenTo;
    const last = done && end > from ? end - 1 : end;
    let error = this.#feed(from, last);
    if (error === undefined && last > from) same("an end of llhttp before the last byte", llhttp.ended, false);
    error ??= this.#feed(last, end);
    // What such trailers say is left out here.
    if (error !== undefined && /\n(?:content-length|transfer-encoding):/i.test(bytes.toString("latin1", from, end))) {
      return undefined;
    }
    same("an error of llhttp in the body", error, undefined);
    same("an end of the body", llhttp.ended, done);
    same("body", llhttp.body, body);
    same("bytes of the body", payload.payloadBytes, body.length);
    if (!done) return undefined;
    this.#expectPassed(head, from, body, head.chunked && !hasNone);
    // What asked to close, or for something else than HTTP, is the last that llhttp reads of a connection.
    if (llhttp.head?.keepAlive !== true || llhttp.head.isUpgrade || payload.trailers !== "") llhttp.begin();
    return end;
  }

  /** What a scan that has begun lets pass, in pieces; `undefined` if it finds a fault. */
  #take(scan: BodyScan, from: number): string | undefined {
    let text = "";
    scan.next = from;
    this.#takenTo = from;
    // Of its own: the payload is moved together in it.
    const bytes = Buffer.from(this.#bytes);
    for (let at = from; at < bytes.length && !scan.done; at = scan.next) {
      const pieceEnd = this.#draws.chance(0.7) ? bytes.length : at + 1 + this.#draws.below(bytes.length - at);
      const end = scan.take(bytes, at, pieceEnd);
      if (end < 0) return undefined;
      text += bytes.toString("latin1", at, end);
      if (end > at) this.#takenTo = end;
    }
    return text;
  }

  /** What is passed on of a message means the same to a reader that forgives nothing. */
  #expectPassed(head: RequestHead | AnswerHead, from: number, body: string, inChunks: boolean): void {
    let passed = body;
    if (inChunks) {
      passing.beginChunked("pass");
      passed = this.#take(passing, from) ?? "nothing";
      same("the end in the other mode", passing.next, payload.next);
      if (!passing.endWritten) passed += "\r\n";
    }
    const coding = head.chunked ? "Transfer-Encoding: chunked\r\n" : "";
    if (head === requestHead) {
      const { host, method } = head;
      const path = head.path(this.#bytes);
      const lines = head.keptFrom(this.#bytes, head.linesStart);
      same("lines of the hop", HOP_LINE.exec(lines)?.[0], undefined);
      same("lines in place", this.#linesInPlace(head) ?? lines, lines);
      const whole = `${method} ${path} HTTP/1.1\r\n${host === undefined ? "Host: a\r\n" : ""}${lines}${coding}\r\n${passed}`;
      const { requests, rest } = readWire(whole);
      same("what is behind it", rest, "");
      same(
        "what is passed on",
        JSON.stringify(requests.map((request) => [request.method, request.target, request.body])),
        JSON.stringify([[method, path, body]]),
      );
    }
  }

  #linesInPlace({ isWhole, linesStart, linesEnd, cutStart, cutEnd }: RequestHead): string | undefined {
    if (isWhole) return this.#bytes.toString("latin1", linesStart, linesEnd);
    if (cutStart < 0) return undefined;
    return this.#bytes.toString("latin1", linesStart, cutStart) + this.#bytes.toString("latin1", cutEnd, linesEnd);
  }
}

function splitLine(line: string): string[] {
  const colon = line.indexOf(":");
  return [line.slice(0, colon), line.slice(colon + 1).replaceAll(/^[\t ]+|[\t ]+$/g, "")];
}

function same(what: string, actual: unknown, expected: unknown): void {
  if (actual !== expected) throw new Error(`${what}: expected ${String(expected)}, got ${String(actual)}`);
}
