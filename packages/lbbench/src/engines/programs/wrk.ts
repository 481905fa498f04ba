/** wrk: epoll in threads, for a time. A script of ours counts statuses, and writes its figures to the microsecond. */
import * as z from "zod";
import { DEFAULTS } from "../../config/defaults.js";
import type { CompleteLatency, RequestCounts } from "../../model/measurement.js";
import { expectedStatus } from "../../stats/expected-status.js";
import { createLatencyHistogram, encodeHistogram, type LatencyHistogram } from "../../stats/histogram.js";
import { summarizeLatency } from "../../stats/latency-summary.js";
import { requestBytes } from "../requests.js";
import type { AskedRun, FinishedProgram, Program, ProgramOptions, ToldRun } from "./adapter.js";
import { latencyByStatus, ProgramError, readLines, type NumberedLine } from "./printed.js";

const MOST_THREADS = 1024;
const SCRIPT_FILE = "script.lua";
/** The file that the script writes its figures to. */
const FIGURES_FILE = "figures";

interface WrkOptions extends ProgramOptions {
  readonly threads: number;
}

export const wrk: Program<WrkOptions> = {
  name: "wrk",
  installation: { title: "wrk", packageName: "wrk" },
  version: { args: ["-v"], find: (output) => /^wrk (\S+)/m.exec(output)?.[1] ?? null },
  options: z.strictObject({
    /** Name of the program, or its path. */
    program: z.string().min(1).default(DEFAULTS.wrk.program),
    /** Threads, among which the connections of every level have to be divided without a rest. */
    threads: z.int().min(1).max(MOST_THREADS).default(DEFAULTS.wrk.threads),
  }),
  amounts: ["duration"],
  durations: "whole seconds",
  refuses: ({ request }) => [
    [
      request.method === "HEAD",
      "wrk waits for the body that the answer to a HEAD announces and never has: use another method or engine",
    ],
  ],
  refusesLevel: ({ connections }, { threads }) => [
    [
      connections % threads !== 0,
      `wrk gives each of its threads the same number of connections: expected one that ${threads} threads divide ` +
        `without a rest, got ${connections}; set engines.wrk.threads to one that does`,
    ],
  ],
  cores: ({ threads }) => threads,
  call: ({ url, request, connections, seconds, timeoutSeconds, keepAlive }: AskedRun, { threads }) => ({
    args: [
      ["-t", String(threads)],
      ["-c", String(connections)],
      ["-d", `${seconds}s`],
      ["--timeout", `${timeoutSeconds}s`],
      ["-s", SCRIPT_FILE],
      [url],
    ].flat(),
    files: { [SCRIPT_FILE]: wrkScript(requestBytes(new URL(url), request, keepAlive)) },
    reads: [FIGURES_FILE],
  }),
  read: readWrk,
};

/** Returns bytes as a string literal of Lua: letters and digits as they are, anything else by its number. */
export function quoteLua(bytes: Uint8Array): string {
  // All three digits, so that a digit which follows is not taken for one of them.
  const quoted = [...bytes].map((byte) => {
    const character = String.fromCharCode(byte);
    return /[0-9A-Za-z]/.test(character) ? character : `\\${String(byte).padStart(3, "0")}`;
  });
  return `"${quoted.join("")}"`;
}

/**
 * The script that wrk runs. It sends the given bytes, counts statuses and the bytes of bodies, and in the end writes figures
 * to a file: what wrk prints is rounded, and of statuses it counts only those above 399.
 *
 * The latencies are read from wrk's memory, where they lie as counts by microsecond (`stats.h`): by the functions that it
 * offers this takes minutes when some are long. What is found there has to agree with what wrk says of it, or is left out.
 */
