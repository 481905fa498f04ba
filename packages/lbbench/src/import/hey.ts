import { classifyHeyError } from "../engines/programs/hey.js";
import { latencyByStatus } from "../engines/programs/printed.js";
import type { LatencySummary } from "../model/measurement.js";
import type { ImportedRun, NotInOutput } from "./imported-run.js";
import type { BlockReader } from "./read-blocks.js";
import { readCommand } from "./read-command.js";
import { checkedLatency, percentilesOf, printed, printedMs, settleTiming, toMs, toRun } from "./timing.js";

/** hey rounds to 0.1 ms: from here on by 5 % at most. */
const SHORTEST_MEAN_MS = 1;
/** Of more answers hey keeps no latency, and divides what it has by the wrong number. */
const MOST_LATENCIES = 1_000_000;
/** What oha says of requests that were under way when its time was over. */
const AT_THE_END = "aborted due to deadline";

/**
 * Reads a block of hey, or of oha, which prints the same lines. Neither says what it asked, nor over how many connections: its command
 * does, or whoever imports it. The latencies are of all that was answered.
 */
export function readHey(block: BlockReader, told: NotInOutput): ImportedRun | undefined {
  const isOha = block.has("of oha") || block.has("of oha too");
  const program = isOha ? "oha" : "hey";
  const command = readCommand(program, block.before);
  const { requests, statusCodes, errorCodes, atTheEnd } = countRequests(block);
  const hasCounts = requests.sent > 0;
  let isWhole = hasCounts && block.has("statuses");
  const timing = settleTiming(
    hasCounts ? requests.sent : undefined,
    printedMs(block.texts("time")),
    // In the rate of oha are also those that were under way at the end.
    atTheEnd > 0 ? undefined : printed(block.texts("rate")?.[0]),
    () => {
      isWhole = false;
      block.check(false, "throughput", "time", "rate", "status 200");
    },
  );
  if (timing === undefined) return undefined;
  const { count: sent, elapsedMs } = timing;
  const counts = hasCounts ? requests : { sent, ok: sent, non2xx: 0 };
  const isAmountTold = command.durationMs !== undefined || command.requests !== undefined;
  // oha has a duration where it says that requests were cut off.
  const ofOha = atTheEnd > 0 ? Math.round(elapsedMs / 1000) * 1000 : undefined;
  const durationMs = (isAmountTold ? command.durationMs : told.durationMs) ?? ofOha;
  return toRun({
    program,
    url: command.url,
    connections: command.connections ?? told.connections,
    amount: durationMs === undefined ? { requests: sent || undefined } : { durationMs },
    ...(durationMs === undefined && !isAmountTold ? { isAmountCounted: true } : {}),
    timing,
    figures: {
      requests: counts,
      statusCodes,
      errorCodes,
      ...latencyByStatus(counts, sent > MOST_LATENCIES && !isOha ? undefined : latencyOf(block)),
    },
    areFailuresTold: isWhole,
    doubts: block.doubts,
  });
}

function countRequests(block: BlockReader) {
  const statusCodes = Object.fromEntries(block.named("status").map(([status = "", count]) => [status, Number(count)]));
  const failures = { mismatched: 0, connectErrors: 0, resets: 0, dropped: 0, timedOut: 0, unclassified: 0 };
  const errorCodes: Record<string, number> = {};
  let atTheEnd = 0;
  for (const { captured } of block.all("error")) {
    const [count, error = ""] = [Number(captured[0]), captured[1]];
    if (error.startsWith(AT_THE_END)) {
      atTheEnd += count;
      continue;
    }
    const { failure, code } = classifyHeyError(error);
    failures[failure] += count;
    if (code !== undefined) errorCodes[code] = (errorCodes[code] ?? 0) + count;
  }
  const answers = sumOf(Object.values(statusCodes));
  const ok = sumOf(Object.entries(statusCodes).flatMap(([status, count]) => (status.startsWith("2") ? [count] : [])));
  const requests = { sent: answers + sumOf(Object.values(failures)), ok, non2xx: answers - ok, ...failures };
  return { requests, statusCodes, errorCodes, atTheEnd };
}

function latencyOf(block: BlockReader): LatencySummary | undefined {
  const [min, mean, max] = ["fastest", "mean", "slowest"].map((key) => printedMs(block.texts(key))?.value);
  const rows = block
    .named("percentile")
    .map(([percentage, ...time]) => [Number(percentage), toMs(time[0], time[1])] as const);
  const all = { min, mean, ...percentilesOf(rows), max };
  return checkedLatency(block, all, SHORTEST_MEAN_MS, "fastest", "mean", "slowest", "percentile 50", "percentile 99");
}

function sumOf(counts: readonly number[]): number {
  return counts.reduce((sum, count) => sum + count, 0);
}
