import { readLines, type NumberedLine } from "../driven-program/read-lines.js";

/** What the script of wrk writes in the end. */
export interface WrkOutput {
  readonly durationUs: number;
  /** Complete answers, of whatever status, also late ones. */
  readonly answers: number;
  readonly receivedBytes: number;
  readonly bodyBytes: number;
  /** Failures to connect, to read an answer and to write a request. */
  readonly connectErrors: number;
  readonly readErrors: number;
  readonly writeErrors: number;
  /** Answers with a status above 399. */
  readonly above399: number;
  /** Answers that took longer than the timeout; they are no part of the latencies. */
  readonly late: number;
  /** Answers by status; those without any header are missing. */
  readonly statusCodes: Readonly<Record<string, number>>;
  /** Latencies in microseconds and how many there are of each, as wrk corrected them; absent where they could not be read. */
  readonly latencies?: ReadonlyMap<number, number>;
}

const FIGURES = ["duration", "requests", "bytes", "connect", "read", "write", "status", "timeout", "body"] as const;

/** Reads what the script wrote. Throws a `ProgramError` that names the line which is not as expected. */
export function parseWrkFigures(text: string): WrkOutput {
  const lines = readLines("wrk (figures)", text);
  const rows = lines.all.slice(0, -1);
  if (lines.all.at(-1)?.text !== "" || rows.at(-1)?.text !== "end") {
    throw lines.error('expected a line "end" at the end, none came');
  }
  const figures = FIGURES.map((name, index) => {
    const row: NumberedLine = rows[index] ?? { text: "", number: index + 1 };
    const [, value] = new RegExp(`^${name} (\\d+)$`).exec(row.text) ?? [];
    if (value === undefined) throw lines.unlike(row, `"${name}" and a number`);
    return Number(value);
  });
  const statusCodes: Record<string, number> = {};
  const latencies = new Map<number, number>();
  let isTold = false;
  for (const row of rows.slice(FIGURES.length, -1)) {
    const [, kind, key = "", count = ""] = /^(answers|latency) (\d+) (\d+)$/.exec(row.text) ?? [];
    if (isTold || (kind === undefined && row.text !== "latencies told")) {
      throw lines.unlike(row, "answers by status, or latencies");
    }
    if (kind === "answers" && !Object.hasOwn(statusCodes, key) && latencies.size === 0)
      statusCodes[key] = Number(count);
    else if (kind === "latency" && Number(key) > ([...latencies.keys()].at(-1) ?? -1)) {
      latencies.set(Number(key), Number(count));
    } else if (kind === undefined) isTold = true;
    else throw lines.unlike(row, "each status once, then latencies in ascending order");
  }
  if (!isTold && latencies.size > 0) throw lines.error('expected "latencies told" after the latencies, none came');
  const [durationUs = 0, answers = 0, receivedBytes = 0, connectErrors = 0, readErrors = 0, writeErrors = 0] = figures;
  const [above399 = 0, late = 0, bodyBytes = 0] = figures.slice(6);
  return {
    durationUs,
    answers,
    receivedBytes,
    bodyBytes,
    connectErrors,
    readErrors,
    writeErrors,
    above399,
    late,
    statusCodes,
    ...(isTold ? { latencies } : {}),
  };
}
