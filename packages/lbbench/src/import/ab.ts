import {
  abFigures,
  carriedMean,
  countAbRequests,
  parseAbComplaints,
  parseAbOutput,
  readAbRates,
  type AbCounts,
  type AbOutput,
} from "../engines/programs/ab.js";
import { readLines, type PrintedLines } from "../engines/programs/printed.js";
import type { LatencySummary, RequestCounts } from "../model/measurement.js";
import { AB_PERCENTAGES } from "../stats/latency-keys.js";
import { ImportError, placeOf, textInPlace, type Block, type ImportedRun, type NotInOutput } from "./imported-run.js";
import { readCommand, type ToldCommand } from "./read-command.js";
import { isLineOfAb } from "./split-output.js";

/**
 * Reads a block of ab. Its latencies are of all requests that came to an end, so that they are those of ok ones where all are ok,
 * and of failed ones where none is.
 */
export function readAb(block: Block, file: string, told: NotInOutput): ImportedRun {
  const own = readOwnPlace(block, file);
  // A run that ab itself has measured stands there as ab printed it.
  const isOfAb = block.lines.some((line) => line.startsWith("Server Software:"));
  if (own !== undefined && !isOfAb) return readOwnAb(block, own);
  const text = textInPlace(block);
  const lines = readLines("ab", text);
  const command = readCommand("ab", block.before);
  const failure = /^(?:Benchmarking .*\.{3} ?)?(apr_\w+: .* \(\d+\)|SSL .*failed.*|Test aborted after .*)$/m.exec(
    text,
  )?.[1];
  const hasFigures = block.lines.some((line) => line.startsWith("Complete requests:"));
  if (!hasFigures && failure !== undefined) return gaveUp(block, file, failure, { ...told, ...command });
  if (!hasFigures) {
    throw lines.error(
      `line ${block.last}: it began in line ${block.first} and is cut, or ab gave up: expected its figures, none came`,
    );
  }
  const output = parseAbOutput(text);
  const latency = readAbLatency(lines, output);
  const counts = countRequests(output, block.lines);
  const keepAlive = output.keptAlive !== undefined;
  return {
    program: "ab",
    version: lines.find("This is ApacheBench, Version ", /^(\S+)/)?.[0] ?? null,
    ...readAbAddress(lines),
    connections: output.concurrency,
    ...(own ?? amountOf(output.complete, command, told)),
    keepAlive,
    figures: abFigures(output, counts, latency, keepAlive),
    doubts: counts.doubts,
    output: block.lines.join("\n"),
  };
}

/** With a time ab sends this many requests at most, unless it is told another number. */
const MOST_IN_A_TIME = 50_000;

/** A run by time that reaches its number of requests ends there. */
function amountOf(
  complete: number,
  command: ToldCommand,
  told: NotInOutput,
): Pick<ImportedRun, "amount" | "isAmountCounted"> {
  const { requests, durationMs } = command;
  if (durationMs !== undefined) {
    return { amount: complete === (requests ?? MOST_IN_A_TIME) ? { requests: complete } : { durationMs } };
  }
  if (requests !== undefined) return { amount: { requests: complete } };
  return told.durationMs === undefined
    ? { amount: { requests: complete }, isAmountCounted: true }
    : { amount: { durationMs: told.durationMs } };
}

/**
 * Where nothing tells an answer with an empty body from a connection that was closed without one, or ab was told not to mind lengths,
 * what was answered and what was closed counts as answered.
 */
function countRequests(output: AbOutput, printed: readonly string[]): AbCounts {
  const errors = parseAbComplaints(printed.map((line) => ({ line, count: 1 })));
  const { documentLength = 0, complete, keptAlive = 0, failures, non2xx } = output;
  const isUntold = documentLength === 0 && complete - keptAlive > failures.receive && complete > non2xx;
  if (documentLength > 0 || complete - keptAlive <= failures.receive) return countAbRequests(output, errors);
  const lenient = { ...output, documentLength: undefined, failures: { ...failures, length: failures.receive } };
  return {
    ...countAbRequests(lenient, errors),
    doubts: isUntold ? [{ figure: "errors", because: "closed-uncounted" }] : [],
  };
}

/** Without a command, or whoever imports it, nobody tells at how many connections ab gave up. */
function gaveUp(
  block: Block,
  file: string,
  failure: string,
  { url, connections, requests, durationMs }: ToldCommand,
): ImportedRun {
  if (connections === undefined || (requests ?? durationMs) === undefined) {
    throw new ImportError(
      `${placeOf(file, block)}: ab gave up (${failure}) and tells no figures, not even how many connections it had. Put its command ` +
        'in the line before ("$ ab -n 1000 -c 50 http://..."), so that it counts as a run that failed, or leave these lines out',
    );
  }
  return {
    program: "ab",
    version: null,
    ...(url === undefined ? {} : { url }),
    connections,
    amount: requests === undefined ? { durationMs: durationMs ?? 0 } : { requests },
    keepAlive: null,
    failure: `ab gave up: ${failure}`,
    doubts: [],
    output: block.lines.join("\n"),
  };
}

