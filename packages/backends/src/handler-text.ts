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

/** How a property of a handler is written. */
export interface Field<Value = unknown> {
  /** The option, or `""` for the argument after the colon. */
  readonly key: string;
  /** Understands what was written, `undefined` for an argument that is missing; throws an `ExpectationError`. */
  parse(text: string | undefined): Value;
  format(value: Value): string;
  /** The value when nothing is written, and for which nothing is; without it an argument is required, and an option is not. */
  readonly fallback?: Value;
}

/** Takes a text apart: its name, and what is written by key, the argument by `""`. Commas within parentheses belong to the argument. */
export function splitText(text: string): { readonly name: string; readonly written: ReadonlyMap<string, string> } {
  const [head = "", ...pairs] = text.split(/,(?![^(]*\))/).map((part) => part.trim());
  const written = new Map<string, string>();
  const [, name = head, argument] = /^(.*?):(.*)$/s.exec(head) ?? [];
  if (argument !== undefined) written.set("", argument.trim());
  for (const pair of pairs) {
    const [, key = "", value = ""] = /^([^=]+)=(.*)$/s.exec(pair) ?? [];
    if (key === "") throw new ExpectationError("an option in the form key=value", pair);
    if (written.has(key.trim())) throw new ExpectationError(`the option ${key.trim()} once`, text);
    written.set(key.trim(), value.trim());
  }
  return { name: name.trim(), written };
}

/** A duration in ms, from text with a unit (`10ms`, `1.5s`, `2m`); precise to a microsecond, at most a day. */
function parseDuration(text: string | undefined): number {
  if (text === undefined || !/^\d+(\.\d+)?(ms|s|m)$/.test(text)) {
    const missingUnit = text !== undefined && /^\d+(\.\d+)?$/.test(text);
    const hint = missingUnit ? ` (without a unit it is not clear: write ${text}ms or ${text}s)` : "";
    throw new ExpectationError(`a duration with a unit, like 10ms, 1.5s or 2m${hint}`, text);
  }
  const value = Math.round(ms(text as ms.StringValue) * 1000) / 1000;
  if (value > MAX_MS) throw new ExpectationError("a duration of at most a day", text);
  return value;
}

const formatDuration = (durationMs: number): string => `${durationMs}ms`;

export const DURATION: Field<number> = { key: "", parse: parseDuration, format: formatDuration };

/** A number of bytes, from a plain number or text with a unit (`10kB`, `1.5MB`; 1 kB is 1024 bytes); at most 1 GB. */
export const SIZE: Field<number> = {
  key: "size",
  parse(text = "") {
    const size = /^\d+(\.\d+)?(b|kb|mb|gb)$|^\d+$/i.test(text) ? bytes.parse(text) : null;
    if (size !== null && size <= MAX_BYTES) return size;
    throw new ExpectationError("a size of at most 1GB, like 512, 10kB or 1MB", text);
  },
  format: String,
};

/** A share from 0 to 1, from a percentage (`10%`). */
export const SHARE: Field<number> = {
  key: "",
  parse(text) {
    const percent = text !== undefined && /^\d+(\.\d+)?%$/.test(text) ? Number(text.slice(0, -1)) : NaN;
    if (!(percent <= 100)) throw new ExpectationError("a share from 0% to 100%, like 10%", text);
    return withoutNoise(percent / 100);
  },
  format: (share) => `${withoutNoise(share * 100)}%`,
};

/** Twelve digits: without them 0.07 would become 7.000000000000001 %, and 99.9 % would become 0.9990000000000001. */
function withoutNoise(value: number): number {
  return Number(value.toPrecision(12));
}

/** An option that is a whole number within bounds; in errors it is called by its key: `a status`. */
export function wholeNumber(key: string, min: number, max: number): Field<number> {
  return {
    key,
    parse(text = "") {
      const value = /^\d+$/.test(text) ? Number(text) : NaN;
      if (value >= min && value <= max) return value;
      throw new ExpectationError(`a ${key} from ${min} to ${max}`, text);
    },
    format: String,
  };
}

/** What is written of the distributions of delays, in order. */
const DISTRIBUTIONS: ReadonlyMap<string, readonly string[]> = new Map([
  ["uniform", ["minMs", "maxMs"]],
  ["exponential", ["meanMs"]],
  ["normal", ["meanMs", "stddevMs"]],
]);

/** A delay, from `10ms`, `uniform(5ms,20ms)`, `exponential(10ms)` or `normal(10ms,2ms)`. */
export const DELAY: Field<Delay> = {
  key: "",
  parse(text) {
    const [, kind, list = ""] = /^([a-z]+)\((.*)\)$/.exec(text ?? "") ?? [];
    if (kind === undefined) return { kind: "fixed", ms: parseDuration(text) };
    const names = DISTRIBUTIONS.get(kind);
    if (names === undefined) {
      throw new ExpectationError("uniform(MIN,MAX), exponential(MEAN) or normal(MEAN,STDDEV)", text);
    }
    const values = list.split(",").map((value) => value.trim());
    const form = `${kind}(${names.map((name) => name.replace("Ms", "").toUpperCase()).join()})`;
    if (values.length !== names.length) throw new ExpectationError(form, text);
    const durations = names.map((name, index) => [name, parseDuration(values[index])]);
    const delay = { kind, ...Object.fromEntries(durations) } as Delay;
    if (delay.kind !== "uniform" || delay.minMs <= delay.maxMs) return delay;
    throw new ExpectationError(`${form} with MIN not above MAX`, text);
  },
  format({ kind, ...values }) {
    const written: Readonly<Record<string, number>> = values;
    // In the order of the text: data may have another.
    const names = DISTRIBUTIONS.get(kind) ?? ["ms"];
    const durations = names.map((name) => formatDuration(written[name] ?? NaN)).join();
    return kind === "fixed" ? durations : `${kind}(${durations})`;
  },
};
