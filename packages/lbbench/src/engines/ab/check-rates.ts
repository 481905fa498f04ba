import type { PrintedLines } from "../driven-program/read-lines.js";

/** What the rates that ab prints are made of. */
export interface RatedFigures {
  readonly concurrency: number;
  readonly complete: number;
  readonly elapsedMs: number;
  /** Absent in `ab.txt` of lbbench where it is not known. */
  readonly receivedBytes?: number;
}

const KIBIBYTE = 1024;
/** Half of the last digit of each. */
const ELAPSED_RESOLUTION_MS = 0.5;
const PER_REQUEST_RESOLUTION_MS = 0.0005;
const TRANSFER_RESOLUTION = 0.005;

/**
 * Throws a `ProgramError` where the times per request or the transfer rate, which ab works out of concurrency, requests, bytes and time,
 * contradict these. Lines that are not there contradict nothing.
 */
export function checkAbRates(
  lines: PrintedLines,
  { concurrency, complete, elapsedMs, receivedBytes }: RatedFigures,
): void {
  if (complete === 0 || elapsedMs === 0) return;
  const perRequest = (pattern: RegExp): number | undefined => {
    const found = lines.all.map(({ text }) => pattern.exec(text)?.[1]).find((ms) => ms !== undefined);
    return found === undefined ? undefined : Number(found);
  };
  const agree = (name: string, printed: number | undefined, expected: number, uncertain: number): void => {
    if (printed === undefined || Math.abs(printed - expected) <= uncertain + 1e-9) return;
    throw lines.error(
      `"${name}" is ${printed}, and ${Number(expected.toPrecision(4))} by the figures it is made of (${complete} requests, ${concurrency} at a time, in ${Math.round(elapsedMs)} ms)`,
    );
  };
  const each = elapsedMs / complete;
  const uncertain = ELAPSED_RESOLUTION_MS / complete;
  const ofAll = perRequest(/^Time per request: +(\d+\.\d{3}) \[ms\] \(mean, across all concurrent requests\)$/);
  const ofOne = perRequest(/^Time per request: +(\d+\.\d{3}) \[ms\] \(mean\)$/);
  agree("Time per request (across all)", ofAll, each, uncertain + PER_REQUEST_RESOLUTION_MS);
  agree("Time per request", ofOne, each * concurrency, uncertain * concurrency + PER_REQUEST_RESOLUTION_MS);
  const transfer = lines.find("Transfer rate:", /^ +(\d+\.\d{2}) \[Kbytes\/sec\] received$/)?.[0];
  if (transfer === undefined || receivedBytes === undefined) return;
  const perSecond = (receivedBytes / KIBIBYTE / elapsedMs) * 1000;
  agree(
    "Transfer rate",
    Number(transfer),
    perSecond,
    (perSecond * ELAPSED_RESOLUTION_MS) / Math.max(ELAPSED_RESOLUTION_MS, elapsedMs - ELAPSED_RESOLUTION_MS) +
      TRANSFER_RESOLUTION,
  );
}
