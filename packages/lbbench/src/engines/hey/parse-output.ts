import { readLines, type NumberedLine, type PrintedLines } from "../driven-program/read-lines.js";

/** What hey prints of a run. Times are to a tenth of a millisecond. */
export interface HeyOutput {
  readonly elapsedMs: number;
  /** Answers by status; an answer whose body was broken off counts as one. */
  readonly statusCodes: Readonly<Record<string, number>>;
  /** Requests without an answer, by what Go says of them. */
  readonly errors: readonly { readonly text: string; readonly count: number }[];
  /** Length that the answers declared, added up; absent where none did. */
  readonly declaredBytes?: number;
  /** Of the answers; absent where there are none. */
  readonly latency?: {
    readonly fastestMs: number;
    readonly meanMs: number;
    readonly slowestMs: number;
    /** By percentage: 10, 25, 50, 75, 90, 95, 99. Those are missing above which there is no answer. */
    readonly percentilesMs: ReadonlyMap<number, number>;
  };
}

/** Of more answers hey keeps no latency, and divides what it has by the wrong number. */
export const MOST_LATENCIES = 1_000_000;

const SECOND_MS = 1000;
const SECONDS = /^\t *(NaN|\d+\.\d{4}) secs$/;
/** Half of the last digit that is printed. */
const ELAPSED_RESOLUTION_MS = 0.05;
const RATE_RESOLUTION = 0.00005;

/** Reads what hey printed. Throws a `ProgramError` that names the line which is not as expected. */
export function parseHeyOutput(text: string): HeyOutput {
  const lines = readLines("hey", text);
  const seconds = (beginning: string): number => Number(lines.only(beginning, SECONDS)[0]) * SECOND_MS;
  const statuses = sectionOf(lines, "Status code distribution:").map(readStatus(lines));
  const errors = sectionOf(lines, "Error distribution:", "optional").map(readError(lines));
  const statusCodes: Record<string, number> = {};
  for (const { status, count, line } of statuses) {
    if (Object.hasOwn(statusCodes, status)) throw lines.unlike(line, "each status once");
    statusCodes[status] = count;
  }
  const answers = statuses.reduce((sum, { count }) => sum + count, 0);
  const results = answers + errors.reduce((sum, { count }) => sum + count, 0);
  const declared = lines.find("  Total data:", /^\t(\d+) bytes$/)?.[0];
  const fastestMs = seconds("  Fastest:");
  const slowestMs = seconds("  Slowest:");
  const meanMs = seconds("  Average:");
  if (answers > 0 && answers <= MOST_LATENCIES && !(fastestMs <= meanMs && meanMs <= slowestMs)) {
    throw lines.error(
      `the fastest answer took ${fastestMs} ms, the average one ${meanMs} ms, the slowest ${slowestMs} ms`,
    );
  }
  const percentilesMs = answers === 0 ? new Map<number, number>() : readPercentiles(lines);
  const [lowestMs = fastestMs, highestMs = lowestMs] = [
    [...percentilesMs.values()][0],
    [...percentilesMs.values()].at(-1),
  ];
  if (lowestMs < fastestMs || highestMs > slowestMs) {
    throw lines.error(
      `percentiles from ${lowestMs} to ${highestMs} ms do not lie between the fastest answer, ${fastestMs} ms, and the slowest, ${slowestMs} ms`,
    );
  }
  return {
    elapsedMs: readElapsed(lines, seconds("  Total:"), results),
    statusCodes,
    errors,
    ...(declared === undefined ? {} : { declaredBytes: Number(declared) }),
    ...(answers === 0 ? {} : { latency: { fastestMs, meanMs, slowestMs, percentilesMs } }),
  };
}

/** From the rate: of a short run it tells the time more exactly. */
function readElapsed(lines: PrintedLines, printedMs: number, results: number): number {
  const [rate = ""] = lines.only("  Requests/sec:", /^\t(\d+\.\d{4})$/);
  const perSecond = Number(rate);
  const isNothing = (results / (printedMs + ELAPSED_RESOLUTION_MS)) * SECOND_MS <= RATE_RESOLUTION;
  if (isNothing && perSecond === 0) return printedMs;
  const elapsedMs = (results / perSecond) * SECOND_MS;
  const tolerance = ELAPSED_RESOLUTION_MS + elapsedMs * (RATE_RESOLUTION / perSecond) + 1e-6;
  if (perSecond === 0 || Math.abs(elapsedMs - printedMs) > tolerance) {
    throw lines.error(
      `${results} results in ${printedMs} ms do not make the ${rate} requests per second that it says there were`,
    );
  }
  return elapsedMs;
}

/** The lines between the title of a section and the next empty line. */
function sectionOf(lines: PrintedLines, title: string, need?: "optional"): readonly NumberedLine[] {
  const found = need === undefined ? lines.only(title, /^$/) : lines.find(title, /^$/);
  if (found === undefined) return [];
  const start = lines.all.findIndex(({ text }) => text === title) + 1;
  const length = lines.all.slice(start).findIndex(({ text }) => text === "");
  return length === -1 ? lines.all.slice(start) : lines.all.slice(start, start + length);
}

const readStatus =
  (lines: PrintedLines) =>
  (line: NumberedLine): { readonly status: string; readonly count: number; readonly line: NumberedLine } => {
    const [, status, count] = /^ {2}\[(\d{3})\]\t(\d+) responses$/.exec(line.text) ?? [];
    if (status === undefined) throw lines.unlike(line, "a status and how many responses had it");
    return { status, count: Number(count), line };
  };

const readError =
  (lines: PrintedLines) =>
  (line: NumberedLine): HeyOutput["errors"][number] => {
    const [, count, text = ""] = /^ {2}\[(\d+)\]\t(.+)$/.exec(line.text) ?? [];
    if (count === undefined) throw lines.unlike(line, "how often an error came, and its text");
    return { text, count: Number(count) };
  };

/** "0% in 0.0000 secs" stands for a percentile above which there is no answer. */
const NONE = "  0% in 0.0000 secs";
const PERCENTAGES = [10, 25, 50, 75, 90, 95, 99];

function readPercentiles(lines: PrintedLines): ReadonlyMap<number, number> {
  const rows = sectionOf(lines, "Latency distribution:");
  const percentiles = new Map<number, number>();
  PERCENTAGES.forEach((percentage, index) => {
    const row = rows[index];
    if (row === undefined) throw lines.error(`expected the latency at ${percentage} %, none came`);
    if (row.text === NONE) return;
    const [, printed, seconds] = /^ {2}(\d+)% in (\d+\.\d{4}) secs$/.exec(row.text) ?? [];
    const latencyMs = Number(seconds) * SECOND_MS;
    const before = [...percentiles.values()].at(-1) ?? 0;
    if (Number(printed) !== percentage || latencyMs < before) {
      throw lines.unlike(row, `the latency at ${percentage} %, no less than the one before`);
    }
    percentiles.set(percentage, latencyMs);
  });
  return percentiles;
}
