import type { PhaseSummary, Phases } from "../../model/measurement.js";
import { readLines, type PrintedLines } from "../driven-program/read-lines.js";
import { checkAbRates } from "./check-rates.js";

/** What ab prints of a run, as it counts. */
export interface AbOutput {
  /** Body of the first answer in bytes: another length than this is a failure to ab; absent where it was told not to mind (`-l`). */
  readonly documentLength?: number;
  readonly concurrency: number;
  readonly elapsedMs: number;
  /** Requests that came to an end, whether or not there was an answer. */
  readonly complete: number;
  /** Ways in which ab sees failures; one request may be counted in several. */
  readonly failures: {
    readonly connect: number;
    readonly receive: number;
    readonly length: number;
    readonly exceptions: number;
  };
  /** Answers with a status other than 2xx. */
  readonly non2xx: number;
  /** Answers complete by their length, on connections that stay open; absent without keep-alive. */
  readonly keptAlive?: number;
  /** Bytes read, head and body. */
  readonly receivedBytes: number;
  /** Bytes written, although ab calls them the body; absent of requests without one. */
  readonly sentBytes?: number;
  readonly bodyBytes: number;
  /** Of all that came to an end, in whole ms; absent when none did. */
  readonly phases?: Phases;
}

const COUNT = /^ +(\d+)$/;
const BYTES = /^ +(\d+) bytes$/;
const SECOND_MS = 1000;
/** Elapsed time is printed to the ms, the rate to a hundredth: they have to agree as far as that goes. */
const ELAPSED_RESOLUTION_MS = 0.5;
const RATE_RESOLUTION = 0.005;

/**
 * Reads what ab printed. Throws a `ProgramError` that names the line which is not as expected.
 *
 * @param table `if-there`: the table of connection times may be missing, as in `ab.txt` of lbbench where phases are not known.
 */
export function parseAbOutput(text: string, table: "expected" | "if-there" = "expected"): AbOutput {
  const lines = readLines("ab", text);
  const count = (beginning: string): number => Number(lines.only(beginning, COUNT)[0]);
  const bytes = (beginning: string): number => Number(lines.only(beginning, BYTES)[0]);
  const optional = (beginning: string): number | undefined => {
    const found = lines.find(beginning, COUNT);
    return found === undefined ? undefined : Number(found[0]);
  };
  const complete = count("Complete requests:");
  const isVariable = /^ +Variable$/.test(lines.only("Document Length:", /^(.*)$/)[0] ?? "");
  const isTableLeftOut = table === "if-there" && lines.find("Connection Times (ms)", /^$/) === undefined;
  const keptAlive = optional("Keep-Alive requests:");
  const sentBytes = optional("Total body sent:");
  const concurrency = count("Concurrency Level:");
  const elapsedMs = readElapsed(lines, complete);
  const receivedBytes = bytes("Total transferred:");
  if (concurrency === 0) throw lines.error('expected a "Concurrency Level" of at least 1, got 0');
  checkAbRates(lines, { concurrency, complete, elapsedMs, receivedBytes });
  return {
    ...(isVariable ? {} : { documentLength: bytes("Document Length:") }),
    concurrency,
    elapsedMs,
    complete,
    failures: readFailures(lines),
    non2xx: optional("Non-2xx responses:") ?? 0,
    ...(keptAlive === undefined ? {} : { keptAlive }),
    receivedBytes,
    ...(sentBytes === undefined ? {} : { sentBytes }),
    bodyBytes: bytes("HTML transferred:"),
    ...(complete === 0 || isTableLeftOut ? {} : { phases: readPhases(lines) }),
  };
}

/** From the rate, where there is one: of a run of some milliseconds it tells the time more exactly. */
function readElapsed(lines: PrintedLines, complete: number): number {
  const [seconds] = lines.only("Time taken for tests:", /^ +(\d+\.\d{3}) seconds$/);
  const printedMs = Number(seconds) * SECOND_MS;
  const rate = lines.find("Requests per second:", /^ +(\d+\.\d{2}) \[#\/sec\] \(mean\)$/)?.[0];
  if (rate === undefined) return printedMs;
  const perSecond = Number(rate);
  const isNothing = (complete / (printedMs + ELAPSED_RESOLUTION_MS)) * SECOND_MS <= RATE_RESOLUTION;
  if (isNothing && perSecond === 0) return printedMs;
  const elapsedMs = (complete / perSecond) * SECOND_MS;
  const tolerance = ELAPSED_RESOLUTION_MS + elapsedMs * (RATE_RESOLUTION / perSecond) + 1e-6;
  if (perSecond === 0 || Math.abs(elapsedMs - printedMs) > tolerance) {
    throw lines.error(
      `${complete} requests in ${seconds} s do not make the ${rate} requests per second that it says there were`,
    );
  }
  return Math.abs(RATE_RESOLUTION / perSecond) * elapsedMs < ELAPSED_RESOLUTION_MS ? elapsedMs : printedMs;
}

/** How they failed, it prints when some did. */
function readFailures(lines: PrintedLines): AbOutput["failures"] {
  const [failed] = lines.only("Failed requests:", COUNT);
  const found = lines.find("   (Connect:", /^ (\d+), Receive: (\d+), Length: (\d+), Exceptions: (\d+)\)$/);
  const [connect = 0, receive = 0, length = 0, exceptions = 0] = (found ?? []).map(Number);
  const sum = connect + receive + length + exceptions;
  if (Number(failed) !== sum) {
    throw lines.error(`of ${failed} failed requests it says how ${sum} failed`);
  }
  return { connect, receive, length, exceptions };
}

const PHASE = /^ +(\d+) +(\d+) +(\d+\.\d) +(\d+) +(\d+)$/;

function readPhases(lines: PrintedLines): Phases {
  const phase = (beginning: string): PhaseSummary => {
    const [min = 0, mean = 0, stddev = 0, median = 0, max = 0] = lines.only(beginning, PHASE).map(Number);
    return { min, mean, stddev, median, max };
  };
  return {
    connect: phase("Connect:"),
    processing: phase("Processing:"),
    waiting: phase("Waiting:"),
    total: phase("Total:"),
  };
}
