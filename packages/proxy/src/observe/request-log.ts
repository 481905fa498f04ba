import type { Writable } from "node:stream";
import { BalancerOptionsError } from "../options/balancer-options-error.js";
import type { RequestLogEntry } from "../options/options.js";
import { show } from "../options/resolve-values.js";
import { formatCombined } from "./format-combined.js";
import { openLineSink } from "./open-line-sink.js";

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
 * descriptors are written in the background, the last lines also when the process exits. Loads pino. Rejects with a
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
    throw new BalancerOptionsError(`format: expected "json" or "combined", got ${show(format)}.`);
  }
  const sink = await openLineSink(destination);
  let dropped = 0;
  let closed: Promise<void> | undefined;
  const write = (line: string): void => {
    if (closed !== undefined || !sink.write(line)) dropped += 1;
  };
  return {
    log: format === "json" ? await jsonLog(write) : (entry) => write(`${formatCombined(entry)}\n`),
    dropped: () => dropped,
    flush: () => closed ?? sink.flush(),
    close: () => (closed ??= sink.close()),
  };
}

async function jsonLog(write: (line: string) => void): Promise<RequestLogger["log"]> {
  const { pino } = await import("pino");
  const logger = pino({ base: null, timestamp: false, formatters: { level: (level) => ({ level }) } }, { write });
  return ({ startedAt, durationMs, ...rest }) => {
    const time = new Date(startedAt).toISOString();
    const fields = { time, ...rest, durationMs: Math.round(durationMs * 1000) / 1000 };
    if (rest.error === undefined) logger.info(fields);
    else logger.warn(fields);
  };
}
