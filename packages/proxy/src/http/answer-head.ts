import { STATUS_CODES } from "node:http";
import { byLength } from "./by-length.js";
import { InvalidAnswerError } from "./invalid-answer-error.js";

/** The headers of a backend's answer as the client is to get them. */
export interface AnswerHeaders {
  /** `Name: value` lines, each with its line end; without those of the hop and without the framing. */
  readonly lines: string;
  /** Length of the body, where the backend said it. */
  readonly length: number | undefined;
  /** Whether the backend sends the body in chunks. */
  readonly chunked: boolean;
}

/** What a header is to the balancer. */
type Meaning = "pass" | "hop" | "connection" | "length" | "coding" | "date";

const NO_TEXT = /[^\t\r\n\x20-\x7e\x80-\xff]/;

/**
 * The headers of an answer from their bytes, as undici gives them: name, value, name, value. What is to be passed on
 * mostly stands in one piece in the bytes that came, and is then taken as one piece: names and values need not be made
 * into texts one by one.
 *
 * Throws an `InvalidAnswerError` when the headers cannot be passed on. `ownName` is a header to leave out, in lower case.
 */
export function answerHeadersOfBytes(raw: readonly Buffer[], ownName: string | undefined): AnswerHeaders {
  let named: ReadonlySet<string> | undefined;
  for (let pass = 0; pass < 2; pass++) {
    const headers = readBytes(raw, ownName, named);
    if (headers.named === undefined) return finish(headers);
    named = headers.named;
  }
  throw new InvalidAnswerError("its Connection header cannot be read");
}

interface ReadHeaders {
  lines: string;
  length: number | undefined;
  coding: string | undefined;
  hasDate: boolean;
  /** Headers that `Connection` says are of the hop, when that was not known yet. */
  named: ReadonlySet<string> | undefined;
}

function readBytes(
  raw: readonly Buffer[],
  ownName: string | undefined,
  named: ReadonlySet<string> | undefined,
): ReadHeaders {
  const found: ReadHeaders = { lines: "", length: undefined, coding: undefined, hasDate: false, named: undefined };
  // The run of headers that stand one after the other in the same bytes, and are all to be passed on.
  let first: Buffer | undefined;
  let end = 0;
  for (let index = 0; index + 1 < raw.length; index += 2) {
    const name = raw[index] as Buffer;
    const value = raw[index + 1] as Buffer;
    const meaning = meaningOf(name.length, name, ownName, named);
    if (meaning === "date") found.hasDate = true;
    else if (meaning !== "pass" && meaning !== "hop") note(found, meaning, value.toString("latin1"), named);
    if (meaning === "pass" || meaning === "date") {
      if (!followsOn(name, value)) {
        if (first !== undefined) found.lines += textOf(first, end);
        first = undefined;
        found.lines += `${name.toString("latin1")}: ${value.toString("latin1")}\r\n`;
        continue;
      }
      const joins = first !== undefined && first.buffer === name.buffer && name.byteOffset === end + 2;
      if (first !== undefined && !joins) found.lines += textOf(first, end);
      if (!joins) first = name;
      end = value.byteOffset + value.length;
    }
  }
  if (first !== undefined) found.lines += textOf(first, end);
  return found;
}

/** Whether a value stands behind its name with a colon and at most one blank between. */
function followsOn(name: Buffer, value: Buffer): boolean {
  const gap = value.byteOffset - (name.byteOffset + name.length);
  return value.buffer === name.buffer && value.length > 0 && (gap === 1 || gap === 2);
}

function textOf(first: Buffer, end: number): string {
  return `${Buffer.from(first.buffer, first.byteOffset, end - first.byteOffset).toString("latin1")}\r\n`;
}

/** The headers of an answer from their texts, as Node gives them; otherwise as `answerHeadersOfBytes`. */
export function answerHeadersOfTexts(raw: readonly string[], ownName: string | undefined): AnswerHeaders {
  let named: ReadonlySet<string> | undefined;
  for (let index = 0; index + 1 < raw.length; index += 2) {
    if ((raw[index] as string).toLowerCase() === "connection") named = namesIn(raw[index + 1] as string, named);
  }
  const found: ReadHeaders = { lines: "", length: undefined, coding: undefined, hasDate: false, named: undefined };
  for (let index = 0; index + 1 < raw.length; index += 2) {
    const name = raw[index] as string;
    const value = raw[index + 1] as string;
    const meaning = meaningOf(name.length, name, ownName, named);
    if (meaning !== "pass") note(found, meaning, value, named ?? NOTHING);
    if (meaning === "pass" || meaning === "date") found.lines += `${name}: ${value}\r\n`;
  }
  return finish(found);
}

