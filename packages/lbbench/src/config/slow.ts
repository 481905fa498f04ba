import { parseDuration } from "./parsers.js";

/** For messages. */
export const SLOW_EXPECTED = 'expected a backend and times such as "backend-1 by 2s from 10s to 40s"';

/** Reads `backend-1 by 2s from 10s to 40s`. Throws an `Error` that says what was expected, for anything else. */
export function parseSlow(text: string): {
  readonly part: string;
  readonly byMs: number;
  readonly fromMs: number;
  readonly toMs: number;
} {
  const [, part, by = "", from = "", to = ""] =
    /^\s*(\S.*?)\s+by\s+(\S+)\s+from\s+(\S+)\s+to\s+(\S+)\s*$/.exec(text) ?? [];
  if (part === undefined) throw new Error(`${SLOW_EXPECTED}, got "${text}"`);
  const slow = { part, byMs: parseDuration(by), fromMs: parseDuration(from), toMs: parseDuration(to) };
  if (slow.byMs > 0 && slow.toMs > slow.fromMs) return slow;
  throw new Error(`${SLOW_EXPECTED}: more than no time, and an end after the beginning; got "${text}"`);
}
