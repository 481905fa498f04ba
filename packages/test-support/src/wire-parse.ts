/** A request as it stood on the wire. */
export interface WireRequest {
  readonly method: string;
  readonly target: string;
  /** `Name: value` lines in their order, without line ends. */
  readonly lines: readonly string[];
  readonly body: string;
}

/** What the bytes of a connection mean to a reader that forgives nothing. */
interface WireReading {
  readonly requests: readonly WireRequest[];
  /** The bytes behind the last whole request: the beginning of another one, or nothing. */
  readonly rest: string;
}

const TOKEN = "[!#$%&'*+.^_`|~0-9A-Za-z-]+";
const REQUEST_LINE = new RegExp(`^(${TOKEN}) ([\\x21-\\x7e\\x80-\\xff]+) HTTP/1\\.1$`);
const HEADER_LINE = new RegExp(`^(${TOKEN}): ?([\\t\\x20-\\x7e\\x80-\\xff]*)$`);

/**
 * Reads the requests in the bytes (as latin1) of one connection. Throws at everything that two servers might read
 * differently: it knows no repair, no chunk extension, no trailer, and no framing but one plain header.
 */
export function readWire(bytes: string): WireReading {
  const requests: WireRequest[] = [];
  let rest = bytes;
  for (;;) {
    const headEnd = rest.indexOf("\r\n\r\n");
    if (headEnd < 0) return { requests, rest };
    const [first = "", ...lines] = rest.slice(0, headEnd).split("\r\n");
    const [, method, target] = REQUEST_LINE.exec(first) ?? [];
    if (method === undefined || target === undefined) throw new Error(`Not a request line: ${JSON.stringify(first)}`);
    const body = readBody(headersOf(lines), rest.slice(headEnd + 4));
    if (body === undefined) return { requests, rest };
    requests.push({ method, target, lines, body: body.text });
    rest = body.rest;
  }
}

/** The values of a header, each line for itself. */
export function valuesOf(lines: readonly string[], name: string): string[] {
  return lines
    .map((line) => HEADER_LINE.exec(line))
    .filter((match) => match?.[1]?.toLowerCase() === name.toLowerCase())
    .map((match) => match?.[2] ?? "");
}

function headersOf(lines: readonly string[]): { readonly length: string | undefined; readonly isChunked: boolean } {
  for (const line of lines) if (!HEADER_LINE.test(line)) throw new Error(`Not a header: ${JSON.stringify(line)}`);
  const lengths = valuesOf(lines, "content-length");
  const codings = valuesOf(lines, "transfer-encoding");
  if (lengths.length + codings.length > 1) throw new Error(`Framed more than once: ${lines.join(" / ")}`);
  if (valuesOf(lines, "host").length !== 1) throw new Error(`Not one Host: ${lines.join(" / ")}`);
  const [length] = lengths;
  if (length !== undefined && !/^(?:0|[1-9]\d*)$/.test(length)) throw new Error(`Not a length: ${length}`);
  if (codings.length > 0 && codings[0] !== "chunked") throw new Error(`Not a coding: ${String(codings[0])}`);
  return { length, isChunked: codings.length > 0 };
}

function readBody(
  { length, isChunked }: { readonly length: string | undefined; readonly isChunked: boolean },
  rest: string,
): { readonly text: string; readonly rest: string } | undefined {
  if (!isChunked) {
    const bytes = Number(length ?? 0);
    return rest.length < bytes ? undefined : { text: rest.slice(0, bytes), rest: rest.slice(bytes) };
  }
  let text = "";
  for (let at = 0; ;) {
    const sizeEnd = rest.indexOf("\r\n", at);
    if (sizeEnd < 0) return undefined;
    const size = rest.slice(at, sizeEnd);
    if (!/^[\da-f]{1,8}$/i.test(size)) throw new Error(`Not the size of a chunk: ${JSON.stringify(size)}`);
    const start = sizeEnd + 2;
    const end = start + Number.parseInt(size, 16);
    if (rest.length < end + 2) return undefined;
    if (rest.slice(end, end + 2) !== "\r\n") throw new Error("A chunk or the body does not end where it says.");
    text += rest.slice(start, end);
    if (end === start) return { text, rest: rest.slice(end + 2) };
    at = end + 2;
  }
}
