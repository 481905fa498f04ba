/** ApacheBench: one thread, HTTP/1.0. Statuses, and requests in flight at the end of a time, it does not tell. */
import * as z from "zod";
import { DEFAULTS } from "../../config/defaults.js";
import type { Doubt, LatencySummary, PhaseSummary, Phases, RequestCounts } from "../../model/measurement.js";
import { countOf } from "../../stats/count-of.js";
import { AB_PERCENTAGES } from "../../stats/latency-keys.js";
import type { CountedLine } from "../../system/output.js";
import type { ProgramLoad, FinishedProgram, Program, ToldFigures } from "./adapter.js";
import {
  elapsedByRate,
  ProgramError,
  readLines,
  systemErrorOf,
  type PrintedLines,
  type ProgramFigures,
} from "./printed.js";

/** MAX_CONCURRENCY of ab. */
const MOST_CONNECTIONS = 20_000;
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
const hasBody = (method: string): boolean => METHOD_ARGS.get(method)?.includes(BODY_FILE) ?? false;

export const ab: Program = {
  name: "ab",
  installation: { title: "ab (ApacheBench)", packageName: "apache2-utils", homebrewName: "httpd" },
  version: { args: ["-V"], find: (output) => /ApacheBench, Version (\S+)/.exec(output)?.[1] ?? null },
  options: z.strictObject({
    /** Name of the program, or its path. */
    program: z.string().min(1).default(DEFAULTS.ab.program),
  }),
  durations: "whole seconds",
  refuses: ({ request: { method, body, headers }, connections, requests = connections }) => [
    body !== null && !hasBody(method) && `ab sends a body with POST and PUT only, got one with ${method}`,
    headers.some(([name]) => name.toLowerCase() === "content-length") &&
      "ab writes the header Content-Length itself: leave it out",
    connections > MOST_CONNECTIONS && `ab opens ${MOST_CONNECTIONS} connections at most, got a level of ${connections}`,
    requests < connections &&
      `ab sends no fewer requests than there are connections: expected -n ${connections} or more for -c ${connections}, got ${requests}`,
  ],
  cores: () => 1,
  call: (asked) => {
    const { connections, requests, seconds, timeoutSeconds, keepAlive, body, url } = asked;
    const { method, headers } = asked.request;
    const isType = (name: string): boolean => hasBody(method) && name.toLowerCase() === "content-type";
    return {
      args: [
        // No progress; a line for each failure to receive, which does not end the run.
        ["-q", "-v", "1", "-r"],
        keepAlive ? ["-k"] : [],
        ["-c", String(connections)],
        ["-s", String(timeoutSeconds)],
        // -t sets a number of requests of its own, so that -n comes after it.
        requests === undefined ? ["-t", String(seconds)] : [],
        ["-n", String(requests ?? mostRequests(asked))],
        ["-e", PERCENTILES_FILE],
        METHOD_ARGS.get(method) ?? ["-m", method],
        ...headers.map(([name, value]) => (isType(name) ? ["-T", value] : ["-H", `${name}: ${value}`])),
        [url],
      ].flat(),
      files: hasBody(method) ? { [BODY_FILE]: body ?? new Uint8Array() } : {},
      reads: [PERCENTILES_FILE],
    };
  },
  read: readAb,
};

/** A run for a time ends at this many requests as well. */
const mostRequests = ({ seconds }: ProgramLoad): number => Math.min(MOST_REQUESTS, seconds * MOST_PER_SECOND);

