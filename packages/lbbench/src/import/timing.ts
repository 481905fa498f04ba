import { elapsedByRate, type ProgramFigures } from "../engines/programs/printed.js";
import type { LatencySummary } from "../model/measurement.js";
import { PERCENTILES } from "../stats/latency-keys.js";
import type { ImportedRun } from "./imported-run.js";
import type { BlockReader } from "./read-blocks.js";

/** A figure as it is printed, and half of its last digit. */
interface Printed {
  readonly value: number;
  readonly resolution: number;
}

/** How many requests there were, in what time, as far as it is told. */
export interface Timing {
  /** 0 where it is not told. */
  readonly count: number;
  /** 0 where it is not told. */
  readonly elapsedMs: number;
  /** Per second, where neither of the two above is told. */
  readonly rate?: number;
}

/**
 * Makes a timing of what is told of count, time and rate; `undefined` where neither count nor rate is. Where all three are, the time is
 * that of {@link elapsedByRate}.
 *
 * @param disagree called where the three contradict each other; then count and time count.
 */
export function settleTiming(
  count: number | undefined,
  timeMs: Printed | undefined,
  rate: Printed | undefined,
  disagree: () => void,
): Timing | undefined {
  const elapsedMs = timeMs?.value ?? 0;
  if (count === undefined) {
    if (rate === undefined) return undefined;
    return timeMs === undefined
      ? { count: 0, elapsedMs, rate: rate.value }
      : { count: Math.round((rate.value * elapsedMs) / 1000), elapsedMs };
  }
  if (rate === undefined) return { count, elapsedMs };
  if (timeMs === undefined) return { count, elapsedMs: rate.value === 0 ? 0 : (count / rate.value) * 1000 };
  // Of a rate of 0 as well, which is that of no request, or of so few that it is rounded to nothing.
  const isAlike =
    count * 1000 <= (rate.value + rate.resolution) * (elapsedMs + timeMs.resolution) + 1e-3 &&
    count * 1000 >= (rate.value - rate.resolution) * (elapsedMs - timeMs.resolution) - 1e-3;
  if (!isAlike) disagree();
  const [elapsedResolutionMs, perSecond, rateResolution] = [timeMs.resolution, rate.value, rate.resolution];
  const byRateMs = elapsedByRate({ count, elapsedMs, elapsedResolutionMs, perSecond, rateResolution });
  return { count, elapsedMs: isAlike ? byRateMs : elapsedMs };
}

/** What a reader knows of a run. */
interface Told
  extends
    Omit<ImportedRun, "version" | "keepAlive" | "figures" | "rate">,
    Partial<Pick<ImportedRun, "version" | "keepAlive">> {
  readonly timing: Timing;
  readonly figures: Pick<ProgramFigures, "requests"> & Partial<ProgramFigures>;
  readonly areFailuresTold: boolean;
}

/** Makes a run of what its output tells, with what remains doubtful where that is no time, or not whether requests failed. */
export function toRun({ timing: { elapsedMs, rate }, figures, areFailuresTold, doubts, ...run }: Told): ImportedRun {
  return {
    version: null,
    keepAlive: null,
    ...run,
    rate,
    figures: { elapsedMs, statusCodes: {}, errorCodes: {}, bytes: {}, ...figures },
    doubts: [
      ...doubts,
      ...(elapsedMs > 0 || rate !== undefined ? [] : [{ figure: "throughput", because: "time-untold" } as const]),
      ...(areFailuresTold ? [] : [{ figure: "errors", because: "failures-untold" } as const]),
    ],
  };
}

/** What becomes of a run whose program gave up before it told a figure; `undefined` where it did not say so. */
export function gaveUp(
  block: BlockReader,
  run: Pick<ImportedRun, "program" | "amount"> & Partial<ImportedRun>,
  after = "",
): ImportedRun | undefined {
  const [said] = block.all("gave up");
  const failure = `${run.program} gave up${after}: ${said?.text ?? ""}`;
  return said && { version: null, ...run, keepAlive: null, failure, doubts: [] };
}

const ORDER = ["min", ...PERCENTILES.map(([key]) => key), "max"] as const;

