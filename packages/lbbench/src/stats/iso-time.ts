/** Reads the times of a result file. They are text (ISO 8601, UTC), and a report has no business with a clock. */
const ISO = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?Z$/;

/** Returns a time to the minute: `2026-11-05 10:00 UTC`; a text of another form as it came. */
export function formatTimestamp(iso: string): string {
  return ISO.test(iso) ? `${iso.slice(0, 10)} ${iso.slice(11, 16)} UTC` : iso;
}

/**
 * Returns the milliseconds from one time to a later one; `null` when one of them has another form, and when the second is the earlier
 * one: the clock was set back between them, and the time that passed is not known.
 */
export function elapsedBetweenMs(from: string, to: string): number | null {
  if (!ISO.test(from) || !ISO.test(to)) return null;
  // oxlint-disable-next-line no-restricted-globals -- what is parsed is a text, no clock is asked
  const elapsedMs = Date.parse(to) - Date.parse(from);
  return elapsedMs >= 0 ? elapsedMs : null;
}
