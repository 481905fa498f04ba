import { readAbRates } from "../../engines/programs/ab.js";
import { readLines, type PrintedLines } from "../../engines/programs/printed.js";
import type { LatencySummary, RequestCounts } from "../../model/measurement.js";
import { placeOf, textInPlace, type Block } from "../block.js";
import { ImportError } from "../import-error.js";
import type { ImportedRun } from "../imported-run.js";
import { readAbRows } from "./read-ab-rows.js";

const COUNT = /^ +(\d+)$/;
const BYTES = /^ +(\d+) bytes$/;

/** What the comment over a block in `ab.txt` of lbbench says of it. */
export interface OwnPlace extends Pick<ImportedRun, "amount"> {
  readonly target: string;
  readonly trial: number;
}

/**
 * Reads the comment over a block of `ab.txt` (`# lbbench: target "shop", 50 connections, 3 s, trial 1`); `undefined` where there is none. A
 * block with the banner of ab is none of lbbench, whatever stands before it.
 */
export function readOwnPlace(block: Block, file: string): OwnPlace | undefined {
  if (block.lines[0]?.startsWith("This is ApacheBench")) return undefined;
  const head = block.before.findLast((line) => line.trim() !== "") ?? "";
  const [, quoted, place = ""] = /^# lbbench: target ("(?:[^"\\]|\\.)*"), (.*)$/.exec(head) ?? [];
  return quoted === undefined ? undefined : { target: readName(quoted, block, file), ...readPlace(place, block, file) };
}

/**
 * Reads a block that lbbench has written in the layout of ab (`-f ab`). Other than with ab its latencies are
 * of ok answers alone, `Failed requests` counts each once, and lines are left out whose figures are not known.
 */
export function readOwnAb(block: Block, place: OwnPlace): ImportedRun {
  const lines = readLines("lbbench", textInPlace(block));
  const complete = lines.number("Complete requests:", COUNT);
  const requests = countRequests(lines, complete);
  const latency = requests.ok === 0 ? undefined : readLatency(lines);
  const received = lines.findNumber("Total transferred:", BYTES);
  const body = lines.findNumber("HTML transferred:", BYTES);
  const { concurrency, elapsedMs } = readAbRates(lines, complete, received);
  return {
    program: "lbbench",
    version: null,
    ...place,
    connections: concurrency,
    keepAlive: null,
    figures: {
      elapsedMs,
      requests,
      statusCodes: {},
      errorCodes: {},
      bytes: { ...(received === undefined ? {} : { received }), ...(body === undefined ? {} : { body }) },
      ...(latency === undefined ? {} : { latency }),
    },
    doubts: [],
    output: block.lines.join("\n"),
  };
}

function readName(quoted: string, block: Block, file: string): string {
  try {
    return String(JSON.parse(quoted));
  } catch (error) {
    throw new ImportError(`${placeOf(file, block)}: expected the name of a target in the line before, got ${quoted}`, {
      cause: error,
    });
  }
}

const UNITS_MS: ReadonlyMap<string, number> = new Map([
  ["ms", 1],
  ["s", 1000],
  ["min", 60_000],
  ["h", 3_600_000],
]);

/** Of rates and ramps the layout does not tell enough. */
function readPlace(place: string, block: Block, file: string): Pick<OwnPlace, "amount" | "trial"> {
  const [, amount = "", trial] = /^[\d,]+ connections?, (.*), trial (\d+)$/.exec(place) ?? [];
  const toNumber = (text = ""): number => Number(text.replaceAll(",", ""));
  const [, requests] = /^([\d,]+) requests$/.exec(amount) ?? [];
  if (requests !== undefined) return { amount: { requests: toNumber(requests) }, trial: Number(trial) };
  if (/^[\d,.]+ (?:ms|s|min|h)(?: \d+ (?:s|min))?$/.test(amount)) {
    const parts = [...amount.matchAll(/([\d,.]+) (\w+)/g)];
    const durationMs = parts.reduce(
      (sum, [, value, unit = ""]) => sum + toNumber(value) * (UNITS_MS.get(unit) ?? 0),
      0,
    );
    return { amount: { durationMs }, trial: Number(trial) };
  }
  throw new ImportError(
    `${placeOf(file, block)}: expected a completed run with a number of connections in the line before, got ${JSON.stringify(place)}. ` +
      "The result.json beside the file tells all of it: lbbench report reads that",
  );
}

function countRequests(lines: PrintedLines, complete: number): RequestCounts {
  const failed = lines.number("Failed requests:", COUNT);
  const found = lines.find("   (Connect:", /^ (\d+), Receive: (\d+), Length: (\d+), Exceptions: 0\)$/);
  const [connectErrors = 0, unclassified = 0, mismatched = 0] = (found ?? []).map(Number);
  const non2xx = lines.findNumber("Non-2xx responses:", COUNT) ?? 0;
  const ok = complete - non2xx - unclassified - mismatched;
  if (failed !== connectErrors + unclassified + mismatched || ok < 0) {
    throw lines.error(
      `its failures do not add up: ${failed} failed, and ${non2xx} with another status, of ${complete}`,
    );
  }
  return { sent: complete + connectErrors, ok, non2xx, mismatched, connectErrors, unclassified };
}

function readLatency(lines: PrintedLines): LatencySummary | undefined {
  const rows = readAbRows(lines, "some");
  return rows.p50 === 0 ? undefined : rows;
}
