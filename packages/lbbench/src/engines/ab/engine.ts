/** The engine that drives ApacheBench: one thread, HTTP/1.0. Statuses, and requests in flight at the end of a time, it does not tell. */
import * as z from "zod";
import { DEFAULTS } from "../../config/defaults.js";
import {
  AB,
  abFigures,
  carriedMean,
  countAbRequests,
  parseAbComplaints,
  readAbOutput,
} from "../../import/ab-output.js";
import {
  numberLines,
  ProgramError,
  readPrinted,
  type NumberedLine,
  type ProgramFigures,
} from "../../import/printed.js";
import type { HeaderLine } from "../../model/scenario.js";
import type { AskedLoad, Engine, Load } from "../../plugin.js";
import { countOf } from "../../stats/format-number.js";
import { AB_PERCENTAGES } from "../../stats/latency-keys.js";
import { closedConnections } from "../../stats/load.js";
import { describeExit } from "../../system/fork.js";
import { MOST_OUTPUT } from "../../system/output.js";
import { locateProgram, readProgramVersion } from "../../system/program.js";
import { runProgram, type ProgramRun } from "../../system/supervise.js";
import type { ProgramCommand, ProgramEnd } from "../../system/supervisor-process.js";
import { basicCredentials, bodyBytes } from "../requests.js";
import { defined } from "../../stats/defined.js";

const options = z.strictObject({
  /** Name of the program, or its path. */
  program: z.string().min(1).default(DEFAULTS.ab.program),
});

/** It is used when it is asked for by name alone, because it may not be installed. */
export const abEngine: Engine = {
  name: "ab",
  supports: {
    protocols: ["http"],
    loads: ["connections"],
    keepAliveOff: true,
    automatic: false,
    expectations: false,
    generators: false,
    tlsVerification: false,
  },
  options,
  check: async (asked, { folder }) => void (await prepare(asked, folder)),
  run: async (load, context) => {
    // A warm-up is interrupted when its time is over, so that it may last as long as it likes.
    const levels = isWarmUp(load) ? [] : [load.level];
    const { path, version } = await prepare({ ...load, levels }, context.folder);
    const { requests: wanted, durationMs = 0 } = load.level;
    const { args, ...files } = callAb(load);
    const argv = [path, ...args] as const;
    const isEnded = isWarmUp(load) && wanted === undefined;
    const task = { name: "ab", command: { argv, ...files }, cores: 1 };
    const run = await runProgram(isEnded ? { ...task, stopAfterMs: durationMs } : task, context);
    const figures = figuresOf(load, run, context.signal);
    const { elapsedMs, requests } = figures;
    return {
      measurement: {
        startedAt: run.startedAt,
        connections: { asked: closedConnections(load.level) },
        throughput: elapsedMs > 0 ? (requests.ok / elapsedMs) * 1000 : 0,
        timeline: [],
        ...figures,
        program: { name: "ab", version, command: argv, output: keptOutput(run.end) },
      },
      generators: run.generators,
      targetGone: false,
    };
  },
};

/** Rejects when ab cannot do what is asked, or cannot be run. */
async function prepare(asked: AskedLoad, folder: string) {
  const refusal = refusalOf(asked);
  if (refusal !== undefined) throw new ProgramError(refusal);
  const path = locateProgram(options.parse(asked.options).program, folder);
  const version = await readProgramVersion({
    program: path,
    installation: { title: "ab (ApacheBench)", packageName: "apache2-utils", homebrewName: "httpd" },
    args: ["-V"],
    find: (output) => /ApacheBench, Version (\S+)/.exec(output)?.[1] ?? null,
  });
  return { path, version };
}

/** What is to drain is not measured. */
function isWarmUp({ atEnd }: Load): boolean {
  return atEnd === "drain";
}

const SECOND_MS = 1000;
/** MAX_CONCURRENCY of ab. */
const MOST_CONNECTIONS = 20_000;

/** Says why ab cannot do exactly what is asked, and what it can; `undefined` when it can. */
export function refusalOf({ request, timeoutMs, levels }: AskedLoad): string | undefined {
  const { method, body, headers } = request;
  const refuseFractions = (what: string, flag: string, ms = SECOND_MS): string | false => {
    const down = Math.floor(ms / SECOND_MS);
    const near = down > 0 ? `${down}s or ${down + 1}s` : `${down + 1}s`;
    const isWhole = ms > 0 && ms % SECOND_MS === 0;
    return !isWhole && `ab knows ${what} in whole seconds only: expected ${flag} ${near}, got ${ms} ms`;
  };
  const refusals = levels.flatMap((level) => {
    const connections = closedConnections(level);
    const { requests = connections, durationMs } = level;
    return [
      body !== null && !hasBody(method) && `ab sends a body with POST and PUT only, got one with ${method}`,
      headers.some(([name]) => name.toLowerCase() === "content-length") &&
        "ab writes the header Content-Length itself: leave it out",
      connections > MOST_CONNECTIONS &&
        `ab opens ${MOST_CONNECTIONS} connections at most, got a level of ${connections}`,
      requests < connections &&
        `ab sends no fewer requests than there are connections: expected -n ${connections} or more for -c ${connections}, got ${requests}`,
      refuseFractions("the timeout", "--timeout", timeoutMs),
      refuseFractions("a duration", "-d", durationMs),
    ];
  });
  return refusals.find((refusal) => refusal !== false);
}

