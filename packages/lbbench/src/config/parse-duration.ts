import ms, { type StringValue } from "ms";

/** Longest time that anything is given, 24 days in ms: a timer of Node that is set to more than 2^31 - 1 ms fires at once. */
export const LONGEST_MS = 24 * 24 * 3_600_000;

/** What a time of more than {@link LONGEST_MS} is told, for messages. */
export const LONGEST_EXPECTED = `expected a time of at most ${LONGEST_MS / 3_600_000}h (24 days)`;

/**
 * Milliseconds of a time like `500ms`, `5s`, `1.5m` or `1h`; `0` needs no unit.
 * Throws an `Error` that says what was expected, for anything else and for more than 24 days.
 */
export function parseDuration(text: string): number {
  const trimmed = text.trim();
  if (trimmed === "0") return 0;
  if (!/^\d+(\.\d+)?(ms|s|m|h)$/.test(trimmed)) {
    const unit = /^\d+(\.\d+)?$/.test(trimmed) ? `; a number needs a unit: ${trimmed}s, ${trimmed}ms` : "";
    throw new Error(`expected a time such as 500ms, 5s or 2m, got "${text}"${unit}`);
  }
  // What has more characters `ms` does not read.
  const milliseconds = trimmed.length > 100 ? Infinity : ms(trimmed as StringValue);
  if (milliseconds > LONGEST_MS) throw new Error(`${LONGEST_EXPECTED}, got "${text}"`);
  return milliseconds;
}
