/** Reads the times of a result file. They are text (ISO 8601, UTC), and a report has no business with a clock. */
const ISO = /^(\d{4})-(\d{2})-(\d{2})T(\d{2}):(\d{2}):(\d{2}(?:\.\d+)?)Z$/;

/** Returns a time to the minute: `2026-11-05 10:00 UTC`; a text of another form as it came. */
export function formatTimestamp(iso: string): string {
  return ISO.test(iso) ? `${iso.slice(0, 10)} ${iso.slice(11, 16)} UTC` : iso;
}

/** Returns the milliseconds from one time to another, or `null` when one of them has another form. */
export function elapsedBetweenMs(from: string, to: string): number | null {
  const [start, end] = [sinceEpochMs(from), sinceEpochMs(to)];
  return start === null || end === null ? null : end - start;
}

function sinceEpochMs(iso: string): number | null {
  const [, year, month, day, hours, minutes, seconds] = (ISO.exec(iso) ?? []).map(Number);
  if (
    year === undefined ||
    month === undefined ||
    day === undefined ||
    hours === undefined ||
    minutes === undefined ||
    seconds === undefined
  ) {
    return null;
  }
  return (((dayNumber(year, month, day) * 24 + hours) * 60 + minutes) * 60 + seconds) * 1000;
}

/** Days since 0000-03-01: years that start in March have their leap day at the end. */
function dayNumber(year: number, month: number, day: number): number {
  const marchYear = month > 2 ? year : year - 1;
  const marchMonth = (month + 9) % 12;
  const leapDays = Math.floor(marchYear / 4) - Math.floor(marchYear / 100) + Math.floor(marchYear / 400);
  return marchYear * 365 + leapDays + Math.floor((marchMonth * 153 + 2) / 5) + day - 1;
}
