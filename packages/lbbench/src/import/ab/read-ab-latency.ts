import type { AbOutput } from "../../engines/ab/parse-output.js";
import type { PrintedLines } from "../../engines/driven-program/read-lines.js";
import type { LatencySummary, Phases } from "../../model/measurement.js";
import { readAbRows } from "./read-ab-rows.js";

/** ab rounds to whole ms: from here on by 5 % at most. */
const SHORTEST_MEAN_MS = 10;
/** The same of what it prints with one decimal. */
const SHORTEST_STDDEV_MS = 1;

/**
 * Reads the latencies in whole ms of all that came to an end; nothing where they took no time as far as ab can tell. Throws a
 * `ProgramError` that names the line where they are cut or make no sense.
 */
export function readAbLatency(lines: PrintedLines, { complete, phases }: AbOutput): LatencySummary | undefined {
  if (complete === 0 || phases === undefined) return undefined;
  const { min, mean, median, stddev, max } = phases.total;
  if (!(min <= mean && mean <= max && min <= median && median <= max)) {
    throw lines.error(`"Total:" has a mean of ${mean} and a median of ${median} ms, between ${min} and ${max} ms`);
  }
  const rows = complete === 1 ? ofOne(max) : readAbRows(lines, "all");
  const { p50 = 0, max: longest = 0 } = rows;
  if (Math.abs(longest - max) > 1 || p50 < min) {
    throw lines.error(
      `percentiles from ${p50} to ${longest} ms do not lie between the ${min} and ${max} ms of "Total:"`,
    );
  }
  if (p50 === 0) return undefined;
  return {
    min,
    ...rows,
    ...(mean >= SHORTEST_MEAN_MS ? { mean } : {}),
    ...(mean >= SHORTEST_MEAN_MS && stddev >= SHORTEST_STDDEV_MS ? { stddev } : {}),
  };
}

/** Of a single request ab prints no percentiles: all of them are its time. */
function ofOne(ms: number): LatencySummary {
  return { p50: ms, p66: ms, p75: ms, p80: ms, p90: ms, p95: ms, p98: ms, p99: ms, max: ms };
}

/**
 * Returns the phases, where ab tells them: rounded to whole ms, short ones would be told as nothing. With keep-alive connecting is 0
 * but for the first request of each connection.
 */
export function readAbPhases({ phases }: AbOutput, keepAlive: boolean): Phases | undefined {
  if (phases === undefined) return undefined;
  const { connect, processing, waiting, total } = phases;
  const told = [processing, waiting, total, ...(keepAlive ? [] : [connect])];
  return told.every(({ mean }) => mean >= SHORTEST_MEAN_MS) ? phases : undefined;
}