function readAb({ stdout, stderr, files, interrupted, asked }: FinishedProgram): ToldFigures {
  const output = parseAbOutput(stdout);
  const { concurrency, complete, elapsedMs, phases } = output;
  if (concurrency !== asked.connections) {
    throw new ProgramError(
      `ab was asked for ${countOf(asked.connections, "connection")} and says it had ${concurrency}`,
    );
  }
  if (asked.requests === undefined && complete >= mostRequests(asked)) {
    throw new ProgramError(
      `ab had sent as many requests as it can, ${complete}, after ${Math.round(elapsedMs)} ms: use a shorter -d`,
    );
  }
  const percentiles = complete === 0 ? [] : parseAbPercentiles(files[PERCENTILES_FILE] ?? "", complete);
  const longestMs = percentiles.at(-1) ?? 0;
  if (longestMs > asked.timeoutMs && !interrupted) {
    throw new ProgramError(
      `ab gives up when nothing comes for the timeout, not when one answer takes longer: the slowest took ${Math.ceil(longestMs)} ms, ` +
        `more than the ${asked.timeoutMs} ms of --timeout, and counts as answered. Raise --timeout above that, or use another engine`,
    );
  }
  const errorCodes = parseAbComplaints(stderr);
  const counts = countAbRequests(output, errorCodes);
  const latency = {
    min: percentiles[0] ?? 0,
    ...carriedMean(phases?.total),
    ...Object.fromEntries(AB_PERCENTAGES.map(([percentage, key]) => [key, percentiles[percentage] ?? 0])),
  };
  const figures = abFigures(output, counts, complete === 0 ? undefined : latency, asked.keepAlive);
  const isWhole = asked.requests !== undefined && !interrupted;
  return {
    ...figures,
    ended: complete,
    requests: isWhole ? { ...figures.requests, inFlight: 0 } : figures.requests,
    errorCodes,
    ...(counts.doubts.length === 0 ? {} : { doubts: counts.doubts }),
  };
}

/** What ab prints of a run, as it counts. */
export type AbOutput = ReturnType<typeof parseAbOutput>;

const COUNT = /^ +(\d+)$/;
const BYTES = /^ +(\d+) bytes$/;

