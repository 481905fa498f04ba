/** The text of a handler, `NAME[:ARGUMENT][,key=value...]`, and the values in it. */
import bytes from "bytes";
import ms from "ms";
import type { Delay } from "./costs.js";

const MAX_MS = ms("1d");
const MAX_BYTES = 1024 ** 3;

/** A part of a text that is not what it should be; `parseHandler` puts the whole text around it. */
export class ExpectationError extends Error {
  override readonly name = "ExpectationError";

  constructor(expected: string, got: string | undefined) {
    super(`expected ${expected}, got ${got === undefined ? "nothing" : JSON.stringify(got)}`);
  }
}

/** A text taken apart, nothing of it understood yet. */
export interface HandlerText {
  readonly name: string;
  readonly argument?: string | undefined;
  readonly options: ReadonlyMap<string, string>;
}

/** Takes `NAME[:ARGUMENT][,key=value...]` apart; commas within parentheses belong to the argument. */
export function splitText(text: string): HandlerText {
  const [head = "", ...pairs] = text.split(/,(?![^(]*\))/).map((part) => part.trim());
  const colon = head.indexOf(":");
  const options = new Map<string, string>();
  for (const pair of pairs) {
    const equals = pair.indexOf("=");
    if (equals < 1) throw new ExpectationError("an option in the form key=value", pair);
    const key = pair.slice(0, equals).trim();
    if (options.has(key)) throw new ExpectationError(`the option ${key} once`, text);
    options.set(key, pair.slice(equals + 1).trim());
  }
  if (colon === -1) return { name: head, options };
  return { name: head.slice(0, colon).trim(), argument: head.slice(colon + 1).trim(), options };
}

/** Puts a text together again. */
export function joinText({ name, argument, options }: HandlerText): string {
  const head = argument === undefined ? name : `${name}:${argument}`;
  return [head, ...[...options].map(([key, value]) => `${key}=${value}`)].join(",");
}

/** A duration in ms, from text with a unit (`10ms`, `1.5s`, `2m`); precise to a microsecond, at most a day. */
export function parseDuration(text: string | undefined): number {
  if (text === undefined || !/^\d+(\.\d+)?(ms|s|m)$/.test(text)) {
    const missingUnit = text !== undefined && /^\d+(\.\d+)?$/.test(text);
    const hint = missingUnit ? ` (without a unit it is not clear: write ${text}ms or ${text}s)` : "";
    throw new ExpectationError(`a duration with a unit, like 10ms, 1.5s or 2m${hint}`, text);
  }
  const value = Math.round(ms(text as ms.StringValue) * 1000) / 1000;
  if (value > MAX_MS) throw new ExpectationError("a duration of at most a day", text);
  return value;
}

/** The canonical text of a duration, always in ms. */
export const formatDuration = (durationMs: number): string => `${durationMs}ms`;

/** A number of bytes, from a plain number or text with a unit (`10kB`, `1.5MB`; 1 kB is 1024 bytes); at most 1 GB. */
export function parseSize(text: string): number {
  const size = /^\d+(\.\d+)?(b|kb|mb|gb)$|^\d+$/i.test(text) ? bytes.parse(text) : null;
  if (size === null || size > MAX_BYTES) {
    throw new ExpectationError("a size of at most 1GB, like 512, 10kB or 1MB", text);
  }
  return size;
}

/** A share from 0 to 1, from a percentage (`10%`). */
export function parseShare(text: string | undefined): number {
  const percent = text !== undefined && /^\d+(\.\d+)?%$/.test(text) ? Number(text.slice(0, -1)) : NaN;
  if (!(percent <= 100)) throw new ExpectationError("a share from 0% to 100%, like 10%", text);
  return withoutNoise(percent / 100);
}

/** The canonical text of a share. */
export const formatShare = (share: number): string => `${withoutNoise(share * 100)}%`;

/** Twelve digits: without them 0.07 would become 7.000000000000001 %, and 99.9 % would become 0.9990000000000001. */
function withoutNoise(value: number): number {
  return Number(value.toPrecision(12));
}

/** A whole number within bounds; `what` names it in the error: `a status`. */
export function parseWholeNumber(text: string, what: string, min: number, max: number): number {
  const value = /^\d+$/.test(text) ? Number(text) : NaN;
  if (!(value >= min && value <= max)) throw new ExpectationError(`${what} from ${min} to ${max}`, text);
  return value;
}

/** A seed: any whole number of 32 bits. */
export const parseSeed = (text: string): number => parseWholeNumber(text, "a seed", 0, 2 ** 32 - 1);

/** A delay, from `10ms`, `uniform(5ms,20ms)`, `exponential(10ms)` or `normal(10ms,2ms)`. */
export function parseDelay(text: string | undefined): Delay {
  const call = /^([a-z]+)\((.*)\)$/.exec(text ?? "");
  if (call === null) return { kind: "fixed", ms: parseDuration(text) };
  const [, kind, list = ""] = call;
  const values = list.split(",").map((value) => value.trim());
  const read = (form: string, count: number): readonly [number, number] => {
    if (values.length !== count) throw new ExpectationError(form, text);
    const [first = 0, second = 0] = values.map(parseDuration);
    return [first, second];
  };
  switch (kind) {
    case "uniform": {
      const [minMs, maxMs] = read("uniform(MIN,MAX)", 2);
      if (minMs > maxMs) throw new ExpectationError("uniform(MIN,MAX) with MIN not above MAX", text);
      return { kind, minMs, maxMs };
    }
    case "exponential":
      return { kind, meanMs: read("exponential(MEAN)", 1)[0] };
    case "normal": {
      const [meanMs, stddevMs] = read("normal(MEAN,STDDEV)", 2);
      return { kind, meanMs, stddevMs };
    }
    default:
      throw new ExpectationError("uniform(MIN,MAX), exponential(MEAN) or normal(MEAN,STDDEV)", text);
  }
}

/** The canonical text of a delay. */
export function formatDelay({ kind, ...values }: Delay): string {
  const texts = Object.values(values).map(formatDuration).join(",");
  return kind === "fixed" ? texts : `${kind}(${texts})`;
}