function wrkScript(request: Uint8Array): string {
  return `local threads = {}
local bytes = ${quoteLua(request)}

function setup(thread)
  threads[#threads + 1] = thread
end

function init()
  wrk.format = function() return bytes end
end

statuses = {}
body = 0

function response(status, _, content)
  statuses[status] = (statuses[status] or 0) + 1
  body = body + #content
end

local function histogram(latency)
  local ffi = require("ffi")
  local stats = ffi.cast("uint64_t **", latency)[0]
  local count, limit, min, max = stats[0], stats[1], stats[2], stats[3]
  if count == 0 then return {} end
  if tonumber(min) ~= latency.min or tonumber(max) ~= latency.max or max > limit then return nil end
  local lines, sum = {}, 0
  for us = tonumber(min), tonumber(max) do
    local n = stats[4 + us]
    if n ~= 0 then
      sum = sum + tonumber(n)
      lines[#lines + 1] = string.format("latency %d %d", us, tonumber(n))
    end
  end
  if sum ~= tonumber(count) then return nil end
  return lines
end

function done(summary, latency)
  local file = assert(io.open("${FIGURES_FILE}", "w"))
  local function write(name, value) file:write(string.format("%s %d\\n", name, value)) end
  write("duration", summary.duration)
  write("requests", summary.requests)
  write("bytes", summary.bytes)
  for _, name in ipairs({ "connect", "read", "write", "status", "timeout" }) do
    write(name, summary.errors[name])
  end
  local all, received = {}, 0
  for _, thread in ipairs(threads) do
    for status, n in pairs(thread:get("statuses")) do all[status] = (all[status] or 0) + n end
    received = received + thread:get("body")
  end
  write("body", received)
  for status, n in pairs(all) do file:write(string.format("answers %d %d\\n", status, n)) end
  local told, lines = pcall(histogram, latency)
  if told and lines ~= nil then
    for _, line in ipairs(lines) do file:write(line, "\\n") end
    file:write("latencies told\\n")
  end
  file:write("end\\n")
  file:close()
end
`;
}

/** What the script writes, line by line: time in us, complete answers also late ones, bytes, failures, those above 399 and late, bytes of bodies. */
const FIGURES = ["duration", "requests", "bytes", "connect", "read", "write", "status", "timeout", "body"] as const;

interface WrkOutput extends Readonly<Record<(typeof FIGURES)[number], number>> {
  /** Answers by status; those without any header are missing. */
  readonly statusCodes: Readonly<Record<string, number>>;
  /** Latencies of answers in time in us and how many there are of each, as wrk corrected them; absent where they could not be read. */
  readonly latencies?: ReadonlyMap<number, number>;
}

/** Reads what the script wrote. Throws a `ProgramError` that names the line which is not as expected. */
function parseWrkFigures(text: string): WrkOutput {
  const lines = readLines("wrk (figures)", text);
  const rows = lines.all.slice(0, -1);
  if (lines.all.at(-1)?.text !== "" || rows.at(-1)?.text !== "end") {
    throw lines.error('expected a line "end" at the end, none came');
  }
  const figures = FIGURES.map((name, index) => {
    const row: NumberedLine = rows[index] ?? { text: "", number: index + 1 };
    const [, value] = new RegExp(`^${name} (\\d+)$`).exec(row.text) ?? [];
    if (value === undefined) throw lines.unlike(row, `"${name}" and a number`);
    return [name, Number(value)] as const;
  });
  const statusCodes: Record<string, number> = {};
  const latencies = new Map<number, number>();
  let longestUs = -1;
  let isTold = false;
  for (const row of rows.slice(FIGURES.length, -1)) {
    const [, kind, key = "", count = ""] = /^(answers|latency) (\d+) (\d+)$/.exec(row.text) ?? [];
    if (isTold || (kind === undefined && row.text !== "latencies told")) {
      throw lines.unlike(row, "answers by status, or latencies");
    }
    if (kind === undefined) isTold = true;
    else if (kind === "answers" && !Object.hasOwn(statusCodes, key) && longestUs < 0) statusCodes[key] = Number(count);
    else if (kind === "latency" && Number(key) > longestUs) {
      longestUs = Number(key);
      latencies.set(longestUs, Number(count));
    } else throw lines.unlike(row, "each status once, then latencies in ascending order");
  }
  if (!isTold && longestUs >= 0) throw lines.error('expected "latencies told" after the latencies, none came');
  const told = Object.fromEntries(figures) as Record<(typeof FIGURES)[number], number>;
  return { ...told, statusCodes, ...(isTold ? { latencies } : {}) };
}

const US_PER_MS = 1000;

/**
 * What wrk tells of a run. A connection that is closed or reset, and an answer that is not HTTP, are the same to it
 * (`unclassified`). Requests in flight at the end it does not tell. Its latencies are of all answers in time.
 */
