/** What may not stand behind a body: it would change how the message is read, or who may read it (RFC 9110, 6.5.1). */
const FORBIDDEN: ReadonlySet<string> = new Set([
  "transfer-encoding",
  "content-length",
  "host",
  "connection",
  "keep-alive",
  "te",
  "trailer",
  "upgrade",
  "authorization",
  "set-cookie",
  "content-encoding",
  "content-type",
  "content-range",
]);

const NO_TEXT = /[^\t\x20-\x7e\x80-\xff]/;

/** Trailers as they are sent: `Name: value` lines, each with its line end; those that may not be sent are left out. */
export function trailerLines(raw: readonly string[]): string {
  let lines = "";
  for (let index = 0; index + 1 < raw.length; index += 2) {
    const name = raw[index] as string;
    const value = raw[index + 1] as string;
    if (!FORBIDDEN.has(name.toLowerCase()) && !NO_TEXT.test(value)) lines += `${name}: ${value}\r\n`;
  }
  return lines;
}
