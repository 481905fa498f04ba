/** Numbers as reports print them: English separators, few digits, units left to the column's head. */

const WHOLE = new Intl.NumberFormat("en-US", { maximumFractionDigits: 0 });
const THREE_DIGITS = new Intl.NumberFormat("en-US", { minimumSignificantDigits: 3, maximumSignificantDigits: 3 });
const TWO_DIGITS = new Intl.NumberFormat("en-US", { maximumSignificantDigits: 2 });
const ONE_DECIMAL = new Intl.NumberFormat("en-US", { minimumFractionDigits: 1, maximumFractionDigits: 1 });
const TENTHS = new Intl.NumberFormat("en-US", { maximumFractionDigits: 1 });
const MICROSECONDS = new Intl.NumberFormat("en-US", { minimumFractionDigits: 3, maximumFractionDigits: 3 });

/** Percent from which on one decimal would round to 100.0. */
const NEARLY_ALL = 99.95;

/** Formats a number of things: `1,234`. */
export function formatCount(value: number): string {
  return WHOLE.format(value);
}

/** Names so many things: `1 backend`, `1,234 requests`, `2 bodies`. The plural has an `s` where it is not given. */
export function countOf(count: number, one: string, many = `${one}s`): string {
  const text = formatCount(count);
  return `${text} ${text === "1" ? one : many}`;
}

/** Formats a median of counts: `12`, `12.5`. */
export function formatTenths(value: number): string {
  return TENTHS.format(value);
}

/** Says behind a number how many there are in all: ` of 12`, ` of at most 14`; nothing where that is not known. */
export function formatTotal(total: number | null, isBound: boolean): string {
  return total === null ? "" : ` of ${isBound ? "at most " : ""}${formatCount(total)}`;
}

/** Formats a time, in any unit, to three digits or the thousandth: `0.184`, `12.3`, `1,234`; zero as `0`. */
export function formatTime(value: number): string {
  if (value === 0) {
    return "0";
  }
  return Math.abs(value) < 0.1 ? MICROSECONDS.format(value) : formatThreeDigits(value);
}

/** Formats an amount per second: whole from 1 000 on, else three digits: `12,346`, `832`, `4.57`; zero as `0`. */
export function formatRate(value: number): string {
  return value === 0 ? "0" : formatThreeDigits(value);
}

/**
 * Formats a ratio (0 to 1 and above) in percent without the sign: `12.3`, `104.0`; below 0.1 % with two digits, and just below 100
 * as `99.97` or `99.99`: `0.0` is said of nothing alone, and `100.0` of nothing less than all.
 */
export function formatPercent(ratio: number): string {
  const percent = ratio * 100;
  if (percent >= NEARLY_ALL && percent < 100) return (Math.floor(percent * 100) / 100).toFixed(2);
  return percent !== 0 && Math.abs(percent) < 0.1 ? TWO_DIGITS.format(percent) : ONE_DECIMAL.format(percent);
}

/** Formats a change as a signed percentage: `+12.3 %`, `-4.0 %`. */
export function formatChange(ratio: number): string {
  return `${ratio >= 0 ? "+" : "-"}${formatPercent(Math.abs(ratio))} %`;
}

/** Formats a length of time for a sentence: `850 ms`, `3.5 s`, `2 min 5 s`, `1 h 12 min`. */
export function formatDuration(durationMs: number): string {
  if (durationMs < 1000) {
    return `${formatCount(durationMs)} ms`;
  }
  if (durationMs < 60_000) {
    return `${Number((durationMs / 1000).toFixed(1))} s`;
  }
  const seconds = Math.round(durationMs / 1000);
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) {
    return pair(minutes, "min", seconds % 60, "s");
  }
  return pair(Math.floor(minutes / 60), "h", minutes % 60, "min");
}

/** Picks the unit in which the largest of the values has one to four digits before the point (1 kB = 1000 B). */
export function pickByteUnit(values: readonly number[]) {
  const largest = values.reduce((max, value) => Math.max(max, value), 0);
  return BYTE_UNITS.find(({ bytes }) => largest >= 10 * bytes) ?? BYTES;
}

/** Formats an amount of memory, with its unit: `20.1 kB`, `480 MB`. */
export function formatBytes(value: number): string {
  const unit = BYTE_UNITS.find(({ bytes }) => Math.abs(value) >= bytes) ?? BYTES;
  return `${Number((value / unit.bytes).toPrecision(3))} ${unit.name}`;
}

const BYTES = { name: "B", bytes: 1 };

/** Units for a column of bytes, the largest first, and what to divide by. */
const BYTE_UNITS = [
  { name: "GB", bytes: 1e9 },
  { name: "MB", bytes: 1e6 },
  { name: "kB", bytes: 1e3 },
];

function formatThreeDigits(value: number): string {
  return Math.abs(value) < 1000 ? THREE_DIGITS.format(value) : WHOLE.format(value);
}

function pair(large: number, largeUnit: string, small: number, smallUnit: string): string {
  return small === 0 ? `${large} ${largeUnit}` : `${large} ${largeUnit} ${small} ${smallUnit}`;
}

/**
 * Formats the numbers in an arg of a finding that lists them, such as levels: `500, 1,000` of `500, 1000`; what is no number as it came.
 *
 * @param separator what goes between two of them. Default: a comma and a space.
 */
export function formatCounts(list: string, separator = ", "): string {
  return list
    .split(", ")
    .map((text) => (NUMBER.test(text) ? formatCount(Number(text)) : text))
    .join(separator);
}

const NUMBER = /^\d+(\.\d+)?$/;