/** Returns the address that ab says it asked; nothing where a block does not have all of it, as one that was cut out of its output. */
function readAbAddress(lines: PrintedLines): { readonly url?: string } {
  const host = lines.find("Server Hostname:", /^ +(\S+)$/)?.[0];
  const port = lines.find("Server Port:", /^ +(\d{1,5})$/)?.[0];
  const path = lines.find("Document Path:", /^ +(\S*)$/)?.[0];
  if (host === undefined || port === undefined || path === undefined) return {};
  if (Number(port) === 0 || Number(port) > 65_535)
    throw lines.error(`expected a "Server Port" from 1 to 65535, got ${port}`);
  const scheme = lines.find("SSL/TLS Protocol:", /^ +(\S.*)$/) === undefined ? "http" : "https";
  const name = host.includes(":") && !host.startsWith("[") ? `[${host}]` : host;
  const text = `${scheme}://${name}:${port}${path}`;
  if (!URL.canParse(text)) throw lines.error(`host, port and path make no URL: ${JSON.stringify(text)}`);
  return { url: new URL(text).href };
}

/**
 * Reads the latencies in whole ms of all that came to an end; nothing where they took no time as far as ab can tell. Throws a
 * `ProgramError` that names the line where they are cut or make no sense.
 */
function readAbLatency(lines: PrintedLines, { complete, phases }: AbOutput): LatencySummary | undefined {
  if (complete === 0) return undefined;
  if (phases === undefined) throw lines.error('expected a line with "Connection Times (ms)", none came');
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

const HEAD = "Percentage of the requests served within a certain time (ms)";

/**
 * Reads the table of percentiles in whole ms, up to the longest request. Throws a `ProgramError` that names the line where it is cut or
 * makes no sense.
 *
 * @param expected whether all rows have to be there, or some may be left out.
 */
function readAbRows(lines: PrintedLines, expected: "all" | "some"): LatencySummary {
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

const SHOWN_LENGTH = 80;

/**
 * Returns the first line among the figures of a block of ab that has a label and a figure, and is none of ab in English, with its number
 * in the file; `undefined` where there is none.
 */
export function foreignLine({
  program,
  lines,
  first,
}: Block): { readonly text: string; readonly number: number } | undefined {
  if (program !== "ab") return undefined;
  const start = lines.findIndex((line) =>
    /^(?:Server Software|Server Hostname|Document Path|Document Length):/.test(line),
  );
  const at = lines.findIndex((line, index) => index > start && /^\S[^:]*: +\S/.test(line) && !isLineOfAb(line));
  return start === -1 || at === -1 ? undefined : { text: (lines[at] ?? "").slice(0, SHOWN_LENGTH), number: first + at };
}

const COUNT = /^ +(\d+)$/;
const BYTES = /^ +(\d+) bytes$/;

/** What the comment over a block in `ab.txt` of lbbench says of it. */
interface OwnPlace extends Pick<ImportedRun, "amount"> {
  readonly target: string;
  readonly trial: number;
}

/**
 * Reads the comment over a block of `ab.txt` (`# lbbench: target "shop", 50 connections, 3 s, trial 1`); `undefined` where there is none. A
 * block with the banner of ab is none of lbbench, whatever stands before it.
 */
function readOwnPlace(block: Block, file: string): OwnPlace | undefined {
  if (block.lines[0]?.startsWith("This is ApacheBench")) return undefined;
  const head = block.before.findLast((line) => line.trim() !== "") ?? "";
  const [, quoted, place = ""] = /^# lbbench: target ("(?:[^"\\]|\\.)*"), (.*)$/.exec(head) ?? [];
  return quoted === undefined ? undefined : { target: readName(quoted, block, file), ...readPlace(place, block, file) };
}

/**
 * Reads a block that lbbench has written in the layout of ab (`-f ab`). Other than with ab its latencies are
 * of ok answers alone, `Failed requests` counts each once, and lines are left out whose figures are not known.
 */
function readOwnAb(block: Block, place: OwnPlace): ImportedRun {
  const lines = readLines("lbbench", textInPlace(block));
  const complete = lines.number("Complete requests:", COUNT);
  const requests = countOwn(lines, complete);
  const latency = requests.ok === 0 ? undefined : readOwnLatency(lines);
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

function countOwn(lines: PrintedLines, complete: number): RequestCounts {
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

function readOwnLatency(lines: PrintedLines): LatencySummary | undefined {
  const rows = readAbRows(lines, "some");
  return rows.p50 === 0 ? undefined : rows;
}
