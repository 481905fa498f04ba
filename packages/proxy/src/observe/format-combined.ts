import type { RequestLogEntry } from "../options/options.js";

const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/** What a line of a log gives in another way than as `\xhh`: as Apache's `ap_escape_logitem` does. */
const SHORT_ESCAPES: ReadonlyMap<string, string> = new Map([
  ['"', '\\"'],
  ["\\", "\\\\"],
  ["\b", "\\b"],
  ["\n", "\\n"],
  ["\r", "\\r"],
  ["\t", "\\t"],
  ["\v", "\\v"],
]);

/**
 * A request in Apache's combined log format with two more fields, the backend in quotes and the time taken in ms:
 * `%h - - [%t] "%r" %>s %b "%{Referer}i" "%{User-Agent}i" "backend" ms`, without a line break. `-` stands for what is
 * missing, and for a body without bytes; the time is in UTC.
 *
 * Nothing that a client sends can end its field or the line: quotes and backslashes get a backslash, and all but
 * printable ASCII is written as `\n`, `\t` and the like or as the bytes `\xhh`.
 */
export function formatCombined(entry: RequestLogEntry): string {
  const { remoteAddress, startedAt, status, bodyBytes, referer, userAgent, backend, durationMs } = entry;
  const client = remoteAddress === undefined ? "-" : escapeText(remoteAddress).replaceAll(" ", "\\x20");
  const size = bodyBytes > 0 ? bodyBytes : "-";
  const quoted = [referer, userAgent, backend].map(quote).join(" ");
  return (
    `${client} - - [${formatTime(startedAt)}] ${quote(requestLine(entry))} ${status ?? "-"} ${size} ` +
    `${quoted} ${durationMs.toFixed(3)}`
  );
}

/** Of a connection of mode `tcp`, which has none, nothing. */
function requestLine({ method, path, httpVersion }: RequestLogEntry): string | undefined {
  return method === "" ? undefined : `${method} ${path} HTTP/${httpVersion}`;
}

function quote(text: string | undefined): string {
  return text === undefined ? '"-"' : `"${escapeText(text)}"`;
}

function escapeText(text: string): string {
  return text.replace(/["\\]|[^ -~]/gu, (character) => SHORT_ESCAPES.get(character) ?? escapeBytes(character));
}

/** Node hands over each byte of a request as one character; other characters can only come from the lab's own names. */
function escapeBytes(character: string): string {
  const bytes = Buffer.from(character, character > "\u00ff" ? "utf8" : "latin1");
  return bytes.toString("hex").replace(/../g, "\\x$&");
}

/** As in `10/Oct/2000:13:55:36 +0000`. */
function formatTime(ms: number): string {
  const time = new Date(ms);
  const clock = [time.getUTCHours(), time.getUTCMinutes(), time.getUTCSeconds()].map(twoDigits).join(":");
  return `${twoDigits(time.getUTCDate())}/${MONTHS[time.getUTCMonth()]}/${time.getUTCFullYear()}:${clock} +0000`;
}

function twoDigits(number: number): string {
  return String(number).padStart(2, "0");
}
