import { stat } from "node:fs/promises";
import { MOST_MIX_BYTES } from "./check-mix.js";
import { ConfigError } from "./config-error.js";
import { isText, readBytes, type Body } from "./read-body.js";

/** Bodies to send in turn, and how their texts are to be read. */
export interface Bodies extends Pick<Body, "bodyEncoding"> {
  readonly bodies: readonly string[];
}

/** All of them are kept, by lbbench, by every generator and in the result. */
export const MOST_BODIES = 10_000;

const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;

/**
 * Reads a file of bodies, one in each line, without the line feed (or carriage return and line feed) that ends it; an empty
 * line is an empty body, but for the last. As base64 where the file is not UTF-8. Rejects with a `ConfigError` when it cannot
 * be read, has no line, more than 10 000 lines or more than 10 MB.
 *
 * @param place where the file is named, for messages: `mix[0].bodiesFile`.
 */
export async function readBodies(path: string, place: string): Promise<Bodies> {
  // Before it is read: it may be larger than memory. What cannot be asked for its size cannot be read either, and says so then.
  const { size } = await stat(path).catch(() => ({ size: 0 }));
  refuseLarge(size, path, place);
  const bytes = await readBytes(path, place);
  refuseLarge(bytes.length, path, place);
  const lines = splitLines(bytes);
  if (lines.length === 0 || lines.length > MOST_BODIES) {
    throw new ConfigError(
      `${place}: expected a file of 1 to ${MOST_BODIES} bodies, one in each line, got ${lines.length} in "${path}". ` +
        (lines.length === 0 ? "Write at least one." : "Leave some out: they are sent again and again."),
    );
  }
  const bodyEncoding = isText(bytes) ? "utf8" : "base64";
  return { bodies: lines.map((line) => line.toString(bodyEncoding)), bodyEncoding };
}

function refuseLarge(size: number, path: string, place: string): void {
  if (size <= MOST_MIX_BYTES) return;
  throw new ConfigError(
    `${place}: expected a file of at most ${MOST_MIX_BYTES} bytes, got ${size} in "${path}". Leave some lines out: they are sent again and again.`,
  );
}

function splitLines(bytes: Buffer): readonly Buffer[] {
  const lines: Buffer[] = [];
  for (let start = 0; start < bytes.length;) {
    const found = bytes.indexOf(LINE_FEED, start);
    const end = found === -1 ? bytes.length : found;
    const hasReturn = found > start && bytes[end - 1] === CARRIAGE_RETURN;
    lines.push(bytes.subarray(start, hasReturn ? end - 1 : end));
    start = end + 1;
  }
  return lines;
}
