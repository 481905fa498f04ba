import { elapsedByRate, latencyByStatus, readLines, type PrintedLines } from "../engines/programs/printed.js";
import type { Doubt, LatencySummary, RequestCounts } from "../model/measurement.js";
import { textInPlace, type Block, type ImportedRun } from "./imported-run.js";
import { countOf } from "../stats/count-of.js";

/**
 * Reads a block of wrk. To it every status below 400 is good. A connection that is closed or reset, and an answer that is not HTTP,
 * are the same (`unclassified`). Its latencies are of all answers in time, so that they are those of ok ones where no answer had a bad
 * status, and of failed ones where all had.
 */
export function readWrk(block: Block): ImportedRun {
  const output = parseWrkText(textInPlace(block));
  const { url, threads, connections, elapsedMs, receivedBytes, latency } = output;
  const requests = countRequests(output);
  const perThread = Math.floor(connections / threads);
  const doubts = doubtsOf(output);
  const told = latency === undefined || doubts.length === 0 ? latency : withoutMean(latency);
  return {
    program: "wrk",
    version: null,
    url,
    connections,
    // It rounds down the connections of its threads.
    ...(connections % threads === 0 ? {} : { opened: perThread * threads }),
    amount: { durationMs: output.durationMs },
    keepAlive: null,
    figures: {
      elapsedMs,
      requests,
      statusCodes: {},
      errorCodes: {},
      bytes: { received: receivedBytes },
      ...latencyByStatus(requests, told),
    },
    doubts: told !== undefined && requests.non2xx === 0 ? doubts : [],
    output: block.lines.join("\n"),
  };
}

/** A late answer counts as timed out, as with other engines; late ones are taken to have had a good status. */
function countRequests({ answers, bad, late, connectErrors, readErrors, writeErrors }: WrkText): RequestCounts {
  const timedOut = Math.min(late, answers - bad);
  const unclassified = readErrors + writeErrors;
  return {
    sent: answers + connectErrors + unclassified,
    ok: answers - bad - timedOut,
    non2xx: bad,
    connectErrors,
    timedOut,
    unclassified,
  };
}

/**
 * wrk adds to every latency of more than twice the mean time between the answers of a connection those that it takes to have been
 * missed (`stats_correct`). Where none was that long, it has added nothing.
 */
function doubtsOf({ answers, connections, elapsedMs, latency }: WrkText): readonly Doubt[] {
  const rounds = Math.floor(answers / connections);
  const expectedMs = rounds === 0 ? Infinity : elapsedMs / rounds;
  return (latency?.max ?? 0) >= 2 * expectedMs ? [{ figure: "latency", because: "made-up-latencies" }] : [];
}

/** What was added bends the mean so far that it contradicts the throughput. */
function withoutMean(latency: LatencySummary): LatencySummary {
  const { mean: _, stddev: _also, ...others } = latency;
  return others;
}

/** What wrk prints of a run. */
interface WrkText {
  readonly url: string;
  readonly durationMs: number;
  readonly threads: number;
  readonly connections: number;
  readonly elapsedMs: number;
  /** Complete answers, of whatever status, also late ones. */
  readonly answers: number;
  /** Of them those with a status of 400 or above. */
  readonly bad: number;
  /** Of them those that took longer than the timeout; they are no part of the latencies. */
  readonly late: number;
  readonly connectErrors: number;
  readonly readErrors: number;
  readonly writeErrors: number;
  /** To the digits that are told, about four; what is beyond is 0. */
  readonly receivedBytes: number;
  /** Percentiles only with `--latency`; absent where nothing was answered in time. */
  readonly latency?: LatencySummary;
}

const UNITS_MS: ReadonlyMap<string, number> = new Map([
  ["us", 0.001],
  ["ms", 1],
  ["s", 1000],
  ["m", 60_000],
  ["h", 3_600_000],
]);
const BYTES: ReadonlyMap<string, number> = new Map(
  ["B", "KB", "MB", "GB", "TB"].map((unit, index) => [unit, 1024 ** index]),
);
const TIME = "(\\d+\\.\\d{2})(us|ms|s|m|h)";
const SIZE = "(\\d+\\.\\d{2})(B|KB|MB|GB|TB)";
const PERCENTILES = [
  [50, "p50"],
  [75, "p75"],
  [90, "p90"],
  [99, "p99"],
] as const;

