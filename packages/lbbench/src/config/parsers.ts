import { isIPv6 } from "node:net";
import ms, { type StringValue } from "ms";
import type { Threshold, ThresholdMetric } from "../model/threshold.js";
import { LATENCY_METRICS } from "../stats/latency-keys.js";
import { listWords, suggest } from "./config-error.js";
import { defined } from "../stats/defined.js";

/** Longest time that anything is given, 24 days in ms: a timer of Node that is set to more than 2^31 - 1 ms fires at once. */
export const LONGEST_MS = 24 * 24 * 3_600_000;

/** Reads a text of some form. Throws an `Error` that says what was expected, for any other. */
export interface Parser<T> {
  (text: string): T;
  /** For messages. */
  readonly expected: string;
}

/** Makes a parser of what reads a text, and returns `undefined` for one of another form than `expected` says. */
export function parser<T>(expected: string, read: (text: string) => T | undefined): Parser<T> {
  const parse = (text: string): T => {
    const value = read(text);
    if (value === undefined) throw new Error(`${expected}, got "${text}"`);
    return value;
  };
  return Object.assign(parse, { expected });
}

/** For messages. */
export const LONGEST_EXPECTED = `expected a time of at most ${LONGEST_MS / 3_600_000}h (24 days)`;

/** For messages. */
export const TIME_EXPECTED = 'expected a time such as "500ms", "5s" or "2m"';

/**
 * Milliseconds, to the microsecond, of a time like `500ms`, `5s`, `1.5m` or `1h`; `0` needs no unit.
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
  // `1.001s` comes as 1000.9999999999999.
  if (milliseconds <= LONGEST_MS) return Math.round(milliseconds * 1000) / 1000;
  throw new Error(`${LONGEST_EXPECTED}, got "${text}"`);
}

const MOST_VALUES = 1000;

/**
 * Whole numbers of at least 1, of a list like `1,50,100` or with ranges like `10:100:10` (first:last:step), in the order given,
 * repetitions left out. Throws an `Error` that says what was expected, for anything else.
 */
export function parseLevels(text: string): readonly number[] {
  const values = text.split(",").flatMap((part) => parseRange(part.trim(), text));
  if (values.length <= MOST_VALUES) return [...new Set(values)];
  throw new Error(`expected at most ${MOST_VALUES} values, got ${values.length} from "${text}"`);
}

function parseRange(part: string, whole: string): readonly number[] {
  const bounds = part.split(":");
  const [first = 0, last = first, step = 1] = bounds.map((bound) => parseCount(bound, whole));
  if (last < first || bounds.length > 3) {
    throw new Error(`expected a range that rises, such as 10:100:10 (first:last:step), got "${part}"`);
  }
  const length = Math.floor((last - first) / step) + 1;
  if (length > MOST_VALUES) throw new Error(`expected at most ${MOST_VALUES} values, got ${length} from "${part}"`);
  return Array.from({ length }, (_, index) => first + index * step);
}

function parseCount(text: string, whole: string): number {
  const value = Number(text);
  if (/^\d+$/.test(text) && value >= 1 && Number.isSafeInteger(value)) return value;
  const where = text === whole ? "" : ` in "${whole}"`;
  throw new Error(`expected whole numbers of at least 1, such as 1,50,100 or 10:100:10, got "${text}"${where}`);
}

/** For messages. */
export const MARGIN_EXPECTED = 'expected a share from 0 % to below 100 %, such as "5%" or 0.05';

/** A share, `5%` or `0.05`, as a part of 1; `NaN` of anything else. */
export function readPart(text: string): number {
  const [, digits, sign] = /^\s*(\d+(?:\.\d+)?)\s*(%?)\s*$/.exec(text) ?? [];
  return Number(digits) / (sign === "%" ? 100 : 1);
}

/** Reads a margin, `5%` or `0.05`, as a part of 1. Throws an `Error` for anything but 0 to below 100 %. */
export function parseMargin(text: string): number {
  const part = readPart(text);
  if (part < 1) return part;
  const hint = part < 100 && !text.includes("%") ? `. Did you mean "${text.trim()}%"?` : "";
  throw new Error(`${MARGIN_EXPECTED}, got "${text}"${hint}`);
}

/** A share, `50%` or `0.5`, as a part of 1: up to all of it. */
export const parseShare = parser('expected a share from 0% to 100%, such as "50%"', (text) => {
  const share = readPart(text);
  return share <= 1 ? share : undefined;
});

/** `wait:3`, with a time `wait:3:2m`, or `ssh:gen1,gen2`. */
export const parseWorkers = parser<{
  readonly from: "ssh" | "wait";
  readonly count: number;
  readonly hosts?: readonly string[];
  readonly waitMs?: number;
}>('expected workers such as "wait:3", "wait:3:2m" or "ssh:gen1,gen2"', (text) => {
  const [, from, rest = ""] = /^\s*(wait|ssh):(.*?)\s*$/.exec(text) ?? [];
  const hosts = rest.split(",").map((host) => host.trim());
  if (from === "ssh") return hosts.includes("") ? undefined : { from, count: hosts.length, hosts };
  const [, digits, time] = /^([1-9]\d{0,5})(?::(.+))?$/.exec(rest) ?? [];
  if (from !== "wait" || digits === undefined) return undefined;
  return {
    from,
    count: Number(digits),
    ...defined({ waitMs: time === undefined ? undefined : parseDuration(time) }),
  };
});