/** Of each ab takes 40 bytes beforehand: far more than it sends in a second, and not more than it can have in all. */
const MOST_PER_SECOND = 250_000;
const MOST_REQUESTS = 50_000_000;
const BODY_FILE = "body";
/** The file that ab writes percentiles to, in ms to the microsecond. */
const PERCENTILES_FILE = "percentiles.csv";

/** How the method is told, where it is not GET; those with a body name its file. */
const METHOD_ARGS: ReadonlyMap<string, readonly string[]> = new Map([
  ["GET", []],
  ["HEAD", ["-i"]],
  ["POST", ["-p", BODY_FILE]],
  ["PUT", ["-u", BODY_FILE]],
]);

function hasBody(method: string): boolean {
  return METHOD_ARGS.get(method)?.includes(BODY_FILE) ?? false;
}

/** A time in whole seconds that are at least as long. */
function secondsOf(ms: number): number {
  return Math.max(1, Math.ceil(ms / SECOND_MS));
}

/** A run for a time ends at this many requests as well. */
function mostRequests(durationMs: number): number {
  return Math.min(MOST_REQUESTS, secondsOf(durationMs) * MOST_PER_SECOND);
}

/** How a load is put to ab. */
export function callAb({
  url: address,
  level,
  request,
  timeoutMs,
  keepAlive,
}: Load): Omit<ProgramCommand, "argv"> & { readonly args: readonly string[] } {
  const { method, headers } = request;
  const { requests, durationMs = 0 } = level;
  const url = new URL(address);
  const credentials = basicCredentials(url);
  [url.username, url.password, url.hash] = ["", "", ""];
  const isGiven = headers.some(([name]) => name.toLowerCase() === "authorization");
  const own: readonly HeaderLine[] = credentials === undefined || isGiven ? [] : [["Authorization", credentials]];
  const isType = (name: string): boolean => hasBody(method) && name.toLowerCase() === "content-type";
  return {
    args: [
      // No progress; a line for each failure to receive, which does not end the run.
      ["-q", "-v", "1", "-r"],
      keepAlive ? ["-k"] : [],
      ["-c", String(closedConnections(level))],
      ["-s", String(secondsOf(timeoutMs))],
      // -t sets a number of requests of its own, so that -n comes after it.
      requests === undefined ? ["-t", String(secondsOf(durationMs))] : [],
      ["-n", String(requests ?? mostRequests(durationMs))],
      ["-e", PERCENTILES_FILE],
      METHOD_ARGS.get(method) ?? ["-m", method],
      ...[...own, ...headers].map(([name, value]) => (isType(name) ? ["-T", value] : ["-H", `${name}: ${value}`])),
      [url.href],
    ].flat(),
    files: hasBody(method) ? { [BODY_FILE]: bodyBytes(request) } : {},
    reads: [PERCENTILES_FILE],
  };
}

/** What the clock of ab may be behind ours. */
const TOLERANCE_MS = 10;

/** What ab tells of a run that has ended. Throws a {@link ProgramError} when that is not to be understood, or not what was asked for. */
export function figuresOf(
  load: Load,
  { end, interrupted }: Pick<ProgramRun, "end" | "interrupted">,
  signal: AbortSignal,
): ProgramFigures {
  const { requests, durationMs = 0 } = load.level;
  try {
    // When it is interrupted it tells what it has and calls that a failure.
    if (!interrupted && (end.code !== 0 || end.signal !== null)) throw new ProgramError(describeEnd(end));
    if (end.stdout.length >= MOST_OUTPUT) {
      throw new ProgramError(`ab printed more than ${MOST_OUTPUT} characters, so that figures may be missing`);
    }
    const { complete, ...figures } = readAb(end, load, interrupted);
    if (interrupted || isWarmUp(load)) return figures;
    if (requests !== undefined && complete !== requests) {
      throw new ProgramError(
        `ab was asked for ${countOf(requests, "request")} and says that ${complete} came to an end`,
      );
    }
    if (requests === undefined && figures.elapsedMs < durationMs - TOLERANCE_MS) {
      throw new ProgramError(`ab was asked to send for ${durationMs} ms and says it did for ${figures.elapsedMs} ms`);
    }
    return figures;
  } catch (error) {
    // Of a run that was ended early there may be nothing to tell.
    signal.throwIfAborted();
    if (!(isWarmUp(load) && interrupted && error instanceof ProgramError)) throw error;
    return { elapsedMs: 0, requests: { sent: 0, ok: 0, non2xx: 0 }, statusCodes: {}, errorCodes: {}, bytes: {} };
  }
}

