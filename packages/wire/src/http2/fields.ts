/** What a list of header fields may be in HTTP/2, and what it says of the message (RFC 9113, 8). */

/**
 * Header fields: names and values in turn, `[name, value, name, value, ...]`. Texts are latin1, a character a byte. Names are
 * in small letters; pseudo-header fields come first.
 */
export type Fields = readonly string[];

/** What a list of fields stands for: `answer` may also be an interim one (1xx). */
export type FieldsKind = "request" | "answer" | "trailers";

/** What reading a list of fields has shown. */
export interface FieldsMeaning {
  /** Why it is malformed (RFC 9113, 8.1.1); `undefined` if it is well-formed. */
  readonly malformed: string | undefined;
  /** In bytes; -1 if there is no `content-length`. */
  readonly contentLength: number;
  /** Of an answer; 0 of all else. */
  readonly status: number;
}

const PSEUDO_FIELDS: Readonly<Record<FieldsKind, ReadonlySet<string>>> = {
  request: new Set([":method", ":scheme", ":authority", ":path"]),
  answer: new Set([":status"]),
  trailers: new Set(),
};

/** Fields that belong to one connection of HTTP/1.1, and would smuggle a message into it (RFC 9113, 8.2.2). */
const OF_CONNECTIONS: ReadonlySet<string> = new Set([
  "connection",
  "keep-alive",
  "proxy-connection",
  "transfer-encoding",
  "upgrade",
]);

/** Fields that say where a message goes and where it ends: it would be too late for them in trailers (RFC 9110, 6.5.1). */
const OF_HEADS: ReadonlySet<string> = new Set(["content-length", "host"]);

const COLON = 0x3a;
const DEL = 0x7f;
const SPACE = 0x20;
const TAB = 0x09;

/** 1 for each character of a name: those of a token (RFC 9110, 5.6.2) but capital letters. */
const NAME = new Uint8Array(256);
for (const character of "!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyz") NAME[character.charCodeAt(0)] = 1;

const METHOD = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const SCHEME = /^[A-Za-z][A-Za-z0-9+.-]*$/;
/** A host and a port (RFC 3986, 3.2); names of users are not allowed (RFC 9113, 8.3.1). */
const AUTHORITY = /^[\w!$%&'()*+,\-.:;=[\]~]+$/;
/** What a path is made of: no space, nothing that ends a line. */
const VISIBLE = /^[\x21-\x7e\x80-\xff]+$/;
const STATUS = /^[1-9]\d\d$/;
const LENGTH = /^\d{1,15}$/;

/** Reads a list of fields. Values are latin1 texts. */
export function readFields(fields: Fields, kind: FieldsKind): FieldsMeaning {
  const allowed = PSEUDO_FIELDS[kind];
  const pseudo = new Map<string, string>();
  let contentLength = -1;
  let host: string | undefined;
  let isBehindPseudo = false;
  const malformed = (why: string): FieldsMeaning => ({ malformed: why, contentLength: -1, status: 0 });
  for (let at = 0; at < fields.length; at += 2) {
    const name = fields[at] as string;
    const value = fields[at + 1] as string;
    if (!isValue(value)) return malformed(`the value of ${quoted(name)} has a character that is not allowed there`);
    if (name.charCodeAt(0) === COLON) {
      if (isBehindPseudo) return malformed(`${quoted(name)} stands behind other fields`);
      if (!allowed.has(name)) return malformed(`${quoted(name)} has no meaning here`);
      if (pseudo.has(name)) return malformed(`${quoted(name)} stands there twice`);
      pseudo.set(name, value);
      continue;
    }
    isBehindPseudo = true;
    if (!isName(name)) return malformed(`${quoted(name)} is no name of a field`);
    if (OF_CONNECTIONS.has(name)) return malformed(`${quoted(name)} belongs to connections of HTTP/1.1`);
    if (name === "te" && value !== "trailers") return malformed('"te" says something else than "trailers"');
    if (kind === "trailers" && OF_HEADS.has(name)) return malformed(`${quoted(name)} stands in trailers`);
    if (name === "host") {
      if (host !== undefined) return malformed('"host" stands there twice');
      host = value;
    }
    if (name === "content-length") {
      if (!LENGTH.test(value)) return malformed('"content-length" is no number');
      if (contentLength >= 0) return malformed('"content-length" stands there twice');
      contentLength = Number(value);
    }
  }
  const why =
    kind === "request"
      ? requestFault(pseudo, host)
      : kind === "answer"
        ? answerFault(pseudo, contentLength)
        : undefined;
  if (why !== undefined) return malformed(why);
  return { malformed: undefined, contentLength, status: Number(pseudo.get(":status") ?? 0) };
}

/** Says why a list of fields is malformed; `undefined` if it is well-formed. */
export function checkFields(fields: Fields, kind: FieldsKind): string | undefined {
  return readFields(fields, kind).malformed;
}

function requestFault(pseudo: ReadonlyMap<string, string>, host: string | undefined): string | undefined {
  const method = pseudo.get(":method");
  const authority = pseudo.get(":authority");
  if (method === undefined || !METHOD.test(method)) return '":method" is no method';
  if (authority !== undefined && !AUTHORITY.test(authority)) return '":authority" is no authority';
  if (host !== undefined && !AUTHORITY.test(host)) return '"host" is no authority';
  if (authority !== undefined && host !== undefined && authority.toLowerCase() !== host.toLowerCase())
    return '":authority" and "host" differ';
  if (method === "CONNECT") {
    const isPlain = !pseudo.has(":scheme") && !pseudo.has(":path") && authority !== undefined;
    return isPlain ? undefined : 'CONNECT takes ":authority" and no other';
  }
  const scheme = pseudo.get(":scheme");
  const path = pseudo.get(":path");
  if (scheme === undefined || !SCHEME.test(scheme)) return '":scheme" is no scheme';
  if (authority === undefined && host === undefined) return 'there is no ":authority" and no "host"';
  if (path === undefined || !VISIBLE.test(path)) return '":path" is no path';
  if (path.startsWith("/") || (path === "*" && method === "OPTIONS")) return undefined;
  return '":path" does not begin with a slash';
}

function answerFault(pseudo: ReadonlyMap<string, string>, contentLength: number): string | undefined {
  const status = pseudo.get(":status");
  if (status === undefined || !STATUS.test(status)) return '":status" is no status';
  if (status === "101") return "it switches protocols, which HTTP/2 cannot";
  // RFC 9110, 8.6, forbids both; some servers say that 204 has no byte.
  if (contentLength >= 0 && status.startsWith("1")) return '"content-length" stands in an interim answer';
  return contentLength > 0 && status === "204" ? '"content-length" stands in an answer 204' : undefined;
}

function isName(name: string): boolean {
  for (let at = 0; at < name.length; at++) if (NAME[name.charCodeAt(at)] !== 1) return false;
  return name !== "";
}

/** No control character but the tab, and no blank at an end (RFC 9113, 8.2.1). */
function isValue(value: string): boolean {
  const { length } = value;
  for (let at = 0; at < length; at++) {
    const code = value.charCodeAt(at);
    if ((code < SPACE && code !== TAB) || code === DEL) return false;
  }
  return length === 0 || !(isBlank(value.charCodeAt(0)) || isBlank(value.charCodeAt(length - 1)));
}

function isBlank(code: number): boolean {
  return code === SPACE || code === TAB;
}

function quoted(name: string): string {
  return JSON.stringify(name.slice(0, 40));
}
