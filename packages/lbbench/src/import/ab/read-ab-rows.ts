import { AB_PERCENTAGES } from "../../stats/latency-keys.js";
import type { PrintedLines } from "../../engines/programs/printed.js";
import type { LatencySummary } from "../../model/measurement.js";

const HEAD = "Percentage of the requests served within a certain time (ms)";

/**
 * Reads the table of percentiles in whole ms, up to the longest request. Throws a `ProgramError` that names the line where it is cut or
 * makes no sense.
 *
 * @param expected whether all rows have to be there, or some may be left out.
 */
export function readAbRows(lines: PrintedLines, expected: "all" | "some"): LatencySummary {
  const start = lines.all.findIndex(({ text }) => text === HEAD);
  const end = lines.all.length;
  if (start === -1)
    throw lines.error(`line ${end}: it is cut, or ab was run with -d: expected ${JSON.stringify(HEAD)}, none came`);
  const told: [keyof LatencySummary, number][] = [];
  let at = start + 1;
  for (const [percentage, key] of AB_PERCENTAGES) {
    const row = lines.all[at] ?? { text: "", number: end };
    const last = percentage === 100 ? " \\(longest request\\)" : "";
    const [, ms] = new RegExp(`^ *${percentage}% +(\\d+)${last}$`).exec(row.text) ?? [];
    if (ms === undefined && expected === "some" && percentage !== 100) continue;
    if (ms === undefined && row.text === "") {
      throw lines.error(
        `line ${row.number}: it is cut: expected the time within which ${percentage} % were served, none came`,
      );
    }
    if (ms === undefined || Number(ms) < (told.at(-1)?.[1] ?? 0)) {
      throw lines.unlike(row, `the time within which ${percentage} % were served, no less than the one before`);
    }
    told.push([key, Number(ms)]);
    at += 1;
  }
  return Object.fromEntries(told);
}