/** Of TCP. */
export const HIGHEST_PORT = 65_535;

/** `HOST`, `HOST:PORT`, `::1` or `[::1]:PORT`. */
export const parseAddress = parser<{ readonly host: string; readonly port?: number }>(
  'expected an address such as "10.0.0.1" or "10.0.0.1:5557"',
  (text) => {
    const [, inBrackets = "", name, digits] = /^(?:\[([^\]]*)\]|([^\s:/[\]]+))(?::(\d{1,5}))?$/.exec(text) ?? [];
    const host = name ?? [inBrackets, text].find((one) => isIPv6(one));
    const port = digits === undefined ? undefined : Number(digits);
    return host === undefined || (port ?? 1) > HIGHEST_PORT ? undefined : { host, ...defined({ port }) };
  },
);

/** `HOST:PORT`, `[::1]:PORT`, or `unix:` and a path, as it came. */
export const parsePlace = parser('expected a place such as "127.0.0.1:8443" or "unix:/run/app.sock"', (text) => {
  if (/^unix:\/./.test(text)) return text;
  if (!/^(?:\[[^\]]*\]|[^\s:/[\]]+):\d{1,5}$/.test(text)) return undefined;
  return parseAddress(text).port === 0 ? undefined : text;
});

const SLOW_EXPECTED = 'expected a backend and times such as "backend-1 by 2s from 10s to 40s"';

/** A backend that is slow for a time: `backend-1 by 2s from 10s to 40s`. */
export const parseSlow = parser(SLOW_EXPECTED, (text) => {
  const [, part, by = "", from = "", to = ""] =
    /^\s*(\S.*?)\s+by\s+(\S+)\s+from\s+(\S+)\s+to\s+(\S+)\s*$/.exec(text) ?? [];
  if (part === undefined) return undefined;
  const slow = { part, byMs: parseDuration(by), fromMs: parseDuration(from), toMs: parseDuration(to) };
  if (slow.byMs > 0 && slow.toMs > slow.fromMs) return slow;
  throw new Error(`${SLOW_EXPECTED}: more than no time, and an end after the beginning; got "${text}"`);
});

const METRICS: readonly ThresholdMetric[] = ["throughput", "errors", "within", "lost", "recovery", ...LATENCY_METRICS];

const OPPOSITE = { "<": ">=", "<=": ">", ">": "<=", ">=": "<" } as const;

/**
 * Reads a condition like `p99<50ms`, `errors<1%` or `throughput>1000`.
 * Throws an `Error` that says what was expected, for anything else.
 */
export function parseThreshold(text: string): Threshold {
  const source = text.trim();
  const [, word = "", operator, value = ""] = /^(\w+)\s*(<=|>=|<|>)\s*(\S+)$/.exec(source) ?? [];
  if (operator === undefined) {
    throw new Error(
      `expected a condition with <, <=, > or >=, such as p99<50ms, errors<1% or throughput>1000, got "${text}"`,
    );
  }
  const metric = METRICS.find((one) => one === word);
  if (metric === undefined) {
    throw new Error(`expected one of ${listWords(METRICS)} in "${text}", got "${word}".${suggest(word, METRICS)}`);
  }
  return { source, metric, operator: operator as Threshold["operator"], value: parseValue(metric, value, source) };
}

/** What the number of a metric counts that has no unit, for messages. */
const COUNTED: ReadonlyMap<ThresholdMetric, string> = new Map([
  ["throughput", "a number of requests/s, such as throughput>1000"],
  ["lost", "a number of requests, such as lost<10"],
]);

function parseValue(metric: ThresholdMetric, text: string, source: string): number {
  const isNumber = /^\d+(\.\d+)?$/.test(text);
  const counted = COUNTED.get(metric);
  if (counted !== undefined) {
    if (isNumber) return Number(text);
    throw new Error(`expected ${counted}, got "${source}"`);
  }
  if (metric === "errors" || metric === "within") {
    const share = readPart(text);
    // Errors of 1 are those of all requests: nearly always a percent is meant, without its sign.
    const isUnitless = metric === "errors" && text === "1";
    if (share <= 1 && !isUnitless) return share;
    const example = metric === "errors" ? "errors<1% or errors<0.01" : "within>99% or within>0.99";
    const hint = isUnitless ? `; did you mean "${source}%"?` : "";
    throw new Error(`expected a share such as ${example}, at most 100%, got "${source}"${hint}`);
  }
  try {
    return parseDuration(text);
  } catch (cause) {
    // A threshold without a unit is nearly always one in milliseconds.
    const hint = isNumber ? `; did you mean "${source}ms"?` : "";
    throw new Error(`expected a time such as 50ms or 1.5s after the sign, got "${source}"${hint}`, { cause });
  }
}

/** The condition that is met where a threshold is not: `p99>=50ms` of `p99<50ms`. */
export function invertThreshold(threshold: Threshold): Threshold {
  const operator = OPPOSITE[threshold.operator];
  return { ...threshold, operator, source: threshold.source.replace(threshold.operator, operator) };
}
