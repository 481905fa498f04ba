import { METHODS, type IncomingHttpHeaders } from "node:http";

const TAB = 9;
const LF = 10;
const CR = 13;
const SPACE = 32;
const SLASH = 47;
const ZERO = 48;
const COLON = 58;

/** 1 for each byte that names of headers and methods are made of (RFC 9110, 5.6.2). */
const TOKEN = new Uint8Array(256);
/** 1 for each byte that values of headers and reasons are made of: no control character but the tab (RFC 9110, 5.5). */
const VALUE = new Uint8Array(256);
/** 1 for each byte that targets are made of. */
const TARGET = new Uint8Array(256);
for (const character of "!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ") {
  TOKEN[character.charCodeAt(0)] = 1;
}
for (let byte = SPACE; byte < 256; byte++) {
  if (byte !== 0x7f) VALUE[byte] = 1;
  if (byte > SPACE && byte < 0x7f) TARGET[byte] = 1;
}
VALUE[TAB] = 1;

const CHUNKED = Buffer.from("chunked");
const KEEP_ALIVE = Buffer.from("keep-alive");
const CLOSE = Buffer.from("close");
const TRAILERS = Buffer.from("trailers");

/** What a header is; all others are passed on. `hop` is left out, `taken` is left out and told. */
type Meaning = "hop" | "connection" | "upgrade" | "length" | "coding" | "host" | "te" | "taken" | "date";

/** A header that is not just passed on: its name in lower case. */
type KnownHeader = readonly [name: string, meaning: Meaning];

function withMeaning(names: readonly string[], meaning: Meaning): KnownHeader[] {
  return names.map((name) => [name, meaning]);
}

/** Known headers by the length and the first letter of their names: nearly all others share this with none of them. */
type KnownHeaders = readonly (readonly { readonly name: Uint8Array; readonly meaning: Meaning }[] | undefined)[];

function arrange(headers: readonly KnownHeader[]): KnownHeaders {
  const places: { name: Uint8Array; meaning: Meaning }[][] = [];
  for (const [name, meaning] of headers) {
    const inSmallLetters = Buffer.from(name).map((byte) => byte | 0x20);
    (places[placeOf(name.length, name.charCodeAt(0))] ??= []).push({ name: inSmallLetters, meaning });
  }
  // Without holes, which would be looked for in the prototype.
  return Array.from(places);
}

/** Bit 5 tells small letters from capitals. */
function placeOf(length: number, first: number): number {
  return length * 32 + (first & 31);
}

/** Whether a line is passed on or left out; `done`: that was seen to when it was noted. */
type Fate = "pass" | "cut" | "done";

/** What a header is in requests and in answers. */
const COMMON_HEADERS: readonly KnownHeader[] = [
  ["upgrade", "upgrade"],
  ["connection", "connection"],
  ["keep-alive", "hop"],
  ["content-length", "length"],
  ["proxy-connection", "hop"],
  ["transfer-encoding", "coding"],
  ["proxy-authenticate", "hop"],
];

/** Meanings in requests alone. */
const REQUEST_HEADERS: readonly KnownHeader[] = [
  ["host", "host"],
  ["te", "te"],
  ["expect", "taken"],
  // Only a request whose trailers are passed on is to announce them.
  ["trailer", "taken"],
  // Of the hop, also where Connection does not name it: it asks for HTTP/2, as `Upgrade: h2c` does.
  ["http2-settings", "hop"],
  ["proxy-authorization", "hop"],
];

/** Headers of which `node:http` takes the first one only; it joins the others. */
const SINGLE: ReadonlySet<string> = new Set(
  (
    "age authorization content-length content-type etag expires from host if-modified-since " +
    "if-unmodified-since last-modified location max-forwards proxy-authorization referer retry-after server user-agent"
  ).split(" "),
);

/** Longer methods are refused. The longest that is registered has 17 letters (RFC 9110, 16.1). */
const MAX_METHOD_LENGTH = 32;
/** Methods that Node knows: nearly all requests have one of them, which is found without making a text. */
const METHODS_BY_LENGTH: readonly (readonly string[])[] = Array.from({ length: MAX_METHOD_LENGTH + 1 }, (_, length) =>
  METHODS.filter((method) => method.length === length),
);
const KNOWN_METHODS: ReadonlySet<string> = new Set(METHODS);
/** The method with which HTTP/2 begins (RFC 9113, 3.4): no request of HTTP/1.1 has it. */
const PREFACE_METHOD = "PRI";

