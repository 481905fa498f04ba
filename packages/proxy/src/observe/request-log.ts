import type { RequestLogEntry } from "../options/options.js";
import { refuse } from "../options/check.js";
import { openLineSink } from "./line-sink.js";
import type { Writable } from "node:stream";

/** `json`: an object per line; `combined`: see `formatCombined`. */
export type RequestLogFormat = "json" | "combined";

/** Writes a line for each request. */
export interface RequestLogger {
  /** Takes an entry and returns at once. Never throws: a log that cannot be written must not stop the balancer. */
  readonly log: (entry: RequestLogEntry) => void;
  /**
   * Entries that were given up: after `close`, or because the destination is gone or 16 MiB behind. Not those of a write
   * that failed, of which `flush` and `close` tell.
   */
  readonly dropped: () => number;
  /** Resolves when all entries so far are written; rejects with the error that kept them from being written. */
  readonly flush: () => Promise<void>;
  /** The same, and ends the destination, unless it is the standard output or error. May be called again. */
  readonly close: () => Promise<void>;
}

/**
 * A logger of requests, for `onRequest` of a balancer. The destination belongs to the logger from then on. File
 * descriptors are written in the background, the last lines also when the process exits. Rejects with a
 * `BalancerOptionsError`.
 *
 * A line of `json` has `level` (`warn` if there was no complete answer, else `info`), `time` (when the request's head
 * came, ISO 8601) and the fields of a `RequestLogEntry`.
 */
export async function createRequestLogger(
  format: RequestLogFormat,
  destination: Writable | number,
): Promise<RequestLogger> {
  if (format !== "json" && format !== "combined") {
    refuse("format", '"json" or "combined"', format);
  }
  const sink = await openLineSink(destination);
  let dropped = 0;
  let closed: Promise<void> | undefined;
  const write = (line: string): void => {
    if (closed !== undefined || !sink.write(line)) dropped += 1;
  };
  const render = format === "json" ? formatJson : formatCombined;
  return {
    log: (entry) => write(`${render(entry)}\n`),
    dropped: () => dropped,
    flush: () => closed ?? sink.flush(),
    close: () => (closed ??= sink.close()),
  };
}

function formatJson({ startedAt, durationMs, ...rest }: RequestLogEntry): string {
  const level = rest.error === undefined ? "info" : "warn";
  const time = new Date(startedAt).toISOString();
  return JSON.stringify({ level, time, ...rest, durationMs: Math.round(durationMs * 1000) / 1000 });
}

/** What is written in another way than as `\xhh`: as Apache's `ap_escape_logitem` does. */
const SHORT_ESCAPES = new Map(
  ['""', "\\\\", "\bb", "\nn", "\rr", "\tt", "\vv"].map(([character, letter]) => [character, `\\${letter}`]),
);

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

/** Nothing of a connection of mode `tcp`, and of a request that could not be read so far. */
function requestLine({ method, path, httpVersion }: RequestLogEntry): string | undefined {
  return path === "" ? undefined : `${method} ${path} HTTP/${httpVersion}`;
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
  const [, day, month, year, clock] = new Date(ms).toUTCString().split(" ");
  return `${day}/${month}/${year}:${clock} +0000`;
}
