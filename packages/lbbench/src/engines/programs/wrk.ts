/** wrk: epoll in threads, for a time. A script of ours counts statuses, and writes its figures to the microsecond. */
import * as z from "zod";
import { DEFAULTS } from "../../config/defaults.js";
import type { RequestCounts } from "../../model/measurement.js";
import { expectedStatus } from "../../stats/request-counts.js";
import { encodeHistogram } from "../../stats/histogram.js";
import { summarizeCounts } from "../../stats/latency-summary.js";
import { requestBytes } from "../requests.js";
import type { FinishedProgram, Program, ProgramOptions, ToldFigures } from "./adapter.js";
import { latencyByStatus, ProgramError } from "./printed.js";

const MOST_THREADS = 1024;
const SCRIPT_FILE = "script.lua";
/** The file that the script writes its figures to. */
const FIGURES_FILE = "figures.json";

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
  refuses: ({ request, connections }, { threads }) => [
    request.method === "HEAD" &&
      "wrk waits for the body that the answer to a HEAD announces and never has: use another method or engine",
    connections % threads !== 0 &&
      `wrk gives each of its threads the same number of connections: expected one that ${threads} threads divide ` +
        `without a rest, got ${connections}; set engines.wrk.threads to one that does`,
  ],
  cores: ({ threads }) => threads,
  call: ({ url, request, connections, seconds, timeoutSeconds, keepAlive }, { threads }) => ({
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
 * The script that wrk runs. It sends the given bytes, counts statuses and the bytes of bodies, and in the end writes its
 * figures to a file: what wrk prints is rounded, and of statuses it counts only those above 399.
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
  if count == 0 then return "[]" end
  assert(tonumber(min) == latency.min and tonumber(max) == latency.max and max <= limit)
  local rows, sum = {}, 0
  for us = tonumber(min), tonumber(max) do
    local n = tonumber(stats[4 + us])
    if n ~= 0 then
      sum = sum + n
      rows[#rows + 1] = string.format("[%d,%d]", us, n)
    end
  end
  assert(sum == tonumber(count))
  return "[" .. table.concat(rows, ",") .. "]"
end

function done(summary, latency)
  local errors = summary.errors
  local all, parts, received = {}, {}, 0
  for _, thread in ipairs(threads) do
    for status, n in pairs(thread:get("statuses")) do all[status] = (all[status] or 0) + n end
    received = received + thread:get("body")
  end
  for status, n in pairs(all) do parts[#parts + 1] = string.format('"%d":%d', status, n) end
  local told, latencies = pcall(histogram, latency)
  local file = assert(io.open("${FIGURES_FILE}", "w"))
  file:write(string.format('{"durationUs":%d,"answers":%d,"received":%d,"body":%d,"connect":%d,"read":%d,"write":%d,' ..
    '"late":%d,"statusCodes":{%s},"latencies":%s}', summary.duration, summary.requests, summary.bytes,
    received, errors.connect, errors.read, errors.write, errors.timeout, table.concat(parts, ","),
    told and latencies or "[]"))
  file:close()
end
`;
}

const COUNT = z.int().min(0);

/** What the script writes. */
const FIGURES = z.strictObject({
  durationUs: COUNT,
  /** Complete ones, also late ones. */
  answers: COUNT,
  received: COUNT,
  /** Bytes of bodies. */
  body: COUNT,
  connect: COUNT,
  read: COUNT,
  write: COUNT,
  late: COUNT,
  /** Answers by status; those without any header are missing. */
  statusCodes: z.record(z.string().regex(/^\d+$/), COUNT),
  /** Latencies of answers in time in us and how many there are of each, as wrk corrected them; empty where they could not be read. */
  latencies: z.array(z.tuple([COUNT, COUNT])),
});

type WrkFigures = z.infer<typeof FIGURES>;

function parseFigures(text: string): WrkFigures {
  try {
    return FIGURES.parse(JSON.parse(text));
  } catch (error) {
    const why = error instanceof z.ZodError ? z.prettifyError(error) : String(error);
    throw new ProgramError(`cannot read the figures that the script of wrk wrote: ${why}`, { cause: error });
  }
}

/**
 * What wrk tells of a run. A connection that is closed or reset, and an answer that is not HTTP, are the same to it
 * (`unclassified`). Requests in flight at the end it does not tell. Its latencies are of all answers in time.
 */
function readWrk({ files, asked }: FinishedProgram): ToldFigures {
  const figures = parseFigures(files[FIGURES_FILE] ?? "");
  const { durationUs, answers, late, statusCodes, received, body, latencies } = figures;
  const requests = countRequests(figures);
  const run = { durationUs, answers, connections: asked.connections, measured: answers - late };
  const { histogram, latency } = summarizeCounts(uncorrectLatencies(new Map(latencies), run) ?? []);
  const placed = latencyByStatus(requests, latency);
  return {
    elapsedMs: durationUs / 1000,
    requests,
    statusCodes,
    errorCodes: {},
    bytes: { received, body },
    ...placed,
    ...(placed.latency === undefined ? {} : { histogram: encodeHistogram(histogram) }),
  };
}

/** A late answer counts as timed out, as with other engines; late ones are taken to have had an expected status. */
function countRequests({ answers, late, connect, read, write, statusCodes }: WrkFigures): RequestCounts {
  const countIf = (isMeant: (status: string) => boolean): number =>
    Object.entries(statusCodes).reduce((sum, [status, count]) => sum + (isMeant(status) ? count : 0), 0);
  const known = countIf(() => true);
  if (known !== answers) {
    throw new ProgramError(
      `wrk tells the status of ${known} of ${answers} answers, because it does not tell that of answers without any header`,
    );
  }
  const ok2xx = countIf(expectedStatus("2xx"));
  const timedOut = Math.min(late, ok2xx);
  const unclassified = read + write;
  const sent = answers + connect + unclassified;
  return { sent, ok: ok2xx - timedOut, non2xx: answers - ok2xx, connectErrors: connect, timedOut, unclassified };
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
