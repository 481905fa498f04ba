import { latencyByStatus } from "../../engines/programs/printed.js";
import type { Doubt, LatencySummary, RequestCounts } from "../../model/measurement.js";
import { textInPlace, type Block } from "../block.js";
import type { ImportedRun } from "../imported-run.js";
import { parseWrkText, type WrkText } from "./parse-wrk-text.js";

/**
 * Reads a block of wrk. To it every status below 400 is good. A connection that is closed or reset, and an answer that is not HTTP,
 * are the same (`unclassified`). Its latencies are of all answers in time, so that they are those of ok ones where no answer had a bad
 * status, and of failed ones where all had.
 */
export function readWrk(block: Block): ImportedRun {
  const output = parseWrkText(textInPlace(block));
  const { url, threads, connections, elapsedMs, receivedBytes, latency } = output;
  const requests = countRequests(output);
  const perThread = Math.floor(connections / threads);
  const doubts = doubtsOf(output);
  const told = latency === undefined || doubts.length === 0 ? latency : withoutMean(latency);
  return {
    program: "wrk",
    version: null,
    url,
    connections,
    // It rounds down the connections of its threads.
    ...(connections % threads === 0 ? {} : { opened: perThread * threads }),
    amount: { durationMs: output.durationMs },
    keepAlive: null,
    figures: {
      elapsedMs,
      requests,
      statusCodes: {},
      errorCodes: {},
      bytes: { received: receivedBytes },
      ...latencyByStatus(requests, told),
    },
    doubts: told !== undefined && requests.non2xx === 0 ? doubts : [],
    output: block.lines.join("\n"),
  };
}

/** A late answer counts as timed out, as with other engines; late ones are taken to have had a good status. */
function countRequests({ answers, bad, late, connectErrors, readErrors, writeErrors }: WrkText): RequestCounts {
  const timedOut = Math.min(late, answers - bad);
  const unclassified = readErrors + writeErrors;
  return {
    sent: answers + connectErrors + unclassified,
    ok: answers - bad - timedOut,
    non2xx: bad,
    connectErrors,
    timedOut,
    unclassified,
  };
}

/**
 * wrk adds to every latency of more than twice the mean time between the answers of a connection those that it takes to have been
 * missed (`stats_correct`). Where none was that long, it has added nothing.
 */
function doubtsOf({ answers, connections, elapsedMs, latency }: WrkText): readonly Doubt[] {
  const rounds = Math.floor(answers / connections);
  const expectedMs = rounds === 0 ? Infinity : elapsedMs / rounds;
  return (latency?.max ?? 0) >= 2 * expectedMs ? [{ figure: "latency", because: "made-up-latencies" }] : [];
}

/** What was added bends the mean so far that it contradicts the throughput. */
function withoutMean(latency: LatencySummary): LatencySummary {
  const { mean: _, stddev: _also, ...others } = latency;
  return others;
}