function readWrk({ files, asked }: FinishedProgram): ToldRun {
  const output = parseWrkFigures(files[FIGURES_FILE] ?? "");
  const requests = countRequests(output);
  const measured = measuredLatencies(output, asked.connections);
  const summary = measured === undefined ? undefined : summarize(measured);
  const placed = latencyByStatus(requests, summary?.latency);
  return {
    elapsedMs: output.duration / US_PER_MS,
    requests,
    statusCodes: output.statusCodes,
    errorCodes: {},
    bytes: { received: output.bytes, body: output.body },
    ...placed,
    ...(placed.latency === undefined || summary === undefined ? {} : { histogram: encodeHistogram(summary.histogram) }),
  };
}

/** A late answer counts as timed out, as with other engines; late ones are taken to have had an expected status. */
function countRequests({
  requests: answers,
  timeout: late,
  connect: connectErrors,
  read,
  write,
  status: above399,
  statusCodes,
}: WrkOutput): RequestCounts {
  const countIf = (isMeant: (status: string) => boolean): number =>
    Object.entries(statusCodes).reduce((sum, [status, count]) => sum + (isMeant(status) ? count : 0), 0);
  const known = countIf(() => true);
  const knownAbove = countIf((status) => Number(status) > 399);
  if (known !== answers) {
    throw new ProgramError(
      `wrk tells the status of ${known} of ${answers} answers, because it does not tell that of answers without any header`,
    );
  }
  if (knownAbove !== above399) {
    throw new ProgramError(`wrk tells of ${above399} answers above 399, and of ${knownAbove} by their status`);
  }
  const ok2xx = countIf(expectedStatus("2xx"));
  const timedOut = Math.min(late, ok2xx);
  const unclassified = read + write;
  return {
    sent: answers + connectErrors + unclassified,
    ok: ok2xx - timedOut,
    non2xx: answers - ok2xx,
    connectErrors,
    timedOut,
    unclassified,
  };
}

/** Latencies in microseconds that were measured, and how many there are of each; `undefined` where they are not known. */
function measuredLatencies(
  { requests: answers, timeout: late, duration: durationUs, latencies }: WrkOutput,
  connections: number,
): ReadonlyMap<number, number> | undefined {
  const measured = answers - late;
  if (latencies === undefined || measured === 0) return undefined;
  return uncorrectLatencies(latencies, { durationUs, answers, connections, measured });
}

/**
 * Takes out of wrk's latencies what wrk put in: it adds, for every latency n of at least twice the interval e in which a
 * connection should have had an answer (duration over answers per connection, whole numbers), others of n - e, n - 2e and so on
 * down to e (`stats_correct` of wrk 4). So above e there are as many at n as were measured at n, n + e, n + 2e ..., and the
 * difference to n + e are those that were measured. That correction is for requests sent on a schedule; in a closed loop it
 * counts waiting that nobody did.
 *
 * Returns counts by microsecond, or `undefined` when they are not what such a correction leaves, or not `measured` in all.
 */
export function uncorrectLatencies(
  corrected: ReadonlyMap<number, number>,
  run: Readonly<Record<"durationUs" | "answers" | "connections" | "measured", number>>,
): ReadonlyMap<number, number> | undefined {
  const perConnection = Math.floor(run.answers / run.connections);
  const intervalUs = perConnection === 0 ? Infinity : Math.floor(run.durationUs / perConnection);
  const measured = new Map<number, number>();
  let sum = 0;
  for (const [us, count] of corrected) {
    const own = us > intervalUs ? count - (corrected.get(us + intervalUs) ?? 0) : count;
    if (own < 0) return undefined;
    if (own > 0) measured.set(us, own);
    sum += own;
  }
  return sum === run.measured ? measured : undefined;
}

function summarize(counts: ReadonlyMap<number, number>): {
  readonly latency: CompleteLatency;
  readonly histogram: LatencyHistogram;
} {
  const histogram = createLatencyHistogram();
  let [count, minUs, maxUs, sumUs, sumSquaresUs] = [0, Infinity, 0, 0, 0];
  for (const [us, times] of counts) {
    histogram.recordValueWithCount(Math.max(1, us), times);
    count += times;
    minUs = Math.min(minUs, us);
    maxUs = Math.max(maxUs, us);
    sumUs += us * times;
    sumSquaresUs += us * us * times;
  }
  return { latency: summarizeLatency(histogram, { count, minUs, maxUs, sumUs, sumSquaresUs }), histogram };
}