/** Whether percentiles do not fall, and the mean lies between the ends. */
export function isAscending(latency: LatencySummary): boolean {
  const { min = 0, mean = min, max = Infinity } = latency;
  const told = ORDER.flatMap((key) => latency[key] ?? []);
  return mean >= min && mean <= max && told.every((ms, index) => ms >= (told[index - 1] ?? 0));
}

/** The percentiles that reports have, of 50 % and above, by the percentage as it is printed: `50`, `99.90`. */
const KEYS: ReadonlyMap<number, keyof LatencySummary> = new Map([
  ...PERCENTILES.map(([key, share]) => [Number((share * 100).toFixed(1)), key] as const),
  [100, "max"],
]);

/** Makes a summary of percentages and times in ms; other percentages are left out, and so is what is no number. */
export function percentilesOf(rows: readonly (readonly [percentage: number, ms: number])[]): LatencySummary {
  const told = new Map(rows);
  return toldOf(Object.fromEntries([...KEYS].map(([percentage, key]) => [key, told.get(percentage)])));
}

/** Leaves out what is not told. */
export function toldOf<Name extends string>(figures: { readonly [Figure in Name]?: number | undefined }) {
  const told = Object.entries<number | undefined>(figures).filter(([, figure = Number.NaN]) => !Number.isNaN(figure));
  return Object.fromEntries(told) as Partial<Record<Name, number>>;
}

const UNITS_MS: ReadonlyMap<string, number> = new Map([
  ["ns", 1e-6],
  ["us", 0.001],
  ["µs", 0.001],
  ["ms", 1],
  ["s", 1000],
  ["sec", 1000],
  ["secs", 1000],
  ["m", 60_000],
  ["min", 60_000],
  ["h", 3_600_000],
  ["hr", 3_600_000],
]);

/** Returns a time as it is printed in ms, without digits that the product alone has: 0.266 of 266.00us; `NaN` for none. */
export function toMs(value = "", unit = ""): number {
  return Number((Number(value || "NaN") * (UNITS_MS.get(unit.toLowerCase()) ?? Number.NaN)).toPrecision(12));
}

/** The same, with half of its last digit; `undefined` for none. */
export function printedMs([value, unit]: readonly string[] = []): Printed | undefined {
  const ms = toMs(value, unit);
  return Number.isNaN(ms) ? undefined : { value: ms, resolution: toMs(String(halfDigit(value)), unit) };
}

/** A number as it is printed, with half of its last digit. */
export function printed(text: string | undefined): Printed | undefined {
  return text === undefined ? undefined : { value: Number(text), resolution: halfDigit(text) };
}

function halfDigit(text = ""): number {
  return 0.5 * 10 ** -(text.split(".")[1]?.length ?? 0);
}

const UNITS = ["b", "k", "m", "g", "t"];

/** Returns a size as it is printed in bytes, and half of its last digit; units of a thousand have a small k, as of autocannon. */
export function printedBytes([value = "", unit = ""]: readonly string[] = [], base = 1024): Printed {
  const factor = base ** Math.max(0, UNITS.indexOf(unit.charAt(0).toLowerCase()));
  return { value: Number(value) * factor, resolution: halfDigit(value) * factor };
}

/** Rounds to the power of ten that the last digit is worth at least: 3.60MB are 3,770,000 bytes, not 3,774,874. */
export function toToldDigits({ value, resolution }: Printed): number {
  const step = 10 ** Math.max(0, Math.floor(Math.log10(2 * resolution)));
  return Math.round(value / step) * step;
}

/**
 * Checks the latencies of a block, and returns those that are told; `undefined` where there is none, or half of them are too short to be told.
 *
 * @param shortestMean of a shorter mean, in ms, rounding leaves too little, and of its deviation.
 */
export function checkedLatency(
  block: BlockReader,
  figures: Readonly<Record<string, number | undefined>>,
  shortestMean: number,
  ...keys: readonly string[]
): LatencySummary | undefined {
  const isMeanTold = (figures["mean"] ?? 0) >= shortestMean;
  const latency: LatencySummary = toldOf(isMeanTold ? figures : { ...figures, mean: undefined, stddev: undefined });
  block.check(isAscending(latency), "latency", ...keys);
  return latency.p50 === 0 || Object.keys(latency).length === 0 ? undefined : latency;
}