/** A name or an address, and a port. */
const HOST = /^(?:\[[\da-f:.]+\]|[\w.~!$&'()*+,;=%-]+)(?::\d*)?$/i;
/** Versions of HTTP, which a backend might speak where the balancer does not see it. */
const OTHER_HTTP = /(?:^|[\s,])(?:h2c?|http)(?:$|[\s,/])/i;
const VERSION = "HTTP/1.1";
const NO_TARGET = "its target is neither a path nor a URL";
const NO_REQUEST_LINE = "its first line is not METHOD TARGET HTTP/1.1";
const NO_STATUS_LINE = "its first line is not HTTP/1.1 STATUS REASON";

/** Bytes that are not passed on, and their replacement. */
interface Cut {
  start: number;
  end: number;
  text: string;
}

/**
 * The header lines of a message, read in one pass over their bytes: strictly, for what one server repairs another one
 * may repair otherwise (RFC 9112, 11.2). Used for one message after the other, and makes nothing for the usual one.
 */
export class HeaderLines {
  /** Position of the first line. */
  linesStart = 0;
  /** Position behind the line end of the last line; the blank line stands there, or a line that has not come whole. */
  linesEnd = 0;
  /** Why it was refused; holds only then. */
  reason = "";
  /** The line that is noted, and its value without the blanks around it. */
  protected lineStart = 0;
  protected lineEnd = 0;
  protected valueStart = 0;
  protected valueEnd = 0;
  readonly #known: KnownHeaders;
  readonly #maxLines: number;
  /** Only the first `#count` are of this message. */
  readonly #cuts: Cut[] = [];
  #count = 0;

  constructor(known: readonly KnownHeader[], maxLines = Infinity) {
    this.#known = arrange(known);
    this.#maxLines = maxLines;
  }

  /** Whether all that was read is passed on as it stands. */
  get isWhole(): boolean {
    return this.#count === 0;
  }

  /** Position of the only piece that is left out, when nothing is put in its place; else -1. */
  get cutStart(): number {
    return this.#isCutOnce ? (this.#cuts[0] as Cut).start : -1;
  }

  /** Position behind that piece; else -1. */
  get cutEnd(): number {
    return this.#isCutOnce ? (this.#cuts[0] as Cut).end : -1;
  }

  get #isCutOnce(): boolean {
    return this.#count === 1 && this.#cuts[0]?.text === "";
  }

  /**
   * Reads the lines from `from` and returns the position behind the blank line; 0: more bytes are needed; -1: refused.
   * `named`: other headers to leave out.
   */
  scanLines(bytes: Buffer, from: number, end: number, named?: ReadonlySet<string>): number {
    const known = this.#known;
    const maxLines = this.#maxLines;
    this.linesStart = from;
    let lines = 0;
    let at = from;
    for (;;) {
      const line = at;
      this.linesEnd = line;
      let byte = 0;
      while (at < end && TOKEN[(byte = bytes[at] as number)] === 1) at++;
      if (at === end) return 0;
      if (byte !== COLON || at === line) {
        if (byte !== CR || at !== line) return this.malformed("one of its headers is not NAME: VALUE");
        return this.behindCr(bytes, at, end);
      }
      if (++lines > maxLines) return this.refuseLines(maxLines);
      const nameEnd = at++;
      let value = at;
      at = endOfText(bytes, at, end);
      if (at === end) return 0;
      if (bytes[at] !== CR) return this.malformed("one of its headers has a character that is not allowed there");
      let valueEnd = at;
      at = this.behindCr(bytes, at, end);
      if (at <= 0) return at;
      // Usually one blank or none is in front of a value, and none behind it. Other lines are rewritten that way.
      if (bytes[value] === SPACE) value++;
      const isPlain = value === valueEnd || (!isBlank(bytes[value]) && !isBlank(bytes[valueEnd - 1]));
      if (!isPlain) {
        while (value < valueEnd && isBlank(bytes[value])) value++;
        while (value < valueEnd && isBlank(bytes[valueEnd - 1])) valueEnd--;
      }
      const candidates = known[placeOf(nameEnd - line, bytes[line] as number)];
      const meaning = candidates === undefined ? undefined : meaningAt(candidates, bytes, line, nameEnd);
      let fate: Fate = "pass";
      if (meaning !== undefined) {
        this.lineStart = line;
        this.lineEnd = at;
        this.valueStart = value;
        this.valueEnd = valueEnd;
        fate = this.note(meaning, bytes);
      } else if (named?.has(textOf(bytes, line, nameEnd).toLowerCase()) === true) fate = "cut";
      if (fate === "cut") this.cut(line, at);
      else if (fate === "pass" && !isPlain) {
        this.cut(line, at, `${textOf(bytes, line, nameEnd)}: ${textOf(bytes, value, valueEnd)}\r\n`);
      }
    }
  }

  /**
   * What is to be passed on from `from` to the last line, as latin1 text without the blank line: without lines of the hop,
   * and without the `Transfer-Encoding` of a request, which the sender of the body adds. `bytes`: the ones that were read.
   */
  keptFrom(bytes: Buffer, from: number): string {
    return this.keptBut([], bytes, from);
  }

  /** The same without other lines. */
  protected keptBut(others: readonly Cut[], bytes: Buffer, from: number): string {
    const cuts = this.#cuts.slice(0, this.#count).filter(({ start }) => !others.some((other) => other.start === start));
    cuts.push(...others);
    cuts.sort((one, other) => one.start - other.start);
    let text = "";
    let at = from;
    for (const cut of cuts) {
      text += textOf(bytes, at, cut.start) + cut.text;
      at = cut.end;
    }
    return text + textOf(bytes, at, this.linesEnd);
  }

  /** Forgets what was read; the next scan does that by itself. */
  reset(): void {
    this.#count = 0;
  }

  /** Leaves bytes out that stand behind all that were left out before; `text` takes their place. */
  protected cut(start: number, end: number, text = ""): void {
    const last = this.#count === 0 ? undefined : this.#cuts[this.#count - 1];
    if (last?.end === start && last.text === "" && text === "") {
      last.end = end;
      return;
    }
    const cut = (this.#cuts[this.#count++] ??= { start, end, text });
    cut.start = start;
    cut.end = end;
    cut.text = text;
  }

  /** What becomes of the line of a known header. */
  protected note(_meaning: Meaning, _bytes: Buffer): Fate {
    return "cut";
  }

  /** The value of the line that is noted. */
  protected value(bytes: Buffer): string {
    return textOf(bytes, this.valueStart, this.valueEnd);
  }

  /** Whether the line that is noted says a word; case does not matter. */
  protected isValue(word: Uint8Array, bytes: Buffer): boolean {
    return isWord(word, bytes, this.valueStart, this.valueEnd);
  }

  /** Position behind a line whose CR stands at `at`; 0: more bytes are needed; -1: refused. */
  protected behindCr(bytes: Buffer, at: number, end: number): number {
    if (at + 1 === end) return 0;
    return bytes[at + 1] === LF ? at + 2 : this.malformed("one of its lines does not end with CR and LF");
  }

  /** Refuses the message; `what` follows on "cannot be read: ". */
  protected malformed(what: string): number {
    this.reason = what;
    return -1;
  }

  /** Refuses a message that has more lines than that. */
  protected refuseLines(maxLines: number): number {
    return this.malformed(`it has more than ${maxLines} header lines`);
  }
}

/** What to read heads by. */
export interface HeadOptions {
  /** The most bytes that a head may have, with its blank line; a longer one is refused. */
  readonly headBytes: number;
  /** The most header lines that a head may have; one with more is refused. As many as there is room for by default. */
  readonly headLines?: number;
  /** Names in lower case of headers that are not passed on; none by default. */
  readonly dropped?: readonly string[];
}

/** What heads of requests and of answers have in common. */
abstract class MessageHead extends HeaderLines {
  /** Position of the first line. */
  start = 0;
  /** Whether the sender speaks HTTP/1.0, and not 1.1. */
  isHttp10 = false;
  /** What `Content-Length` says, in bytes; -1 without one. An answer to HEAD may have a length, and has no body. */
  contentLength = -1;
  /** Whether the body comes in chunks; there is no length then. */
  chunked = false;
  /** Whether the sender of this message lets the connection be used again. */
  keepAlive = true;
  /** What `Upgrade` asks for or agrees to, if `Connection` names it; "" for nothing. */
  upgrade = "";
  readonly #headBytes: number;
  protected lengths = 0;
  protected codings = 0;
  protected lengthLine: Cut = { start: -1, end: -1, text: "" };
  protected codingLine: Cut = { start: -1, end: -1, text: "" };
  #hasTab = false;
  #closes = false;
  #keeps = false;
  #upgrades = false;
  /** Unknown names in `Connection`. */
  #named: Set<string> | undefined;

  constructor({ headBytes, headLines, dropped = [] }: HeadOptions, known: readonly KnownHeader[]) {
    super([...COMMON_HEADERS, ...withMeaning(dropped, "hop"), ...known], headLines);
    this.#headBytes = headBytes;
  }

  /**
   * Reads the head that begins at `from`, of the bytes up to `end`. Returns the position behind its blank line; 0: more
   * bytes are needed, and then it is read again from its beginning; -1: refused, see `reason`. Never throws.
   *
   * All positions are in `bytes`. What was read holds until the next call.
   */
  scan(bytes: Buffer, from: number, end: number): number {
    const headBytes = this.#headBytes;
    const limit = Math.min(end, from + headBytes);
    this.#named = undefined;
    let behind = this.#read(bytes, from, limit, undefined);
    // Lines to leave out may come before the line that names them.
    if (behind > 0 && this.#named !== undefined) behind = this.#read(bytes, from, limit, this.#named);
    if (behind !== 0 || limit - from < headBytes) return behind;
    return this.refuse(`its head is longer than ${headBytes} bytes`, 431);
  }

  override reset(): void {
    super.reset();
    this.isHttp10 = false;
    this.contentLength = -1;
    this.chunked = false;
    this.upgrade = "";
    this.lengths = 0;
    this.codings = 0;
    this.#hasTab = false;
    this.#closes = false;
    this.#keeps = false;
    this.#upgrades = false;
  }

  #read(bytes: Buffer, from: number, end: number, named: ReadonlySet<string> | undefined): number {
    this.reset();
    const lines = this.scanFirstLine(bytes, from, end);
    if (lines <= 0) return lines;
    const behind = this.scanLines(bytes, lines, end, named);
    if (behind <= 0) return behind;
    if (this.#hasTab) return this.malformed("a tab stands behind its Content-Length or its Transfer-Encoding");
    this.chunked = this.chunked && this.codings === 1;
    this.keepAlive = !this.#closes && (this.#keeps || !this.isHttp10);
    if (!this.#upgrades) this.upgrade = "";
    if (this.codings > 0) {
      if (this.isHttp10) return this.refuse("it is HTTP/1.0 and has a Transfer-Encoding");
      if (this.lengths > 0) return this.refuse("it has both a Content-Length and a Transfer-Encoding");
      if (!this.chunked) return this.refuse("its Transfer-Encoding is another one than chunked", 501);
    }
    if (this.lengths > 1) return this.refuse("it has more than one Content-Length");
    if (this.lengths === 1 && this.contentLength < 0) return this.refuse("its Content-Length is no length");
    return this.judge(behind);
  }

  /** Position behind the first line; otherwise as `scan`. */
  protected abstract scanFirstLine(bytes: Buffer, from: number, end: number): number;
  /** Returns `behind` if the lines agree with each other. */
  protected abstract judge(behind: number): number;
  /** Refuses a message that is HTTP; `what` as with `malformed`, `status` is for a client. */
  protected abstract refuse(what: string, status?: number): number;

  protected override refuseLines(maxLines: number): number {
    return this.refuse(`it has more than ${maxLines} header lines`, 431);
  }

  /** Position behind the version, which is that of HTTP/1.1 or HTTP/1.0; otherwise as `scan`. */
  protected behindVersion(bytes: Buffer, at: number, end: number, noFirstLine: string): number {
    for (let index = 0; index < VERSION.length; index++) {
      if (at + index === end) return 0;
      const byte = bytes[at + index] as number;
      if (byte === VERSION.charCodeAt(index)) continue;
      this.isHttp10 = index === 7 && byte === ZERO;
      if (this.isHttp10) continue;
      if ((index !== 5 && index !== 7) || !isDigit(byte)) return this.malformed(noFirstLine);
      return this.refuse("its version is neither HTTP/1.1 nor HTTP/1.0", 505);
    }
    return at + VERSION.length;
  }

  protected override note(meaning: Meaning, bytes: Buffer): Fate {
    switch (meaning) {
      case "length":
        this.lengths += 1;
        this.contentLength = readDigits(bytes, this.valueStart, this.valueEnd);
        this.#noteTab(bytes);
        this.lengthLine.start = this.lineStart;
        this.lengthLine.end = this.lineEnd;
        if (bytes[this.valueStart] !== ZERO || this.valueEnd === this.valueStart + 1) return "pass";
        // Some take a leading zero for the sign of an octal number.
        this.cut(this.lineStart, this.lineEnd, `Content-Length: ${this.contentLength}\r\n`);
        return "done";
      case "coding":
        this.codings += 1;
        this.chunked = this.isValue(CHUNKED, bytes);
        this.#noteTab(bytes);
        this.codingLine.start = this.lineStart;
        this.codingLine.end = this.lineEnd;
        return "pass";
      case "connection":
        this.#noteConnection(bytes);
        return "cut";
      case "upgrade":
        this.upgrade = joined(this.upgrade, this.value(bytes));
        return "cut";
      default:
        return "cut";
    }
  }

  /** Behind what frames a message some servers, as Node's, take no tab for a blank. */
  #noteTab(bytes: Buffer): void {
    if (this.lineEnd - this.valueEnd > 2 && textOf(bytes, this.valueEnd, this.lineEnd).includes("\t"))
      this.#hasTab = true;
  }

  #noteConnection(bytes: Buffer): void {
    if (this.isValue(KEEP_ALIVE, bytes)) this.#keeps = true;
    else if (this.isValue(CLOSE, bytes)) this.#closes = true;
    else {
      for (const option of this.value(bytes).toLowerCase().split(",")) {
        const name = trimBlanks(option);
        if (name === "keep-alive") this.#keeps = true;
        else if (name === "close") this.#closes = true;
        else if (name === "upgrade") this.#upgrades = true;
        else if (name !== "") (this.#named ??= new Set()).add(name);
      }
    }
  }
}

/** What to read heads of requests by. */
export interface RequestHeadOptions extends HeadOptions {
  /** Names in lower case of headers that are not passed on, and that `taken()` tells; none by default. */
  readonly taken?: readonly string[];
}

/**
 * The head of a request. One object reads the heads of many connections, one after the other, and makes no object for a
 * usual one.
 */
export class RequestHead extends MessageHead {
  /** The status to answer with when it was refused: 400, 417, 431, 501 or 505. `reason` is a sentence for the client. */
  status = 0;
  /** As it was sent, also one that `node:http` does not know; never `CONNECT`. "" where it was refused for its beginning. */
  method = "";
  /** Position of the target as it was sent. */
  targetStart = 0;
  /** Position behind the target. */
  targetEnd = 0;
  /** Whether the target is a path, which can be passed on where it stands. */
  isPlainTarget = true;
  /**
   * The host that is asked for: that of the target if it is a URL. "" for an empty `Host`; `undefined` for a client of
   * HTTP/1.0 that said none.
   */
  host: string | undefined;
  /** Whether the client waits for a 100 before it sends the body. */
  expectsContinue = false;
  /** Whether the client says in `TE`, which is left out, that it takes trailers, and nothing else. */
  takesTrailers = false;
  /** Path of a target that is no plain one. */
  #path = "";
  #hosts = 0;
  #isHostWrong = false;
  #targetHost: string | undefined;
  #taken: Map<string, string> | undefined;
  /** The host of the last request: mostly that of the next one. */
  #lastHost = "";
  #lastHostBytes: Uint8Array = new Uint8Array(0);

  constructor({ taken = [], ...options }: RequestHeadOptions) {
    super(options, [...REQUEST_HEADERS, ...withMeaning(taken, "taken")]);
  }

  /** What is asked for: path and query with a slash in front, or `*`. */
  path(bytes: Buffer): string {
    return this.isPlainTarget ? textOf(bytes, this.targetStart, this.targetEnd) : this.#path;
  }

  /** The value of a taken header (its name in lower case), its lines joined by commas. `undefined`: not sent. */
  taken(name: string): string | undefined {
    return this.#taken?.get(name);
  }

  /** Whether any taken header was sent. */
  get hasTaken(): boolean {
    return this.#taken !== undefined;
  }

  /** All headers as `node:http` gives them: by name in lower case, joined, or the first one only. */
  headers(bytes: Buffer): IncomingHttpHeaders {
    // Without a prototype: a header may be called `__proto__`.
    const headers = Object.create(null) as Record<string, string | string[]>;
    for (let line = this.linesStart; line < this.linesEnd;) {
      const colon = bytes.indexOf(COLON, line);
      const lineEnd = bytes.indexOf(CR, colon);
      const name = textOf(bytes, line, colon).toLowerCase();
      const value = trimBlanks(textOf(bytes, colon + 1, lineEnd));
      const before = headers[name];
      if (before === undefined) headers[name] = name === "set-cookie" ? [value] : value;
      else if (typeof before === "object") before.push(value);
      else if (!SINGLE.has(name)) headers[name] = `${before}${name === "cookie" ? "; " : ", "}${value}`;
      line = lineEnd + 2;
    }
    return headers;
  }

  override reset(): void {
    super.reset();
    this.method = "";
    this.targetStart = 0;
    this.targetEnd = 0;
    this.isPlainTarget = true;
    this.#path = "";
    this.host = undefined;
    this.takesTrailers = false;
    this.#hosts = 0;
    this.#isHostWrong = false;
    this.#targetHost = undefined;
    this.#taken = undefined;
  }

  protected override scanFirstLine(bytes: Buffer, from: number, end: number): number {
    let at = from;
    this.start = from;
    // Some clients send an empty line behind a body (RFC 9112, 2.2).
    while (at < end && bytes[at] === CR) {
      at = this.behindCr(bytes, at, end);
      if (at <= 0) return at;
    }
    this.start = at;
    let byte = 0;
    while (at < end && TOKEN[(byte = bytes[at] as number)] === 1) at++;
    const length = at - this.start;
    if (length > MAX_METHOD_LENGTH) {
      return this.refuse(`its method is longer than ${MAX_METHOD_LENGTH} characters`, 501);
    }
    if (at === end) return 0;
    if (length === 0) return this.malformed("it does not begin with a method");
    if (byte !== SPACE) return this.malformed("its method has a character that is not allowed there");
    const known = methodAt(METHODS_BY_LENGTH[length] as readonly string[], bytes, this.start);
    const method = known ?? textOf(bytes, this.start, at);
    // Some servers take `head` for HEAD, whose answer has no body, and others do not.
    if (known === undefined && KNOWN_METHODS.has(method.toUpperCase())) {
      return this.malformed("its method has small letters in place of capitals");
    }
    if (method === "CONNECT") return this.refuse("no tunnel is opened by CONNECT", 501);
    if (method === PREFACE_METHOD) return this.refuse("HTTP/2 is spoken from the beginning of a connection only", 505);
    this.method = method;
    at++;
    this.targetStart = at;
    while (at < end && TARGET[(byte = bytes[at] as number)] === 1) at++;
    if (at === end) return 0;
    this.targetEnd = at;
    if (byte !== SPACE) return byte === CR ? this.malformed(NO_REQUEST_LINE) : this.refuse(NO_TARGET);
    if (bytes[this.targetStart] !== SLASH && !this.#readTarget(textOf(bytes, this.targetStart, at))) {
      return this.refuse(NO_TARGET);
    }
    at = this.behindVersion(bytes, at + 1, end, NO_REQUEST_LINE);
    if (at <= 0) return at;
    if (at === end) return 0;
    if (bytes[at] !== CR) return this.malformed(NO_REQUEST_LINE);
    const lines = this.behindCr(bytes, at, end);
    if (lines > 0 && this.#targetHost !== undefined) this.cut(lines, lines, `Host: ${this.#targetHost}\r\n`);
    return lines;
  }

  /** Takes a target apart that is `*` or a URL (RFC 9112, 3.2.2: its host counts, not that of the header). */
  #readTarget(target: string): boolean {
    const [, host, rest = "*"] = /^https?:\/\/([^/?]+)(.*)$/i.exec(target) ?? [];
    if (host === undefined && target !== "*") return false;
    if (host !== undefined && !HOST.test(host)) return false;
    this.isPlainTarget = false;
    this.#targetHost = host;
    this.#path = host === undefined || rest.startsWith("/") ? rest : `/${rest}`;
    return true;
  }

  protected override note(meaning: Meaning, bytes: Buffer): Fate {
    switch (meaning) {
      case "host":
        this.#hosts += 1;
        this.#readHost(bytes, this.valueStart, this.valueEnd);
        return this.#targetHost === undefined ? "pass" : "cut";
      case "taken": {
        const name = textOf(bytes, this.lineStart, bytes.indexOf(COLON, this.lineStart)).toLowerCase();
        this.#taken ??= new Map();
        this.#taken.set(name, joined(this.#taken.get(name), this.value(bytes)));
        return "cut";
      }
      case "te":
        this.takesTrailers = this.isValue(TRAILERS, bytes);
        return "cut";
      case "coding":
        super.note(meaning, bytes);
        return "cut";
      default:
        return super.note(meaning, bytes);
    }
  }

  #readHost(bytes: Buffer, from: number, end: number): void {
    const last = this.#lastHostBytes;
    const { length } = last;
    if (length > 0 && end - from === length) {
      let same = 0;
      while (same < length && bytes[from + same] === last[same]) same++;
      if (same === length) {
        this.host = this.#lastHost;
        return;
      }
    }
    const text = textOf(bytes, from, end);
    this.host = text;
    // The host is empty where what is asked for has none (RFC 9112, 3.2).
    if (text === "") return;
    if (HOST.test(text)) {
      this.#lastHost = text;
      this.#lastHostBytes = Uint8Array.prototype.slice.call(bytes, from, end);
    } else this.#isHostWrong = true;
  }

  protected override judge(behind: number): number {
    if (this.#hosts === 0 && !this.isHttp10) return this.refuse("it has no Host");
    if (this.#hosts > 1) return this.refuse("it has more than one Host");
    const expect = this.#taken?.get("expect");
    if (expect !== undefined && expect.toLowerCase() !== "100-continue" && !this.isHttp10) {
      return this.refuse("it expects something else than 100-continue", 417);
    }
    if (this.#isHostWrong) return this.refuse("its Host is no host");
    if (this.#targetHost !== undefined) this.host = this.#targetHost;
    this.expectsContinue = expect !== undefined && !this.isHttp10 && (this.chunked || this.contentLength > 0);
    // A client of HTTP/1.0 does not ask for it, even if it says so (RFC 9110, 7.8). The target `*` and other versions of HTTP are
    // not for a backend to agree to. An ordinary answer refuses the upgrade: the client goes on in HTTP/1.1.
    if (this.upgrade !== "" && (this.isHttp10 || this.#path === "*" || OTHER_HTTP.test(this.upgrade))) {
      this.upgrade = "";
    }
    return behind;
  }

  protected override malformed(what: string): number {
    return this.refuse(what);
  }

  protected override refuse(what: string, status = 400): number {
    this.status = status;
    this.reason = `The request cannot be read: ${what}.`;
    return -1;
  }
}

/**
 * The head of an answer. One object reads the heads of many connections, one after the other, and makes no object for a
 * usual one. `reason` ends a sentence that begins with "sent an answer ".
 */
export class AnswerHead extends MessageHead {
  /** 100 to 999. */
  status = 0;
  /** Whether it has a `Date`. */
  hasDate = false;

  constructor(options: HeadOptions) {
    super(options, [
      ["date", "date"],
      ["te", "hop"],
    ]);
  }

  /**
   * Status line and lines to pass on, as latin1 text: without `Transfer-Encoding`, which the sender of the body adds, and
   * without `Content-Length` if asked.
   *
   * What may go on as it stands (`isWhole`, or but for `cutStart` to `cutEnd`) has its `Transfer-Encoding: chunked`, if
   * `chunked`: it is for bodies that go on in chunks as well.
   */
  keptText(bytes: Buffer, withoutLength: boolean): string {
    const others: Cut[] = [];
    if (this.codings > 0) others.push(this.codingLine);
    if (withoutLength && this.lengths > 0) others.push(this.lengthLine);
    return this.keptBut(others, bytes, this.start);
  }

  /** What a header says (its name in lower case), its lines joined by commas; `undefined` where it was not sent. */
  field(name: string, bytes: Buffer): string | undefined {
    let value: string | undefined;
    for (let line = this.linesStart; line < this.linesEnd;) {
      const colon = bytes.indexOf(COLON, line);
      const lineEnd = bytes.indexOf(CR, colon);
      if (colon - line === name.length && textOf(bytes, line, colon).toLowerCase() === name) {
        value = joined(value, trimBlanks(textOf(bytes, colon + 1, lineEnd)));
      }
      line = lineEnd + 2;
    }
    return value;
  }

  override reset(): void {
    super.reset();
    this.hasDate = false;
  }

  protected override scanFirstLine(bytes: Buffer, from: number, end: number): number {
    this.start = from;
    let at = this.behindVersion(bytes, from, end, NO_STATUS_LINE);
    if (at <= 0) return at;
    // A blank and three digits.
    for (let index = 0; index < 4; index++, at++) {
      if (at === end) return 0;
      const byte = bytes[at] as number;
      if (index === 0 ? byte !== SPACE : !isDigit(byte)) return this.malformed(NO_STATUS_LINE);
    }
    this.status = readDigits(bytes, at - 3, at);
    if (at === end) return 0;
    const hasReason = bytes[at] === SPACE;
    if (!hasReason && bytes[at] !== CR) return this.malformed(NO_STATUS_LINE);
    const reason = hasReason ? at + 1 : at;
    at = endOfText(bytes, at, end);
    if (at === end) return 0;
    if (bytes[at] !== CR) return this.refuse("its reason has a character that is not allowed there");
    if (this.status < 100) return this.refuse(`its status is ${this.status}`);
    const lines = this.behindCr(bytes, at, end);
    if (lines > 0 && (this.isHttp10 || !hasReason)) {
      this.cut(from, lines, `HTTP/1.1 ${this.status} ${textOf(bytes, reason, at)}\r\n`);
    }
    return lines;
  }

  protected override note(meaning: Meaning, bytes: Buffer): Fate {
    if (meaning !== "date") return super.note(meaning, bytes);
    this.hasDate = true;
    return "pass";
  }

  protected override judge(behind: number): number {
    // There is none (RFC 9110, 15.2), but not every peer knows that of each 1xx.
    const isUnfit = this.status < 200 && (this.chunked || this.contentLength > 0);
    return isUnfit ? this.refuse("it is an interim one with a body") : behind;
  }

  protected override malformed(what: string): number {
    this.reason = `that is no HTTP: ${what}`;
    return -1;
  }

  protected override refuse(what: string): number {
    this.reason = `that cannot be passed on: ${what}`;
    return -1;
  }
}

/** From this length on it pays to make the view of a text's bytes as words. */
const NEAR_BYTES = 16;
const wordViews = new WeakMap<Buffer, Int32Array>();

/** Where the bytes that values are made of end, at the latest at `end`. */
function endOfText(bytes: Buffer, from: number, end: number): number {
  const near = Math.min(end, from + NEAR_BYTES);
  let at = from;
  while (at < near && VALUE[bytes[at] as number] === 1) at++;
  if (at < near || at === end) return at;
  // Most of the bytes of a browser's request are in long values: four at a time take a third of the time.
  if ((bytes.byteOffset & 3) === 0) {
    let words = wordViews.get(bytes);
    if (words === undefined) {
      words = new Int32Array(bytes.buffer, bytes.byteOffset, bytes.length >> 2);
      wordViews.set(bytes, words);
    }
    while ((at & 3) !== 0 && at < end && VALUE[bytes[at] as number] === 1) at++;
    if ((at & 3) === 0) {
      const last = end >> 2;
      let index = at >> 2;
      while (index < last && isText(words[index] as number)) index++;
      at = index << 2;
    }
  }
  while (at < end && VALUE[bytes[at] as number] === 1) at++;
  return at;
}

/**
 * Whether none of the four bytes of a word is a control character, the tab among them. Source: "Determine if a word has
 * a byte less than n" and "has a zero byte" in Sean Eron Anderson, Bit Twiddling Hacks.
 */
function isText(word: number): boolean {
  const unlikeDelete = word ^ 0x7f7f7f7f;
  return ((((word - 0x20202020) & ~word) | ((unlikeDelete - 0x01010101) & ~unlikeDelete)) & 0x80808080) === 0;
}

function methodAt(methods: readonly string[], bytes: Buffer, at: number): string | undefined {
  for (const method of methods) {
    let index = 0;
    while (index < method.length && bytes[at + index] === method.charCodeAt(index)) index++;
    if (index === method.length) return method;
  }
  return undefined;
}

function meaningAt(known: NonNullable<KnownHeaders[number]>, bytes: Buffer, at: number, end: number) {
  for (const { name, meaning } of known) if (isWord(name, bytes, at, end)) return meaning;
  return undefined;
}

/**
 * Whether bytes are a word; case does not matter. Bit 5, which tells small letters from capitals, is set in each byte of the
 * word. Of what names are made of, only `^` and `~` then are the same.
 */
function isWord(word: Uint8Array, bytes: Buffer, from: number, end: number): boolean {
  const { length } = word;
  if (end - from !== length) return false;
  for (let index = 0; index < length; index++) {
    if (((bytes[from + index] as number) | 0x20) !== word[index]) return false;
  }
  return true;
}

function isBlank(byte: number | undefined): boolean {
  return byte === SPACE || byte === TAB;
}

function isDigit(byte: number): boolean {
  return byte >= ZERO && byte < COLON;
}

/** The number that 1 to 15 digits make, which JavaScript can tell from the next one; -1 for anything else. */
function readDigits(bytes: Buffer, from: number, end: number): number {
  if (end === from || end - from > 15) return -1;
  let number = 0;
  for (let at = from; at < end; at++) {
    const byte = bytes[at] as number;
    if (!isDigit(byte)) return -1;
    number = number * 10 + byte - ZERO;
  }
  return number;
}

function joined(before: string | undefined, value: string): string {
  return before === undefined || before === "" ? value : `${before}, ${value}`;
}

/** Without a pattern: one that looks for blanks at an end takes a time that grows with the square of blanks within. */
function trimBlanks(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && isBlank(text.charCodeAt(start))) start++;
  while (start < end && isBlank(text.charCodeAt(end - 1))) end--;
  return text.slice(start, end);
}

function textOf(bytes: Buffer, from: number, end: number): string {
  return bytes.toString("latin1", from, end);
}
