import { readLines } from "../driven-program/read-lines.js";

const HEAD = "Percentage served,Time in ms";
const MOST = 100;

/**
 * Reads the percentiles that ab writes to a file: latencies in ms by percentage, 0 to 100, to the microsecond. Of fewer than
 * 50 requests ab reads the highest from beyond the last one; there the longest stands for them. Throws a `ProgramError` that
 * names the line which is not as expected.
 *
 * @param complete requests whose latencies these are; at least 1.
 */
export function parseAbPercentiles(text: string, complete: number): readonly number[] {
  const lines = readLines("ab (percentiles)", text);
  const [head, ...rows] = lines.all;
  if (head === undefined || head.text !== HEAD) {
    throw lines.unlike(head ?? { text: "", number: 1 }, `the head "${HEAD}"`);
  }
  const latencies: number[] = [];
  for (const row of rows.slice(0, MOST + 1)) {
    const at = latencies.length;
    const [, ms = ""] = new RegExp(`^${at},(-?\\d+\\.\\d{3})$`).exec(row.text) ?? [];
    const isThere = isWithin(at, complete);
    if (ms === "" || (isThere && Number(ms) < (latencies.findLast((latency) => !Number.isNaN(latency)) ?? 0))) {
      throw lines.unlike(row, `the latency at ${at} %, no less than the one before`);
    }
    latencies.push(isThere ? Number(ms) : Number.NaN);
  }
  const longest = latencies[MOST];
  if (longest === undefined) throw lines.error(`expected percentiles up to ${MOST} %, got ${latencies.length} of them`);
  return latencies.map((latency) => (Number.isNaN(latency) ? longest : latency));
}

/** Whether the request that ab looks up for a percentage is one of those that there are. */
function isWithin(percentage: number, complete: number): boolean {
  return percentage === 0 || percentage === MOST || Math.floor(0.5 + (complete * percentage) / MOST) < complete;
}
