import type { LatencySummary } from "../../model/measurement.js";
import { expectedStatus } from "../../stats/expected-status.js";
import { neverHasBody } from "../http-status.js";
import type { FinishedProgram } from "../driven-program/create-program-engine.js";
import { ProgramError } from "../driven-program/program-error.js";
import type { ProgramFigures } from "../driven-program/program-figures.js";
import { classifyHeyError, type HeyFailureCounts } from "./classify-error.js";
import { MOST_LATENCIES, parseHeyOutput, type HeyOutput } from "./parse-output.js";

/** hey rounds to 0.1 ms: from here on by 5 % at most. */
const SHORTEST_TOLD_MS = 1;

/**
 * What hey tells of a run. Its latencies are of all that was answered, so that they are those of ok requests where no answer
 * had an unexpected status, and of failed ones where all had and nothing failed besides.
 *
 * Not told: a request that Go's client repeats by itself because a connection that was kept open turned out to be closed
 * (the server sees one more), and an answer whose body was broken off (it counts as one).
 */
export function heyFigures({ load, stdout, interrupted }: FinishedProgram): ProgramFigures {
  const output = parseHeyOutput(stdout);
  const { elapsedMs, latency } = output;
  if ((latency?.slowestMs ?? 0) >= load.timeoutMs) {
    throw new ProgramError(
      `hey counts an answer that breaks off at the timeout as complete: the slowest took ${latency?.slowestMs} ms, and --timeout is ` +
        `${load.timeoutMs} ms. Raise --timeout, or use another engine`,
    );
  }
  const figures = readHeyFigures(output, load.request.method);
  checkAmount(figures.requests.sent, elapsedMs, load.level, interrupted);
  // It waits for the answers to all that it has sent.
  return { ...figures, requests: { ...figures.requests, inFlight: 0 } };
}

/**
 * What the output of hey says, whatever was asked of it.
 *
 * @param method of the requests; without it nothing is known of bodies, because those of HEAD have a length and are not there.
 */
export function readHeyFigures(output: HeyOutput, method?: string): ProgramFigures {
  const { elapsedMs, statusCodes, latency, errors } = output;
  const isExpected = expectedStatus("2xx");
  const answers = Object.entries(statusCodes);
  const ok = sumOf(answers.filter(([status]) => isExpected(status)));
  const non2xx = sumOf(answers) - ok;
  const { counts, errorCodes } = countErrors(errors);
  const failed = sumOf(Object.entries(counts));
  const sent = ok + non2xx + failed;
  const summary = latency === undefined || ok + non2xx > MOST_LATENCIES ? undefined : summarize(latency);
  return {
    elapsedMs,
    requests: { sent, ok, non2xx, ...counts },
    statusCodes,
    errorCodes,
    bytes: method === undefined ? {} : bodyBytes(output, method),
    ...(summary !== undefined && non2xx === 0 ? { latency: summary } : {}),
    ...(summary !== undefined && ok === 0 && failed === 0 ? { failedLatency: summary } : {}),
  };
}

function checkAmount(
  sent: number,
  elapsedMs: number,
  { requests, durationMs = 0 }: FinishedProgram["load"]["level"],
  interrupted: boolean,
): void {
  if (interrupted) return;
  if (requests !== undefined && sent !== requests) {
    throw new ProgramError(`hey was asked for ${requests} requests and tells of ${sent}`);
  }
  if (requests === undefined && elapsedMs < durationMs - 1) {
    throw new ProgramError(`hey was asked to send for ${durationMs} ms and says it did for ${elapsedMs} ms`);
  }
}

function countErrors(errors: HeyOutput["errors"]): Pick<ProgramFigures, "errorCodes"> & { counts: HeyFailureCounts } {
  const counts = { mismatched: 0, connectErrors: 0, resets: 0, dropped: 0, timedOut: 0, unclassified: 0 };
  const errorCodes: Record<string, number> = {};
  for (const { text, count } of errors) {
    const { failure, code } = classifyHeyError(text);
    counts[failure] += count;
    if (code !== undefined) errorCodes[code] = (errorCodes[code] ?? 0) + count;
  }
  return { counts, errorCodes };
}

/** hey adds up what answers declare; where all have one status they mostly all declare their length, or none does. */
function bodyBytes({ declaredBytes, statusCodes }: HeyOutput, method: string): ProgramFigures["bytes"] {
  const [status, ...others] = Object.keys(statusCodes);
  const isTold =
    declaredBytes !== undefined &&
    status !== undefined &&
    others.length === 0 &&
    method !== "HEAD" &&
    !neverHasBody(Number(status));
  return isTold ? { body: declaredBytes } : {};
}

/** Absent where most answers were too quick for its clock: what it prints as 0 is not 0. */
function summarize({
  fastestMs,
  meanMs,
  slowestMs,
  percentilesMs,
}: NonNullable<HeyOutput["latency"]>): LatencySummary | undefined {
  // Nothing is above the longest, so that it is every percentile that is missing.
  const at = (percentage: number): number => percentilesMs.get(percentage) ?? slowestMs;
  if (at(50) === 0) return undefined;
  return {
    min: fastestMs,
    ...(meanMs >= SHORTEST_TOLD_MS ? { mean: meanMs } : {}),
    p50: at(50),
    p75: at(75),
    p90: at(90),
    p95: at(95),
    p99: at(99),
    max: slowestMs,
  };
}

function sumOf(counts: readonly (readonly [string, number])[]): number {
  return counts.reduce((sum, [, count]) => sum + count, 0);
}
