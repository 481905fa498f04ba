import type { LatencySummary, Phases } from "../../model/measurement.js";
import { closedConnections } from "../../stats/load.js";
import type { FinishedProgram } from "../driven-program/create-program-engine.js";
import { ProgramError } from "../driven-program/program-error.js";
import type { ProgramFigures } from "../driven-program/program-figures.js";
import { countAbRequests } from "./count-requests.js";
import { doubtAbLengths } from "./doubt-lengths.js";
import { PERCENTILES_FILE } from "./order.js";
import { parseAbComplaints } from "./parse-complaints.js";
import { parseAbOutput, type AbOutput } from "./parse-output.js";
import { parseAbPercentiles } from "./parse-percentiles.js";

/** ab rounds to whole ms: from here on by 5 % at most. Below, its figures would say more than it knows. */
const SHORTEST_MEAN_MS = 10;
/** The same of what it prints with one decimal. */
const SHORTEST_STDDEV_MS = 1;

/**
 * What ab tells of a run. Its latencies are of all requests that came to an end, so that they are those of ok ones where all
 * are ok, of failed ones where none is, and otherwise of neither.
 */
export function abFigures({ load, stdout, stderr, files, interrupted }: FinishedProgram): ProgramFigures {
  const output = parseAbOutput(stdout);
  const { complete, elapsedMs, phases } = output;
  checkAmount(output, load, interrupted);
  const percentiles = complete === 0 ? undefined : parseAbPercentiles(files[PERCENTILES_FILE] ?? "", complete);
  const longestMs = percentiles?.at(-1) ?? 0;
  if (longestMs > load.timeoutMs && !interrupted) {
    throw new ProgramError(
      `ab gives up when nothing comes for the timeout, not when one answer takes longer: the slowest took ${Math.ceil(longestMs)} ms, ` +
        `more than the ${load.timeoutMs} ms of --timeout, and counts as answered. Raise --timeout above that, or use another engine`,
    );
  }
  const errorCodes = parseAbComplaints(stderr);
  const requests = countAbRequests(output, errorCodes);
  const doubts = doubtAbLengths(output);
  const isAllOk = requests.ok === requests.sent && doubts.length === 0;
  const isAllSentAndFailed = requests.ok === 0 && requests.sent === complete && requests.connectErrors === 0;
  const latency = percentiles === undefined ? undefined : summarize(percentiles, phases);
  return {
    elapsedMs,
    requests: { ...requests, ...(load.level.requests !== undefined && !interrupted ? { inFlight: 0 } : {}) },
    statusCodes: {},
    errorCodes,
    bytes: {
      received: output.receivedBytes,
      body: output.bodyBytes,
      ...(output.sentBytes === undefined ? {} : { sent: output.sentBytes }),
    },
    ...(latency !== undefined && isAllOk ? { latency } : {}),
    ...(latency !== undefined && isAllSentAndFailed ? { failedLatency: latency } : {}),
    ...(phases !== undefined && isAllOk && carries(phases, load.keepAlive) ? { phases } : {}),
    ...(doubts.length === 0 ? {} : { doubts }),
  };
}

function checkAmount(
  { concurrency, complete, elapsedMs }: AbOutput,
  { level, atEnd }: FinishedProgram["load"],
  interrupted: boolean,
): void {
  if (concurrency !== closedConnections(level)) {
    throw new ProgramError(`ab was asked for ${closedConnections(level)} connections and says it had ${concurrency}`);
  }
  if (interrupted || atEnd === "drain") return;
  const { requests, durationMs = 0 } = level;
  if (requests !== undefined && complete !== requests) {
    throw new ProgramError(`ab was asked for ${requests} requests and says that ${complete} came to an end`);
  }
  if (requests === undefined && elapsedMs < durationMs - 1) {
    throw new ProgramError(
      `ab was asked to send for ${durationMs} ms and had sent as many requests as it can after ${Math.round(elapsedMs)} ms: use a shorter -d`,
    );
  }
}

function summarize(percentiles: readonly number[], phases: Phases | undefined): LatencySummary {
  const at = (percentage: number): number => percentiles[percentage] ?? Number.NaN;
  const { mean = 0, stddev = 0 } = phases?.total ?? {};
  return {
    min: at(0),
    ...(mean >= SHORTEST_MEAN_MS ? { mean } : {}),
    ...(mean >= SHORTEST_MEAN_MS && stddev >= SHORTEST_STDDEV_MS ? { stddev } : {}),
    p50: at(50),
    p66: at(66),
    p75: at(75),
    p80: at(80),
    p90: at(90),
    p95: at(95),
    p98: at(98),
    p99: at(99),
    max: at(100),
  };
}

/** With keep-alive, connecting is 0 but for the first request of each connection. */
function carries({ connect, processing, waiting, total }: Phases, keepAlive: boolean): boolean {
  return [processing, waiting, total, ...(keepAlive ? [] : [connect])].every(({ mean }) => mean >= SHORTEST_MEAN_MS);
}
