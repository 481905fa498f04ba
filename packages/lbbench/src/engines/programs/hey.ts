/** hey: Go's HTTP client in as many goroutines as there are connections. It prints times to a tenth of a millisecond. */
import * as z from "zod";
import { DEFAULTS } from "../../config/defaults.js";
import type { LatencySummary, RequestCounts } from "../../model/measurement.js";
import { expectedStatus } from "../../stats/expected-status.js";
import { neverHasBody } from "../requests.js";
import type { AskedRun, FinishedProgram, Program, ProgramCall, ProgramOptions, Refusals, ToldRun } from "./adapter.js";
import {
  elapsedByRate,
  latencyByStatus,
  ProgramError,
  readLines,
  type NumberedLine,
  type PrintedLines,
  type ProgramFigures,
} from "./printed.js";

const MOST_CPUS = 1024;
const BODY_FILE = "body";
/** Headers that hey, or Go's client in it, writes itself or adds to, whatever it is told. */
const OWN_HEADERS = ["user-agent", "content-length", "transfer-encoding", "trailer"];

interface HeyOptions extends ProgramOptions {
  readonly cpus?: number | undefined;
}

export const hey: Program<HeyOptions> = {
  name: "hey",
  installation: { title: "hey", packageName: "hey" },
  // It has no flag for its version.
  version: { args: ["-h"], find: () => null },
  options: z.strictObject({
    /** Name of the program, or its path. */
    program: z.string().min(1).default(DEFAULTS.hey.program),
    /** Cores that it may use at a time (`-cpus`); all that there are without this, as hey does. */
    cpus: z.int().min(1).max(MOST_CPUS).optional(),
  }),
  durations: "any",
  refuses: ({ method, headers }) => [
    method !== method.toUpperCase() && `hey writes methods in capitals, got "${method}"`,
    ...headers.flatMap(([name, value], index): Refusals => {
      const isNamed = ([other]: readonly [string, string]): boolean => other.toLowerCase() === name.toLowerCase();
      return [
        OWN_HEADERS.includes(name.toLowerCase()) && `hey does not send the header ${name} as it is given: leave it out`,
        headers.findIndex(isNamed) < index && `hey sends a header once, got ${name} several times`,
        (!/^[\w-]+$/.test(name) || value.trim() === "") &&
          `hey sends headers that have a value, and names of letters, digits, "_" and "-", got "${name}: ${value}"`,
      ];
    }),
  ],
  refusesLevel: ({ connections, requests = 0 }) => {
    const near = [Math.floor(requests / connections), Math.ceil(requests / connections)].filter((each) => each > 0);
    const nearest = near.map((each) => each * connections).join(" or ");
    return [
      requests % connections !== 0 &&
        `hey sends the same number of requests over each connection: expected -n ${nearest} for -c ${connections}, got ${requests}`,
    ];
  },
  cores: ({ cpus = Infinity }) => cpus,
  call: callHey,
  read: readHey,
};

function callHey(
  { url, connections, requests, durationMs, timeoutSeconds, keepAlive, request, body }: AskedRun,
  { cpus }: HeyOptions,
): ProgramCall {
  return {
    args: [
      ["-c", String(connections)],
      requests === undefined ? ["-z", `${durationMs}ms`] : ["-n", String(requests)],
      ["-t", String(timeoutSeconds)],
      ["-disable-compression", "-disable-redirects"],
      keepAlive ? [] : ["-disable-keepalive"],
      cpus === undefined ? [] : ["-cpus", String(cpus)],
      ["-m", request.method],
      body === null ? [] : ["-D", BODY_FILE],
      ...request.headers.map(([name, value]) =>
        name.toLowerCase() === "host" ? ["-host", value] : ["-H", `${name}: ${value}`],
      ),
      [url],
    ].flat(),
    files: body === null ? {} : { [BODY_FILE]: body },
    reads: [],
  };
}

function readHey({ stdout, asked }: FinishedProgram): ToldRun {
  const output = parseHeyOutput(stdout);
  const slowestMs = output.latency?.slowestMs ?? 0;
  if (slowestMs >= asked.timeoutMs) {
    throw new ProgramError(
      `hey counts an answer that breaks off at the timeout as complete: the slowest took ${slowestMs} ms, and --timeout is ` +
        `${asked.timeoutMs} ms. Raise --timeout, or use another engine`,
    );
  }
  const figures = heyFigures(output, asked.request.method);
  // It waits for the answers to all that it has sent.
  return { ...figures, ended: figures.requests.sent, requests: { ...figures.requests, inFlight: 0 } };
}

