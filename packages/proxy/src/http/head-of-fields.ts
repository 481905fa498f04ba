import { BodyScan } from "@lbbench/wire";

const VERSION = "HTTP/1.1 ";

/** The head of HTTP/1.1 that a first line makes with names and values in turn. They are latin1, and so are its bytes. */
export function headOf(first: string, fields: readonly string[], from = 0): Buffer {
  let text = `${first}\r\n`;
  for (let index = from; index + 1 < fields.length; index += 2) text += `${fields[index]}: ${fields[index + 1]}\r\n`;
  return Buffer.from(`${text}\r\n`, "latin1");
}

/** Why a body cannot be read whose trailers `trailersOf` refuses. */
export const LONG_TRAILERS = "its trailers are too long";

/** What of trailers, names and values in turn, may be passed on by the same rules as any others: lines, or "". `undefined`: they are too long. */
export function trailersOf(fields: readonly string[]): string | undefined {
  if (fields.length === 0) return "";
  const bytes = headOf("0", fields);
  const scan = new BodyScan();
  scan.beginChunked("payload");
  return scan.take(bytes, 0, bytes.length) < 0 ? undefined : scan.trailers;
}

/** The fields that lines of HTTP/1.1 are, each with its line end: those of an answer with its first line, or of trailers. */
export function fieldsOf(lines: string): string[] {
  const fields: string[] = [];
  let from = 0;
  if (lines.startsWith(VERSION)) {
    fields.push(":status", lines.slice(VERSION.length, VERSION.length + 3));
    from = lines.indexOf("\r\n") + 2;
  }
  while (from < lines.length) {
    const end = lines.indexOf("\r\n", from);
    const colon = lines.indexOf(":", from);
    // What has been read has one blank there or none, and no other.
    const value = lines[colon + 1] === " " ? colon + 2 : colon + 1;
    fields.push(lines.slice(from, colon).toLowerCase(), lines.slice(value, end));
    from = end + 2;
  }
  return fields;
}