/** Reads what wrk printed. Throws a `ProgramError` that names the line which is not as expected. */
function parseWrkText(text: string): WrkText {
  const lines = readLines("wrk", text);
  const [asked = "", unit = "", url = ""] = lines.only("Running ", /^(\d+)(s|m|h) test @ (\S+)$/);
  const head = lines.all.find(({ text: one }) => one.startsWith("Running ")) ?? { text: "", number: 1 };
  if (!URL.canParse(url)) throw lines.unlike(head, "a URL");
  if (Number(asked) === 0) throw lines.unlike(head, "a time above 0");
  const below = lines.all[head.number] ?? { text: "", number: head.number + 1 };
  const [, threads, connections] = /^ {2}(\d+) threads and (\d+) connections$/.exec(below.text) ?? [];
  if (!(Number(threads) > 0) || !(Number(connections) > 0)) throw lines.unlike(below, "threads and connections");
  const total = lines.all.find(({ text: one }) => / requests in /.test(one)) ?? { text: "", number: lines.all.length };
  const [, count = "", ...rest] = new RegExp(`^  (\\d+) requests in ${TIME}, ${SIZE} read$`).exec(total.text) ?? [];
  const [took = "", tookUnit = "", size = "", sizeUnit = ""] = rest;
  if (count === "") throw lines.unlike(total, "how many requests there were, in what time, and what was read");
  const [transfer = "", transferUnit = ""] = lines.only("Transfer/sec:", new RegExp(`^ +${SIZE}$`));
  const errors = lines.find("  Socket errors:", /^ connect (\d+), read (\d+), write (\d+), timeout (\d+)$/) ?? [];
  const [connectErrors = 0, readErrors = 0, writeErrors = 0, late = 0] = errors.map(Number);
  const answers = Number(count);
  const bad = lines.findNumber("  Non-2xx or 3xx responses:", /^ (\d+)$/) ?? 0;
  if (bad > answers) throw lines.error(`it tells of ${countOf(answers, "answer")}, and of ${bad} with a bad status`);
  const unitMs = UNITS_MS.get(tookUnit) ?? 1;
  const tookMs = Number(took) * unitMs;
  const tookResolutionMs = RESOLUTION * unitMs;
  const elapsedMs = elapsedByRate(lines, {
    count: answers,
    elapsedMs: tookMs,
    elapsedResolutionMs: tookResolutionMs,
    perSecond: lines.number("Requests/sec:", /^ +(\d+\.\d{2})$/),
    rateResolution: RESOLUTION,
  });
  const received = toPrintedBytes(size, sizeUnit);
  if (!isTransferOf(toPrintedBytes(transfer, transferUnit), received, tookMs, tookResolutionMs)) {
    throw lines.error(
      `${size}${sizeUnit} read in ${tookMs} ms do not make the ${transfer}${transferUnit} per second that it says there were`,
    );
  }
  const latency = answers > late ? readLatency(lines) : undefined;
  return {
    url: new URL(url).href,
    // Minutes and hours are rounded.
    durationMs: unit === "s" ? Number(asked) * 1000 : Math.round(elapsedMs / 1000) * 1000,
    threads: Number(threads),
    connections: Number(connections),
    elapsedMs,
    answers,
    bad,
    late,
    connectErrors,
    readErrors,
    writeErrors,
    receivedBytes: toToldDigits(received),
    ...(latency === undefined ? {} : { latency }),
  };
}

/** Half of the last digit of all that is printed with two decimals, in its unit. */
const RESOLUTION = 0.005;

interface PrintedBytes {
  readonly bytes: number;
  /** By how much it may be off, as it is rounded. */
  readonly uncertain: number;
}

function toPrintedBytes(size: string, unit: string): PrintedBytes {
  const unitBytes = BYTES.get(unit) ?? 1;
  return { bytes: Number(size) * unitBytes, uncertain: RESOLUTION * unitBytes };
}

/** Rounds to the power of ten that the last digit is worth at least: 3.60MB are 3,770,000 bytes, not 3,774,874. */
function toToldDigits({ bytes, uncertain }: PrintedBytes): number {
  const step = 10 ** Math.max(0, Math.floor(Math.log10(2 * uncertain)));
  return Math.round(bytes / step) * step;
}

function isTransferOf(perSecond: PrintedBytes, read: PrintedBytes, tookMs: number, resolutionMs: number): boolean {
  const least = ((read.bytes - read.uncertain) / (tookMs + resolutionMs)) * 1000;
  const most = ((read.bytes + read.uncertain) / Math.max(1e-9, tookMs - resolutionMs)) * 1000;
  return perSecond.bytes + perSecond.uncertain >= least && perSecond.bytes - perSecond.uncertain <= most;
}

function readLatency(lines: PrintedLines): LatencySummary {
  const found = lines.only("    Latency", new RegExp(`^ +${TIME} +${TIME} +${TIME} +(?:\\d+\\.\\d{2}|-?nan)%$`));
  const [mean = 0, stddev = 0, max = 0] = [0, 2, 4].map((at) => toMs(found[at], found[at + 1]));
  const percentiles = readPercentiles(lines);
  if (mean > max || [...percentiles].some(([, ms]) => ms > max)) {
    throw lines.error(`mean and percentiles of its latency do not lie below the longest, ${max} ms`);
  }
  return { mean, stddev, ...Object.fromEntries(percentiles), max };
}

function readPercentiles(lines: PrintedLines): readonly (readonly [string, number])[] {
  const start = lines.all.findIndex(({ text }) => text.startsWith("  Latency Distribution"));
  if (start === -1) return [];
  return PERCENTILES.reduce<readonly (readonly [string, number])[]>((before, [percentage, key], index) => {
    const row = lines.all[start + 1 + index] ?? { text: "", number: start + 2 + index };
    const [, value, unit] = new RegExp(`^ +${percentage}% +${TIME}$`).exec(row.text) ?? [];
    const ms = toMs(value, unit);
    if (value === undefined || ms < (before.at(-1)?.[1] ?? 0)) {
      throw lines.unlike(row, `the latency at ${percentage} %, no less than the one before`);
    }
    return [...before, [key, ms]];
  }, []);
}

/** Without the last digits of a product that are none: 0.266 of 266.00us. */
function toMs(value = "", unit = ""): number {
  return Number((Number(value) * (UNITS_MS.get(unit) ?? 1)).toPrecision(12));
}
