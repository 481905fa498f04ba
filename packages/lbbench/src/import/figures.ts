/** Figures as programs print them, with what their digits are worth. */
import { ProgramError } from "./printed.js";
import type { LatencySummary } from "../model/measurement.js";
import { PERCENTILES } from "../stats/latency-keys.js";

/** A figure as it is printed, and half of its last digit. */
export interface Figure {
  readonly value: number;
  readonly resolution: number;
}

const UNITS_MS: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 0.001,
  µs: 0.001,
  ms: 1,
  s: 1000,
  sec: 1000,
  secs: 1000,
  m: 60_000,
  min: 60_000,
  h: 3_600_000,
  hr: 3_600_000,
};

/** Reads a number, or a time in ms without digits that the product alone has: 0.266 of 266.00us; `NaN` for none. */
export function readFigure([value = "", unit = "ms"]: readonly string[]): Figure {
  const inMs = (number: string): number =>
    Number((Number(number || "NaN") * (UNITS_MS[unit] ?? Number.NaN)).toPrecision(12));
  return { value: inMs(value), resolution: inMs(String(0.5 * 10 ** -(value.split(".")[1]?.length ?? 0))) };
}

const SIZES = ["b", "k", "m", "g", "t"];

/** Reads a size in bytes, rounded to what its last digit is worth at least: 3.60MB are 3,770,000 bytes, not 3,774,874. */
export function readBytes([value = "", unit = ""]: readonly string[], base = 1024): number {
  const factor = base ** Math.max(0, SIZES.indexOf(unit.charAt(0).toLowerCase()));
  const step = 10 ** Math.max(0, Math.floor(Math.log10(2 * readFigure([value]).resolution * factor)));
  return Math.round((Number(value) * factor) / step) * step;
}

/** Returns the time of a run in ms, by whichever is more exact: the time that is printed, or the count over the rate. */
export function elapsedByRate(count: number, time: Figure, rate: Figure): number {
  const byRateMs = (count / rate.value) * 1000;
  return byRateMs * (rate.resolution / rate.value) < time.resolution ? byRateMs : time.value;
}

/**
 * Returns the time of a run in ms, by its rate where that is more exact. Throws a `ProgramError` where count, time and rate cannot all be true:
 * lines that come beside these are missing then.
 */
export function exactTime(program: string, count: number, time: Figure, rate: Figure): number {
  const most = (rate.value + rate.resolution) * (time.value + time.resolution) + 1e-3;
  const least = (rate.value - rate.resolution) * (time.value - time.resolution) - 1e-3;
  if (count * 1000 > most || count * 1000 < least) {
    throw new ProgramError(`${program} tells of ${count} requests in ${time.value} ms, and of ${rate.value} a second`);
  }
  return elapsedByRate(count, time, rate);
}

/** Leaves out what is `undefined` or no number. */
export function toldOf<Name extends string>(
  figures: Readonly<Partial<Record<Name, number | undefined>>>,
): Partial<Record<Name, number>> {
  const told = Object.entries<number | undefined>(figures).filter(([, figure]) => Number.isFinite(figure));
  return Object.fromEntries(told) as Partial<Record<Name, number>>;
}

/** The percentiles that reports have, of 50 % and above, by the percentage as it is printed: `50`, `99.90`. */
export function percentilesOf(rows: readonly (readonly [percentage: string, ms: number])[]): LatencySummary {
  const byPercentage = new Map(rows.map(([percentage, ms]) => [Number(percentage), ms]));
  return toldOf(
    Object.fromEntries(PERCENTILES.map(([key, share]) => [key, byPercentage.get(Number((share * 100).toFixed(1)))])),
  );
}

/** Returns latencies that are told; `undefined` where there is none, or half of them are too short to be told. */
export function summaryOf(figures: Readonly<Record<string, number | undefined>>): LatencySummary | undefined {
  const latency: LatencySummary = toldOf(figures);
  return latency.p50 === 0 || Object.keys(latency).length === 0 ? undefined : latency;
}

/** A URL as it is kept; `undefined` for text that is none. */
export function urlOf(text: string | undefined): string | undefined {
  return text !== undefined && URL.canParse(text) ? new URL(text).href : undefined;
}
