import type { Measurement, RequestCounts } from "../../model/measurement.js";
import { expectedStatus } from "../../stats/expected-status.js";
import { createLatencyHistogram, encodeHistogram } from "../../stats/histogram.js";
import { summarizeLatency } from "../../stats/latency-summary.js";
import { closedConnections } from "../../stats/load.js";
import type { FinishedProgram } from "../driven-program/create-program-engine.js";
import { ProgramError } from "../driven-program/program-error.js";
import type { ProgramFigures } from "../driven-program/program-figures.js";
import { parseWrkFigures, type WrkOutput } from "./parse-figures.js";
import { FIGURES_FILE } from "./script.js";
import { uncorrectLatencies } from "./uncorrect-latencies.js";

const US_PER_MS = 1000;
/** What wrk's own clock may be behind ours. */
const TOLERANCE_MS = 10;

/**
 * What wrk tells of a run. A connection that is closed or reset, and an answer that is not HTTP, are the same to it
 * (`unclassified`). Requests in flight at the end it does not tell. Its latencies are of all answers in time, so that they are
 * those of ok ones where no answer had an unexpected status, and of failed ones where all had and nothing failed besides.
 */
export function wrkFigures({ load, files, interrupted }: FinishedProgram): ProgramFigures {
  const output = parseWrkFigures(files[FIGURES_FILE] ?? "");
  const { durationUs, statusCodes, receivedBytes, bodyBytes } = output;
  const elapsedMs = durationUs / US_PER_MS;
  const { durationMs = 0 } = load.level;
  if (!interrupted && elapsedMs < durationMs - TOLERANCE_MS) {
    throw new ProgramError(`wrk was asked to send for ${durationMs} ms and says it did for ${elapsedMs} ms`);
  }
  const requests = countRequests(output);
  const latencies = latencyFigures(output, closedConnections(load.level));
  const isAllFailed = requests.ok === 0 && requests.sent === requests.non2xx;
  return {
    elapsedMs,
    requests,
    statusCodes,
    errorCodes: {},
    bytes: { received: receivedBytes, body: bodyBytes },
    ...(latencies !== undefined && requests.non2xx === 0 ? latencies : {}),
    ...(latencies !== undefined && isAllFailed ? { failedLatency: latencies.latency } : {}),
  };
}

/** A late answer counts as timed out, as with other engines; late ones are taken to have had an expected status. */
function countRequests(output: WrkOutput): RequestCounts {
  const { answers, late, connectErrors, readErrors, writeErrors, above399, statusCodes } = output;
  const counted = Object.entries(statusCodes);
  const known = sumOf(counted);
  const knownAbove = sumOf(counted.filter(([status]) => Number(status) > 399));
  if (known === answers && knownAbove !== above399) {
    throw new ProgramError(`wrk tells of ${above399} answers above 399, and of ${knownAbove} by their status`);
  }
  if (known !== answers) {
    throw new ProgramError(
      `wrk tells the status of ${known} of ${answers} answers, because it does not tell that of answers without any header`,
    );
  }
  const isExpected = expectedStatus("2xx");
  const non2xx = sumOf(counted.filter(([status]) => !isExpected(status)));
  const timedOut = Math.min(late, answers - non2xx);
  const unclassified = readErrors + writeErrors;
  return {
    sent: answers + connectErrors + unclassified,
    ok: answers - non2xx - timedOut,
    non2xx,
    connectErrors,
    timedOut,
    unclassified,
  };
}

function latencyFigures(
  { answers, late, durationUs, latencies }: WrkOutput,
  connections: number,
): Required<Pick<Measurement, "latency" | "histogram">> | undefined {
  const measured = answers - late;
  if (latencies === undefined || measured === 0) return undefined;
  const counts = uncorrectLatencies(latencies, { durationUs, answers, connections, measured });
  if (counts === undefined) return undefined;
  const histogram = createLatencyHistogram();
  let [minUs, maxUs, sumUs, sumSquaresUs] = [Infinity, 0, 0, 0];
  for (const [us, count] of counts) {
    histogram.recordValueWithCount(Math.max(1, us), count);
    minUs = Math.min(minUs, us);
    maxUs = Math.max(maxUs, us);
    sumUs += us * count;
    sumSquaresUs += us * us * count;
  }
  return {
    latency: summarizeLatency(histogram, { count: measured, minUs, maxUs, sumUs, sumSquaresUs }),
    histogram: encodeHistogram(histogram),
  };
}

function sumOf(counts: readonly (readonly [string, number])[]): number {
  return counts.reduce((sum, [, count]) => sum + count, 0);
}