/** What hey prints of a run. */
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
const MOST_LATENCIES = 1_000_000;
const PERCENTAGES = [10, 25, 50, 75, 90, 95, 99];
/** Stands for a percentile above which there is no answer. */
const NONE = "  0% in 0.0000 secs";

/** Reads what hey printed. Throws a `ProgramError` that names the line which is not as expected. */
export function parseHeyOutput(text: string): HeyOutput {
  const lines = readLines("hey", text);
  const ms = (beginning: string): number => lines.number(beginning, /^\t *(NaN|\d+\.\d{4}) secs$/) * 1000;
  const statusCodes: Record<string, number> = {};
  lines.only("Status code distribution:", /^$/);
  for (const line of sectionOf(lines, "Status code distribution:")) {
    const [, status, count] = /^ {2}\[(\d{3})\]\t(\d+) responses$/.exec(line.text) ?? [];
    if (status === undefined) throw lines.unlike(line, "a status and how many responses had it");
    if (Object.hasOwn(statusCodes, status)) throw lines.unlike(line, "each status once");
    statusCodes[status] = Number(count);
  }
  const errors = sectionOf(lines, "Error distribution:").map((line) => {
    const [, count, error = ""] = /^ {2}\[(\d+)\]\t(.+)$/.exec(line.text) ?? [];
    if (count === undefined) throw lines.unlike(line, "how often an error came, and its text");
    return { text: error, count: Number(count) };
  });
  const answers = sumOf(Object.values(statusCodes));
  const elapsedMs = elapsedByRate(lines, {
    count: answers + sumOf(errors.map(({ count }) => count)),
    elapsedMs: ms("  Total:"),
    elapsedResolutionMs: 0.05,
    perSecond: lines.number("  Requests/sec:", /^\t(\d+\.\d{4})$/),
    rateResolution: 0.00005,
  });
  const declaredBytes = lines.findNumber("  Total data:", /^\t(\d+) bytes$/);
  const [fastestMs, meanMs, slowestMs] = [ms("  Fastest:"), ms("  Average:"), ms("  Slowest:")];
  const told = { elapsedMs, statusCodes, errors, ...(declaredBytes === undefined ? {} : { declaredBytes }) };
  if (answers === 0) return told;
  if (answers <= MOST_LATENCIES && !(fastestMs <= meanMs && meanMs <= slowestMs)) {
    throw lines.error(
      `the fastest answer took ${fastestMs} ms, the average one ${meanMs} ms, the slowest ${slowestMs} ms`,
    );
  }
  const percentilesMs = readPercentiles(lines, fastestMs, slowestMs);
  return { ...told, latency: { fastestMs, meanMs, slowestMs, percentilesMs } };
}

/** The lines between the title of a section and the next empty line; none where there is no such section. */
function sectionOf({ all, find }: PrintedLines, title: string): readonly NumberedLine[] {
  if (find(title, /^$/) === undefined) return [];
  const start = all.findIndex(({ text }) => text === title) + 1;
  const end = all.findIndex(({ text }, index) => index >= start && text === "");
  return all.slice(start, end === -1 ? undefined : end);
}

function readPercentiles(lines: PrintedLines, fastestMs: number, slowestMs: number): ReadonlyMap<number, number> {
  lines.only("Latency distribution:", /^$/);
  const rows = sectionOf(lines, "Latency distribution:");
  const percentiles = new Map<number, number>();
  let beforeMs = fastestMs;
  for (const [index, percentage] of PERCENTAGES.entries()) {
    const row = rows[index];
    if (row === undefined) throw lines.error(`expected the latency at ${percentage} %, none came`);
    if (row.text === NONE) continue;
    const [, printed, seconds] = /^ {2}(\d+)% in (\d+\.\d{4}) secs$/.exec(row.text) ?? [];
    const latencyMs = Number(seconds) * 1000;
    if (Number(printed) !== percentage || latencyMs < beforeMs || latencyMs > slowestMs) {
      const range = `from ${beforeMs} ms on and up to ${slowestMs} ms`;
      throw lines.unlike(row, `the latency at ${percentage} %, no less than the one before (${range})`);
    }
    percentiles.set(percentage, latencyMs);
    beforeMs = latencyMs;
  }
  return percentiles;
}

type FailureCounts = Required<
  Pick<RequestCounts, "mismatched" | "connectErrors" | "resets" | "dropped" | "timedOut" | "unclassified">
>;