const NOTHING: ReadonlySet<string> = new Set();

function meaningOf(
  length: number,
  name: Buffer | string,
  ownName: string | undefined,
  named: ReadonlySet<string> | undefined,
): Meaning {
  if (named !== undefined && named.size > 0 && named.has(lowerCaseOf(name))) return "hop";
  if (length === ownName?.length && lowerCaseOf(name) === ownName) return "hop";
  const known = MEANINGS[length];
  if (known === undefined) return "pass";
  for (const [text, meaning] of known) {
    if (typeof name === "string" ? name.toLowerCase() === text : isName(name, text)) return meaning;
  }
  return "pass";
}

function lowerCaseOf(name: Buffer | string): string {
  return (typeof name === "string" ? name : name.toString("latin1")).toLowerCase();
}

/** Whether bytes are a word of the same length, in whatever case: letters and hyphens differ in bit 5 only. */
function isName(bytes: Buffer, word: string): boolean {
  for (let index = 0; index < word.length; index++) {
    if (((bytes[index] as number) | 0x20) !== word.charCodeAt(index)) return false;
  }
  return true;
}

/** Headers that are not just passed on, by the length of their names. */
const MEANINGS = byLength<Meaning>([
  ["te", "hop"],
  ["date", "date"],
  ["upgrade", "hop"],
  ["connection", "connection"],
  ["keep-alive", "hop"],
  ["content-length", "length"],
  ["proxy-connection", "hop"],
  ["transfer-encoding", "coding"],
  ["proxy-authenticate", "hop"],
]);

function note(found: ReadHeaders, meaning: Meaning, value: string, named: ReadonlySet<string> | undefined): void {
  switch (meaning) {
    case "connection": {
      if (named === undefined) {
        const more = namesIn(value, found.named);
        if (more.size > 0) found.named = more;
      }
      return;
    }
    case "length":
      if (!/^\d{1,15}$/.test(value) || (found.length !== undefined && found.length !== Number(value))) {
        throw new InvalidAnswerError(`its Content-Length cannot be read: ${JSON.stringify(value)}`);
      }
      found.length = Number(value);
      return;
    case "coding":
      found.coding = found.coding === undefined ? value : `${found.coding}, ${value}`;
      return;
    case "date":
      found.hasDate = true;
      return;
    default:
  }
}

/** The headers that a `Connection` names, in lower case. */
function namesIn(connection: string, before: ReadonlySet<string> | undefined): ReadonlySet<string> {
  const plain = connection.toLowerCase();
  if (plain === "keep-alive" || plain === "close") return before ?? NOTHING;
  const names = plain.split(",").map((name) => name.trim());
  // What frames a message and what it is about are not to be taken out by anybody's word.
  return new Set([...(before ?? []), ...names.filter((name) => name !== "" && !ALWAYS_KEPT.has(name))]);
}

const ALWAYS_KEPT: ReadonlySet<string> = new Set([
  "close",
  "keep-alive",
  "content-length",
  "transfer-encoding",
  "connection",
  "host",
]);

function finish({ lines, length, coding, hasDate }: ReadHeaders): AnswerHeaders {
  if (NO_TEXT.test(lines)) throw new InvalidAnswerError("one of its headers has a character that is not allowed there");
  if (coding !== undefined && (length !== undefined || coding.toLowerCase() !== "chunked")) {
    throw new InvalidAnswerError(
      length === undefined
        ? `its Transfer-Encoding is not understood: ${JSON.stringify(coding)}`
        : "it has both a Content-Length and a Transfer-Encoding",
    );
  }
  return { lines: hasDate ? lines : `${lines}Date: ${httpDate()}\r\n`, length, chunked: coding !== undefined };
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

/** The first line of an answer. Throws an `InvalidAnswerError` when it cannot be passed on. */
export function statusLine(status: number, reason: string): string {
  if (status < 100 || status > 999) throw new InvalidAnswerError(`its status is ${status}`);
  if (NO_REASON.test(reason)) {
    if (CONTROL.test(reason)) throw new InvalidAnswerError("its reason has a character that is not allowed there");
    return `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ""}\r\n`;
  }
  return `HTTP/1.1 ${status} ${reason}\r\n`;
}

const NO_REASON = /[^\t\x20-\x7e\x80-\xff]/;
// oxlint-disable-next-line no-control-regex -- these characters are what it looks for
const CONTROL = /[\x00-\x08\x0a-\x1f\x7f]/;
