import { carriedMean, type AbOutput } from "../../engines/programs/ab.js";
import type { PrintedLines } from "../../engines/programs/printed.js";
import type { LatencySummary } from "../../model/measurement.js";
import { readAbRows } from "./read-ab-rows.js";

/**
 * Reads the latencies in whole ms of all that came to an end; nothing where they took no time as far as ab can tell. Throws a
 * `ProgramError` that names the line where they are cut or make no sense.
 */
export function readAbLatency(lines: PrintedLines, { complete, phases }: AbOutput): LatencySummary | undefined {
  if (complete === 0 || phases === undefined) return undefined;
  const { min, mean, median, max } = phases.total;
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
  return { min, ...rows, ...carriedMean(phases.total) };
}

/** Of a single request ab prints no percentiles: all of them are its time. */
function ofOne(ms: number): LatencySummary {
  return { p50: ms, p66: ms, p75: ms, p80: ms, p90: ms, p95: ms, p98: ms, p99: ms, max: ms };
}