function readAb({ stdout, stderr, files }: ProgramEnd, { level, timeoutMs, keepAlive }: Load, interrupted: boolean) {
  const printed = readPrinted(AB, numberLines(stdout));
  if (printed.missing !== undefined) throw unlike("ab", printed.missing.line, `"${printed.missing.expected}"`);
  const output = readAbOutput(printed);
  const { concurrency, complete, elapsedMs, phases } = output;
  const { requests, durationMs = 0 } = level;
  const connections = closedConnections(level);
  if (concurrency !== connections) {
    throw new ProgramError(`ab was asked for ${countOf(connections, "connection")} and says it had ${concurrency}`);
  }
  if (requests === undefined && complete >= mostRequests(durationMs)) {
    throw new ProgramError(
      `ab had sent as many requests as it can, ${complete}, after ${Math.round(elapsedMs)} ms: use a shorter -d`,
    );
  }
  const percentiles = complete === 0 ? [] : readPercentiles(files[PERCENTILES_FILE] ?? "", complete);
  const longestMs = percentiles.at(-1) ?? 0;
  if (longestMs > timeoutMs && !interrupted) {
    throw new ProgramError(
      `ab gives up when nothing comes for the timeout, not when one answer takes longer: the slowest took ${Math.ceil(longestMs)} ms, ` +
        `more than the ${timeoutMs} ms of --timeout, and counts as answered. Raise --timeout above that, or use another engine`,
    );
  }
  const errorCodes = parseAbComplaints(stderr);
  const counts = countAbRequests(output, errorCodes);
  const latency = {
    min: percentiles[0] ?? 0,
    ...carriedMean(phases?.total),
    ...Object.fromEntries(AB_PERCENTAGES.map(([percentage, key]) => [key, percentiles[percentage] ?? 0])),
  };
  const figures = abFigures(output, counts, complete === 0 ? undefined : latency, keepAlive);
  const isWhole = requests !== undefined && !interrupted;
  return {
    ...figures,
    complete,
    requests: isWhole ? { ...figures.requests, inFlight: 0 } : figures.requests,
    errorCodes,
    ...defined({ doubts: counts.doubts.length === 0 ? undefined : counts.doubts }),
  };
}

function unlike(source: string, { number, text }: NumberedLine, expected: string): ProgramError {
  const got = text === "" ? "nothing" : JSON.stringify(text.slice(0, 120));
  return new ProgramError(`cannot read what ${source} printed: line ${number}: expected ${expected}, got ${got}`);
}

const PERCENTILES_HEAD = "Percentage served,Time in ms";

/**
 * Reads the percentiles that ab writes to a file: latencies in ms by percentage, 0 to 100, to the microsecond. Of fewer than
 * 50 requests ab reads the highest from beyond the last one; there the longest stands for them.
 */
function readPercentiles(text: string, complete: number): readonly number[] {
  const lines = numberLines(text);
  const row = (at: number): NumberedLine => lines[at] ?? { text: "", number: at + 1 };
  if (row(0).text !== PERCENTILES_HEAD) throw unlike("ab (percentiles)", row(0), `the head "${PERCENTILES_HEAD}"`);
  let longest = 0;
  return Array.from({ length: 101 }, (_, at) => {
    const told = new RegExp(`^${at},(-?\\d+\\.\\d{3})$`).exec(row(at + 1).text)?.[1];
    const isThere = at === 0 || at === 100 || Math.floor(0.5 + (complete * at) / 100) < complete;
    if (told === undefined || (isThere && Number(told) < longest)) {
      throw unlike("ab (percentiles)", row(at + 1), `the latency at ${at} %, no less than the one before`);
    }
    if (isThere) longest = Number(told);
    return longest;
  });
}

const LAST_LINES = 5;

function describeEnd({ code, signal, stdout, stderr }: ProgramEnd): string {
  const printed = [...stdout.split("\n"), ...stderr.map(({ line }) => line)].filter((line) => line.trim() !== "");
  return `ab gave up with ${describeExit({ code, signal, output: printed.slice(-LAST_LINES) })}`;
}

const KEPT_LINES = 1000;
const KEPT_LINE_LENGTH = 1000;

/**
 * What ab printed, to be kept with its measurement: standard output, then standard error, equal lines of which are
 * counted. Of each the first and the last 1,000 lines, each cut at 1,000 characters.
 */
export function keptOutput({ stdout, stderr }: Pick<ProgramEnd, "stdout" | "stderr">): string {
  const complaints = stderr.map(({ line, count }) => (count === 1 ? line : `${line} [${count} times]`));
  const shorten = (lines: readonly string[]): readonly string[] => {
    const leftOut = lines.length - 2 * KEPT_LINES;
    const kept = leftOut <= 0 ? lines : lines.toSpliced(KEPT_LINES, leftOut, `[${countOf(leftOut, "line")} left out]`);
    return kept.map((line) => (line.length > KEPT_LINE_LENGTH ? `${line.slice(0, KEPT_LINE_LENGTH)} [cut]` : line));
  };
  return [...shorten(stdout.replace(/\n+$/, "").split("\n")), ...shorten(complaints)].join("\n");
}
