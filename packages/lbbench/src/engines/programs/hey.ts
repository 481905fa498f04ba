/** hey: Go's HTTP client in as many goroutines as there are connections. It prints times to a tenth of a millisecond. */
import * as z from "zod";
import { DEFAULTS } from "../../config/defaults.js";
import type { LatencySummary } from "../../model/measurement.js";
import { expectedStatus } from "../../stats/request-counts.js";
import { neverHasBody } from "../requests.js";
import type { FinishedProgram, Program, ProgramOptions, Refusals, ToldFigures } from "./adapter.js";
import {
  elapsedByRate,
  latencyByStatus,
  ProgramError,
  readLines,
  systemErrorOf,
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
  refuses: ({ request: { method, headers }, connections, requests = 0 }) => {
    const near = [Math.floor(requests / connections), Math.ceil(requests / connections)].filter((each) => each > 0);
    const nearest = near.map((each) => each * connections).join(" or ");
    const names = headers.map(([name]) => name.toLowerCase());
    return [
      method !== method.toUpperCase() && `hey writes methods in capitals, got "${method}"`,
      ...headers.flatMap(([name, value], index): Refusals => [
        OWN_HEADERS.includes(name.toLowerCase()) && `hey does not send the header ${name} as it is given: leave it out`,
        names.indexOf(name.toLowerCase()) < index && `hey sends a header once, got ${name} several times`,
        (!/^[\w-]+$/.test(name) || value.trim() === "") &&
          `hey sends headers that have a value, and names of letters, digits, "_" and "-", got "${name}: ${value}"`,
      ]),
      requests % connections !== 0 &&
        `hey sends the same number of requests over each connection: expected -n ${nearest} for -c ${connections}, got ${requests}`,
    ];
  },
  cores: ({ cpus = Infinity }) => cpus,
  call: ({ url, connections, requests, durationMs, timeoutSeconds, keepAlive, request, body }, { cpus }) => ({
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
  }),
  read: readHey,
};

function readHey({ stdout, asked }: FinishedProgram): ToldFigures {
  const { requests, ...figures } = parseHeyOutput(stdout, asked.request.method);
  const slowestMs = readMs(readLines("hey", stdout), "  Slowest:");
  if (slowestMs >= asked.timeoutMs) {
    throw new ProgramError(
      `hey counts an answer that breaks off at the timeout as complete: the slowest took ${slowestMs} ms, and --timeout is ` +
        `${asked.timeoutMs} ms. Raise --timeout, or use another engine`,
    );
  }
  // It waits for the answers to all that it has sent.
  return { ...figures, ended: requests.sent, requests: { ...requests, inFlight: 0 } };
}

/** Of more answers hey keeps no latency, and divides what it has by the wrong number. */
const MOST_LATENCIES = 1_000_000;

/**
 * Reads what hey printed, whatever was asked of it. Its latencies are of all that was answered. Throws a `ProgramError` that names the
 * line which is not as expected.
 *
 * Not told: a request that Go's client repeats by itself because a connection that was kept open turned out to be closed
 * (the server sees one more), and an answer whose body was broken off (it counts as one).
 *
 * @param method of the requests; without it nothing is known of bodies, because those of HEAD have a length and are not there.
 */
export function parseHeyOutput(text: string, method?: string): ProgramFigures {
  const lines = readLines("hey", text);
  lines.only("Status code distribution:", /^$/);
  const statusCodes: Record<string, number> = {};
  for (const line of sectionOf(lines, "Status code distribution:")) {
    const [, status, count] = /^ {2}\[(\d{3})\]\t(\d+) responses$/.exec(line.text) ?? [];
    if (status === undefined) throw lines.unlike(line, "a status and how many responses had it");
    if (Object.hasOwn(statusCodes, status)) throw lines.unlike(line, "each status once");
    statusCodes[status] = Number(count);
  }
  const failures = { ...NO_FAILURES };
  const errorCodes: Record<string, number> = {};
  for (const line of sectionOf(lines, "Error distribution:")) {
    const [, count, error] = /^ {2}\[(\d+)\]\t(.+)$/.exec(line.text) ?? [];
    if (error === undefined) throw lines.unlike(line, "how often an error came, and its text");
    const { failure, code } = classifyHeyError(error);
    failures[failure] += Number(count);
    if (code !== undefined) errorCodes[code] = (errorCodes[code] ?? 0) + Number(count);
  }
  const isExpected = expectedStatus("2xx");
  const answers = sumOf(Object.values(statusCodes));
  const ok = sumOf(Object.entries(statusCodes).map(([status, count]) => (isExpected(status) ? count : 0)));
  const requests = { sent: answers + sumOf(Object.values(failures)), ok, non2xx: answers - ok, ...failures };
  const elapsedMs = elapsedByRate({
    count: requests.sent,
    elapsedMs: readMs(lines, "  Total:"),
    elapsedResolutionMs: 0.05,
    perSecond: lines.number("  Requests/sec:", /^\t(\d+\.\d{4})$/),
    rateResolution: 0.00005,
  });
  const latency = readLatency(lines, answers);
  // hey adds up what answers declare; where all have one status they mostly all declare their length, or none does.
  const declared = lines.findNumber("  Total data:", /^\t(\d+) bytes$/);
  const [status, ...others] = Object.keys(statusCodes);
  const isOfOneStatus = status !== undefined && others.length === 0 && !neverHasBody(Number(status));
  const hasBodies = isOfOneStatus && method !== undefined && method !== "HEAD";
  return {
    elapsedMs,
    requests,
    statusCodes,
    errorCodes,
    bytes: hasBodies && declared !== undefined ? { body: declared } : {},
    ...latencyByStatus(requests, latency),
  };
}