/** Reads what ab printed. Throws a `ProgramError` that names the line which is not as expected. */
export function parseAbOutput(text: string) {
  const lines = readLines("ab", text);
  const complete = lines.number("Complete requests:", COUNT);
  const [length = ""] = lines.only("Document Length:", /^ +(\d+(?= bytes$)|Variable$)/);
  const sent = lines.findNumber("Total body sent:", COUNT);
  const hasTable = complete > 0 && lines.find("Connection Times (ms)", /^$/) !== undefined;
  return {
    /** Body of the first answer in bytes: another length than this is a failure to ab; absent where it was told not to mind (`-l`). */
    documentLength: length === "Variable" ? undefined : Number(length),
    concurrency: lines.number("Concurrency Level:", COUNT),
    elapsedMs: elapsedByRate({
      count: complete,
      elapsedMs: lines.number("Time taken for tests:", /^ +(\d+\.\d{3}) seconds$/) * 1000,
      elapsedResolutionMs: 0.5,
      perSecond: lines.findNumber("Requests per second:", /^ +(\d+\.\d{2}) \[#\/sec\] \(mean\)$/),
      rateResolution: 0.005,
    }),
    /** Requests that came to an end, whether or not there was an answer. */
    complete,
    failures: readFailures(lines),
    /** Answers with a status other than 2xx. */
    non2xx: lines.findNumber("Non-2xx responses:", COUNT) ?? 0,
    /** Answers complete by their length, on connections that stay open; absent without keep-alive. */
    keptAlive: lines.findNumber("Keep-Alive requests:", COUNT),
    /** Bytes read, of bodies alone, and written (which ab calls the body); the last is absent of requests without one. */
    bytes: {
      received: lines.number("Total transferred:", BYTES),
      body: lines.number("HTML transferred:", BYTES),
      ...(sent === undefined ? {} : { sent }),
    },
    /** Of all that came to an end, in whole ms; absent when none did, and where the table is missing. */
    phases: hasTable ? readPhases(lines) : undefined,
  };
}

/** Ways in which ab sees failures, which it prints when there were some; one request may be counted in several. */
function readFailures(lines: PrintedLines) {
  const failed = lines.number("Failed requests:", COUNT);
  const found = lines.find("   (Connect:", /^ (\d+), Receive: (\d+), Length: (\d+), Exceptions: (\d+)\)$/) ?? [];
  const [connect = 0, receive = 0, length = 0, exceptions = 0] = found.map(Number);
  const sum = connect + receive + length + exceptions;
  if (failed !== sum) throw lines.error(`of ${failed} failed requests it says how ${sum} failed`);
  return { connect, receive, length, exceptions };
}

function readPhases(lines: PrintedLines): Phases {
  const phase = (beginning: string): PhaseSummary => {
    const found = lines.only(beginning, /^ +(\d+) +(\d+) +(\d+\.\d) +(\d+) +(\d+)$/);
    const [min = 0, mean = 0, stddev = 0, median = 0, max = 0] = found.map(Number);
    return { min, mean, stddev, median, max };
  };
  return {
    connect: phase("Connect:"),
    processing: phase("Processing:"),
    waiting: phase("Waiting:"),
    total: phase("Total:"),
  };
}

const PERCENTILES_HEAD = "Percentage served,Time in ms";

/**
 * Reads the percentiles that ab writes to a file: latencies in ms by percentage, 0 to 100, to the microsecond. Of fewer than
 * 50 requests ab reads the highest from beyond the last one; there the longest stands for them.
 */
function parseAbPercentiles(text: string, complete: number): readonly number[] {
  const lines = readLines("ab (percentiles)", text);
  const row = (at: number) => lines.all[at] ?? { text: "", number: at + 1 };
  if (row(0).text !== PERCENTILES_HEAD) throw lines.unlike(row(0), `the head "${PERCENTILES_HEAD}"`);
  let longest = 0;
  return Array.from({ length: 101 }, (_, at) => {
    const told = new RegExp(`^${at},(-?\\d+\\.\\d{3})$`).exec(row(at + 1).text)?.[1];
    const isThere = at === 0 || at === 100 || Math.floor(0.5 + (complete * at) / 100) < complete;
    if (told === undefined || (isThere && Number(told) < longest)) {
      throw lines.unlike(row(at + 1), `the latency at ${at} %, no less than the one before`);
    }
    if (isThere) longest = Number(told);
    return longest;
  });
}

const CONNECT_CODES = ["ECONNREFUSED", "ENETUNREACH", "EHOSTUNREACH", "ETIMEDOUT"];
const RESET_CODES = ["ECONNRESET", "EPIPE"];

/** Why requests failed to receive an answer, and how often, by error code. */
type ReceiveErrors = Readonly<Record<string, number>>;

/** Counts the failures to receive that ab complains of, one line each, with the system's error and its number. */
export function parseAbComplaints(lines: readonly CountedLine[]): ReceiveErrors {
  const counts: Record<string, number> = {};
  for (const { line, count } of lines) {
    const [, error = "", number] = /^apr_socket_recv: (.*) \((\d+)\)$/.exec(line) ?? [];
    if (number === undefined) continue;
    const code = systemErrorOf(error) ?? `errno ${number}`;
    counts[code] = (counts[code] ?? 0) + count;
  }
  return counts;
}

/** What became of the requests, and what of that is not known. */
export interface AbCounts {
  readonly requests: Omit<RequestCounts, "inFlight">;
  readonly doubts: readonly Doubt[];
}

/**
 * Says what became of the requests, from what ab counts, which is something else:
 *
 * - *Complete* is whatever came to an end, also by the connection being closed or reset without an answer.
 * - Such a request has an empty body, and so another *length* than the first answer; a complete answer may have that, too,
 *   and is ok. On connections that are kept open ab waits for the whole length, so that those *kept alive* are complete: only
 *   where a connection was closed, another length is a failure (`unclassified`: closed early, or merely different). Where most
 *   have another length, and a body, the first answer may have been the odd one: then none of them counts as a failure.
 * - A failure to *receive* is counted as a length and as an exception once more. The errors tell resets from refusals. Those of
 *   several connections at the very end are counted though enough requests are *complete*: these were sent as well.
 * - Answers with an unexpected status mostly have another length. As many of them as there are lengths are taken to be among
 *   those: a doubt, unless every answer has failed for certain.
 *
 * Throws a `ProgramError` where nothing tells an answer from a connection that was closed: when the body of the first is
 * empty, without keep-alive.
 */
export function countAbRequests(output: AbOutput, errors: ReceiveErrors): AbCounts {
  const { complete, non2xx, failures, keptAlive = 0, documentLength = 0, bytes } = output;
  const { connect, receive, length, exceptions } = failures;
  const sumOf = (codes: readonly string[]): number => codes.reduce((sum, code) => sum + (errors[code] ?? 0), 0);
  const [refused, resets] = [sumOf(CONNECT_CODES), sumOf(RESET_CODES)];
  if (refused + resets > receive) {
    throw new ProgramError(`ab complains of ${refused + resets} failures to receive an answer and counts ${receive}`);
  }
  // An exception beyond those of receiving is a request that was given up and begun anew.
  const givenUp = Math.max(0, exceptions - receive);
  const connectErrors = refused + connect;
  const sent = Math.max(complete, receive) + connect + givenUp;
  const closed = complete - keptAlive;
  const mayHaveFailedByLength = documentLength > 0 && Math.min(length, closed) > receive;
  const isFirstSuspect =
    mayHaveFailedByLength && length > complete / 2 && bytes.body > documentLength * (complete - length);
  const isDoubtful = mayHaveFailedByLength && complete > non2xx + receive && (non2xx > 0 || isFirstSuspect);
  const doubts = isDoubtful
    ? (["errors", "throughput"] as const).map((figure) => ({ figure, because: "other-lengths" }) as const)
    : [];
  if (bytes.received === 0 || complete <= receive) {
    const unclassified = sent - connectErrors - resets;
    return { requests: { sent, ok: 0, non2xx: 0, connectErrors, resets, unclassified }, doubts };
  }
  if (output.documentLength === 0 && closed > receive) {
    throw new ProgramError(
      "ab does not tell answers with an empty body from connections that were closed without an answer, and the first body " +
        `was empty; ${closed} of ${complete} connections were closed. Use another engine, or a page that is not empty, kept alive`,
    );
  }
  const tellsNothing = output.documentLength === 0 || isFirstSuspect;
  const incomplete = Math.max(receive, Math.min(tellsNothing ? receive : length, closed));
  const otherLengths = Math.max(0, length - incomplete);
  const failed = incomplete - Math.min(incomplete - receive, Math.max(0, non2xx - otherLengths));
  const ok = complete - non2xx - failed;
  if (ok < 0) {
    throw new ProgramError(
      `ab counts ${non2xx} answers with an unexpected status and ${failed} other failures among ${complete} requests`,
    );
  }
  const unclassified = failed - refused - resets + givenUp;
  return { requests: { sent, ok, non2xx, connectErrors, resets, unclassified }, doubts };
}

/** ab rounds to whole ms: from here on by 5 % at most. Below, its figures would say more than it knows. */
const SHORTEST_MEAN_MS = 10;
/** The same of what it prints with one decimal. */
const SHORTEST_STDDEV_MS = 1;

/**
 * What ab tells of a run, but for errors by code. Its latencies are of all requests that came to an end, so that they are those of ok ones
 * where all are ok, of failed ones where none is, and otherwise of neither.
 */
export function abFigures(
  { elapsedMs, complete, bytes, phases }: AbOutput,
  { requests, doubts }: AbCounts,
  latency: LatencySummary | undefined,
  keepAlive: boolean,
): ProgramFigures {
  const isAllOk = requests.ok === requests.sent && doubts.length === 0;
  const isAllSentAndFailed = requests.ok === 0 && requests.sent === complete && requests.connectErrors === 0;
  // With keep-alive, connecting is 0 but for the first request of each connection.
  const isCarried = Object.entries<PhaseSummary>({ ...phases }).every(
    ([name, { mean }]) => mean >= SHORTEST_MEAN_MS || (keepAlive && name === "connect"),
  );
  return {
    elapsedMs,
    requests,
    statusCodes: {},
    errorCodes: {},
    bytes,
    ...(latency !== undefined && isAllOk ? { latency } : {}),
    ...(latency !== undefined && isAllSentAndFailed ? { failedLatency: latency } : {}),
    ...(phases !== undefined && isCarried && isAllOk ? { phases } : {}),
  };
}

/** Mean and standard deviation, where whole milliseconds can carry them. */
export function carriedMean({ mean, stddev }: Partial<PhaseSummary> = {}): Pick<LatencySummary, "mean" | "stddev"> {
  if (mean === undefined || stddev === undefined || mean < SHORTEST_MEAN_MS) return {};
  return stddev < SHORTEST_STDDEV_MS ? { mean } : { mean, stddev };
}