/** What Go says of system errors, by code. */
const ERROR_CODES: readonly (readonly [text: string, code: string])[] = [
  ["connection refused", "ECONNREFUSED"],
  ["connection reset by peer", "ECONNRESET"],
  ["broken pipe", "EPIPE"],
  ["no such host", "ENOTFOUND"],
  ["no route to host", "EHOSTUNREACH"],
  ["network is unreachable", "ENETUNREACH"],
  ["cannot assign requested address", "EADDRNOTAVAIL"],
  ["too many open files", "EMFILE"],
];

/** How a request failed, by the first pattern that its message has. */
const FAILURES: readonly (readonly [pattern: RegExp, failure: keyof FailureCounts])[] = [
  [/Client\.Timeout|context deadline exceeded/, "timedOut"],
  [/^(?:dial |proxyconnect |lookup )/, "connectErrors"],
  [/connection reset by peer|broken pipe/, "resets"],
  [/malformed HTTP|malformed MIME header/, "mismatched"],
  [/\bEOF$|server closed idle connection/, "dropped"],
];

/** Tells how a request failed from the error of Go's client: `Get "http://...": read tcp ...: connection reset by peer`. */
export function classifyHeyError(text: string): { readonly failure: keyof FailureCounts; readonly code?: string } {
  // Whatever is in the URL is none of the error's words.
  const message = text.replace(/^\w+ "(?:[^"\\]|\\.)*": /, "");
  const failure = FAILURES.find(([pattern]) => pattern.test(message))?.[1] ?? "unclassified";
  const code = ERROR_CODES.find(([words]) => message.includes(words))?.[1];
  return code === undefined || failure === "timedOut" ? { failure } : { failure, code };
}

/**
 * What the output of hey says, whatever was asked of it. Its latencies are of all that was answered.
 *
 * Not told: a request that Go's client repeats by itself because a connection that was kept open turned out to be closed
 * (the server sees one more), and an answer whose body was broken off (it counts as one).
 *
 * @param method of the requests; without it nothing is known of bodies, because those of HEAD have a length and are not there.
 */
export function heyFigures(output: HeyOutput, method?: string): ProgramFigures {
  const { elapsedMs, statusCodes, latency, errors, declaredBytes } = output;
  const isExpected = expectedStatus("2xx");
  const answers = sumOf(Object.values(statusCodes));
  const ok = sumOf(Object.entries(statusCodes).map(([status, count]) => (isExpected(status) ? count : 0)));
  const failures = { mismatched: 0, connectErrors: 0, resets: 0, dropped: 0, timedOut: 0, unclassified: 0 };
  const errorCodes: Record<string, number> = {};
  for (const { text, count } of errors) {
    const { failure, code } = classifyHeyError(text);
    failures[failure] += count;
    if (code !== undefined) errorCodes[code] = (errorCodes[code] ?? 0) + count;
  }
  const requests = { sent: answers + sumOf(Object.values(failures)), ok, non2xx: answers - ok, ...failures };
  const summary = latency === undefined || answers > MOST_LATENCIES ? undefined : summarize(latency);
  // hey adds up what answers declare; where all have one status they mostly all declare their length, or none does.
  const [status, ...others] = Object.keys(statusCodes);
  const isOfOneStatus = status !== undefined && others.length === 0 && !neverHasBody(Number(status));
  const hasBodies = isOfOneStatus && method !== undefined && method !== "HEAD";
  return {
    elapsedMs,
    requests,
    statusCodes,
    errorCodes,
    bytes: hasBodies && declaredBytes !== undefined ? { body: declaredBytes } : {},
    ...latencyByStatus(requests, summary),
  };
}

/** hey rounds to 0.1 ms: from here on by 5 % at most. */
const SHORTEST_MEAN_MS = 1;

/** Absent where most answers were too quick for its clock: what it prints as 0 is not 0. */
function summarize(latency: NonNullable<HeyOutput["latency"]>): LatencySummary | undefined {
  const { fastestMs, meanMs, slowestMs, percentilesMs } = latency;
  // Nothing is above the longest, so that it is every percentile that is missing.
  const at = (percentage: number): number => percentilesMs.get(percentage) ?? slowestMs;
  if (at(50) === 0) return undefined;
  const mean = meanMs >= SHORTEST_MEAN_MS ? { mean: meanMs } : {};
  return { min: fastestMs, ...mean, p50: at(50), p75: at(75), p90: at(90), p95: at(95), p99: at(99), max: slowestMs };
}

function sumOf(counts: readonly number[]): number {
  return counts.reduce((sum, count) => sum + count, 0);
}