function readMs(lines: PrintedLines, beginning: string): number {
  return lines.number(beginning, /^\t *(NaN|\d+\.\d{4}) secs$/) * 1000;
}

/** The lines between the title of a section and the next empty line; none where there is no such section. */
function sectionOf({ all, find }: PrintedLines, title: string): readonly NumberedLine[] {
  if (find(title, /^$/) === undefined) return [];
  const section = all.slice(all.findIndex(({ text }) => text === title) + 1);
  const end = section.findIndex(({ text }) => text === "");
  return end === -1 ? section : section.slice(0, end);
}

/** Those that hey prints and we tell, and how many there are in all. */
const PERCENTAGES = [50, 75, 90, 95, 99];
const ROWS = 7;
/** hey rounds to 0.1 ms: from here on by 5 % at most. */
const SHORTEST_MEAN_MS = 1;

/** `undefined` without answers or with too many, and where most were too quick for its clock: what it prints as 0 is not 0. */
function readLatency(lines: PrintedLines, answers: number): LatencySummary | undefined {
  const [min = 0, mean = 0, max = 0] = ["  Fastest:", "  Average:", "  Slowest:"].map((line) => readMs(lines, line));
  if (answers === 0 || answers > MOST_LATENCIES) return undefined;
  // One above which there is no answer is printed as 0 %: it is the longest, as nothing is above that.
  const times = PERCENTAGES.map((percentage) => {
    const seconds = lines.findNumber(`  ${percentage}% in `, /^(\d+\.\d{4}) secs$/);
    return seconds === undefined ? max : seconds * 1000;
  });
  const inOrder = [min, ...times, max];
  const areInOrder = inOrder.every((time, index) => time >= (inOrder[index - 1] ?? 0)) && min <= mean && mean <= max;
  const rows = sectionOf(lines, "Latency distribution:").filter(({ text }) =>
    /^ {2}\d+% in \d+\.\d{4} secs$/.test(text),
  );
  if (!areInOrder || rows.length !== ROWS) {
    throw lines.error(`expected ${ROWS} percentiles, from the fastest answer to the slowest, and the average between`);
  }
  const percentiles = Object.fromEntries(PERCENTAGES.map((percentage, index) => [`p${percentage}`, times[index]]));
  const latency: LatencySummary = { min, ...(mean >= SHORTEST_MEAN_MS ? { mean } : {}), ...percentiles, max };
  return latency.p50 === 0 ? undefined : latency;
}

const NO_FAILURES = { mismatched: 0, connectErrors: 0, resets: 0, dropped: 0, timedOut: 0, unclassified: 0 };

type Failure = keyof typeof NO_FAILURES;

/** How a request failed, by the first pattern that its message has. */
const FAILURES: readonly (readonly [pattern: RegExp, failure: Failure])[] = [
  [/Client\.Timeout|context deadline exceeded/, "timedOut"],
  [/^(?:dial |proxyconnect |lookup )/, "connectErrors"],
  [/connection reset by peer|broken pipe/, "resets"],
  [/malformed HTTP|malformed MIME header/, "mismatched"],
  [/\bEOF$|server closed idle connection/, "dropped"],
];

/** Tells how a request failed from the error of Go's client: `Get "http://...": read tcp ...: connection reset by peer`. */
export function classifyHeyError(text: string): { readonly failure: Failure; readonly code?: string } {
  // Whatever is in the URL is none of the error's words.
  const message = text.replace(/^\w+ "(?:[^"\\]|\\.)*": /, "");
  const failure = FAILURES.find(([pattern]) => pattern.test(message))?.[1] ?? "unclassified";
  const code = systemErrorOf(message);
  return code === undefined || failure === "timedOut" ? { failure } : { failure, code };
}

function sumOf(counts: readonly number[]): number {
  return counts.reduce((sum, count) => sum + count, 0);
}
