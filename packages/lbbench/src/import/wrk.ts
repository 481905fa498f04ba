import { latencyByStatus } from "../engines/programs/printed.js";
import type { Doubt, LatencySummary } from "../model/measurement.js";
import type { ImportedRun, NotInOutput } from "./imported-run.js";
import type { BlockReader } from "./read-blocks.js";
import { readCommand } from "./read-command.js";
import {
  checkedLatency,
  gaveUp,
  percentilesOf,
  printed,
  printedBytes,
  printedMs,
  settleTiming,
  toMs,
  toRun,
  toToldDigits,
} from "./timing.js";

/**
 * Reads a block of wrk. To it every status below 400 is good. A connection that is closed or reset, and an answer that is not HTTP,
 * are the same (`unclassified`). Its latencies are of all answers in time.
 */
export function readWrk(block: BlockReader, told: NotInOutput): ImportedRun | undefined {
  const command = readCommand("wrk", block.before);
  const summary = block.texts("summary") ?? [];
  const asked = printedMs(block.texts("running"));
  const timing = settleTiming(
    block.number("summary"),
    printedMs(summary.slice(1)) ?? (asked === undefined ? undefined : { ...asked, resolution: 500 }),
    printed(block.texts("rate")?.[0]),
    () => block.check(false, "throughput", "summary", "rate"),
  );
  const [threads = 1, ofThreads] = block.numbers("threads") ?? [];
  const connections = ofThreads ?? command.connections ?? told.connections;
  const perThread = Math.floor((connections ?? 0) / threads);
  const common = {
    program: "wrk",
    url: urlOf(block.texts("running")?.[2] ?? command.url),
    connections,
    // It rounds down the connections of its threads.
    ...(perThread * threads === (connections ?? 0) ? {} : { opened: perThread * threads }),
  };
  if (timing === undefined) return gaveUp(block, { ...common, amount: {} });
  const { count: answers, elapsedMs } = timing;
  const read = printedBytes(summary.slice(3));
  checkTransfer(block, read, elapsedMs);
  const { requests, late } = countRequests(block, answers);
  const latency = answers > late ? latencyOf(block) : undefined;
  const doubts = doubtsOf(answers, connections ?? Number.NaN, elapsedMs, latency);
  // What was added bends the mean so far that it contradicts the throughput.
  const { mean: _, stddev: _also, ...others } = latency ?? {};
  const placed = latencyByStatus(requests, latency === undefined || doubts.length === 0 ? latency : others);
  // Minutes and hours are rounded, and a header may be missing.
  const isExact = asked !== undefined && block.texts("running")?.[1] === "s";
  const rounded = Math.round(elapsedMs / 1000) * 1000 || undefined;
  return toRun({
    ...common,
    amount: { durationMs: isExact ? asked.value : (command.durationMs ?? told.durationMs ?? rounded) },
    timing,
    figures: { requests, bytes: summary.length === 0 ? {} : { received: toToldDigits(read) }, ...placed },
    // Failures stand between these two lines.
    areFailuresTold: block.has("errors") || block.has("non2xx") || (block.has("summary") && block.has("rate")),
    doubts: [...(placed.latency === undefined ? [] : doubts), ...block.doubts],
  });
}

/** A late answer counts as timed out, as with other engines; late ones are taken to have had a good status. */
function countRequests(block: BlockReader, answers: number) {
  const [connectErrors = 0, readErrors = 0, writeErrors = 0, late = 0] = block.numbers("errors") ?? [];
  const bad = block.number("non2xx") ?? 0;
  block.check(bad <= answers, "errors", "summary", "non2xx");
  const non2xx = Math.min(bad, answers);
  const timedOut = Math.min(late, answers - non2xx);
  const unclassified = readErrors + writeErrors;
  const ok = answers - non2xx - timedOut;
  return {
    late,
    requests: { sent: answers + connectErrors + unclassified, ok, non2xx, connectErrors, timedOut, unclassified },
  };
}

function checkTransfer(block: BlockReader, read: ReturnType<typeof printedBytes>, elapsedMs: number): void {
  const texts = block.texts("transfer");
  if (texts === undefined || !block.has("summary") || elapsedMs === 0) return;
  const perSecond = printedBytes(texts);
  const expected = (read.value / elapsedMs) * 1000;
  // The time is exact to half a percent at least.
  const uncertain = perSecond.resolution + (read.resolution / elapsedMs) * 1000 + expected * 0.01;
  block.check(Math.abs(perSecond.value - expected) <= uncertain, "other", "summary", "transfer");
}

function latencyOf(block: BlockReader): LatencySummary | undefined {
  const texts = block.texts("latency") ?? [];
  const [mean, stddev, max] = [0, 2, 4].map((at) => toMs(texts[at], texts[at + 1]));
  const percentiles = percentilesOf(
    block.named("percentile").map(([percentage, ...time]) => [Number(percentage), toMs(...(time as [string, string]))]),
  );
  return checkedLatency(block, { mean, stddev, ...percentiles, max }, 0, "latency", "percentile 50", "percentile 99");
}

/**
 * wrk adds to every latency of more than twice the mean time between the answers of a connection those that it takes to have been
 * missed (`stats_correct`). Where none was that long, it has added nothing.
 */
function doubtsOf(
  answers: number,
  connections: number,
  elapsedMs: number,
  latency: LatencySummary | undefined,
): readonly Doubt[] {
  const rounds = Math.floor(answers / connections);
  // It may have, where nothing tells the connections.
  const isShort = (latency?.max ?? 0) < 2 * (rounds === 0 ? Infinity : elapsedMs / rounds);
  return latency === undefined || isShort ? [] : [{ figure: "latency", because: "made-up-latencies" }];
}

/** A URL as it is kept; `undefined` for text that is none. */
export function urlOf(text: string | undefined): string | undefined {
  return text !== undefined && URL.canParse(text) ? new URL(text).href : undefined;
}
