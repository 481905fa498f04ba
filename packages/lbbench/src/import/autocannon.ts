import * as z from "zod";
import { validate } from "../config/validate.js";
import type { Doubt, LatencySummary, RequestCounts } from "../model/measurement.js";
import { ImportError, placeOf, type Block, type ImportedRun, type NotInOutput } from "./imported-run.js";
import { countOf } from "../stats/count-of.js";

/** Latencies are whole ms, rounded down: from here on they are too low by 10 % at most. */
const SHORTEST_MEAN_MS = 10;
/** By how much the two times that it tells may differ, in ms: one is rounded to 10 ms and taken a moment earlier. */
const TOLERANCE_MS = 50;

/**
 * Reads the JSON of autocannon. Its latencies are of all answers, so that they are those of ok ones where no answer had another
 * status than 2xx, and of failed ones where all had.
 */
export function readAutocannon(value: unknown, block: Block, file: string, { durationMs }: NotInOutput): ImportedRun {
  const place = placeOf(file, block);
  const output = validate(autocannonSchema, value, `${place}: autocannon`);
  check(output, place);
  const elapsedMs = Date.parse(output.finish) - Date.parse(output.start);
  const { connections, pipelining, statusCodeStats, throughput } = output;
  const url = [output.url ?? []].flat()[0];
  if (url !== undefined && !URL.canParse(url))
    throw new ImportError(`${place}: autocannon: expected a URL, got ${JSON.stringify(url)}`);
  const isCorrected = hasAddedLatencies(output);
  const { requests, isAllAccounted, isLosing } = countRequests(output);
  // Of a run by time some requests are under way when it ends.
  const isByAmount = isAllAccounted && durationMs === undefined;
  const latency = summarize(output, isCorrected);
  const isLatencyOfOk = latency !== undefined && requests.non2xx === 0 && requests.mismatched === 0;
  const isAllFailed = requests.ok === 0 && requests.sent === requests.non2xx;
  const users = connections * pipelining;
  return {
    program: "autocannon",
    version: null,
    ...(url === undefined ? {} : { url: new URL(url).href }),
    connections: users,
    ...(pipelining === 1 ? {} : { sockets: connections }),
    amount: isByAmount
      ? { requests: requests.sent }
      : { durationMs: durationMs ?? Math.max(1, Math.round(output.duration)) * 1000 },
    keepAlive: null,
    startedAt: output.start,
    figures: {
      elapsedMs,
      requests,
      statusCodes: Object.fromEntries(Object.entries(statusCodeStats).map(([status, { count }]) => [status, count])),
      errorCodes: {},
      bytes: { received: throughput.total },
      ...(isLatencyOfOk ? { latency } : {}),
      ...(latency !== undefined && isAllFailed ? { failedLatency: latency } : {}),
    },
    doubts: [
      ...doubtsOf(isByAmount, isLosing),
      ...(isLatencyOfOk && isCorrected ? [{ figure: "latency", because: "corrected-latencies" } as const] : []),
    ],
    output: block.lines.join("\n"),
  };
}

function doubtsOf(isByAmount: boolean, isLosing: boolean): readonly Doubt[] {
  return [
    ...(isByAmount ? [{ figure: "throughput", because: "whole-seconds" } as const] : []),
    ...(isLosing ? [{ figure: "errors", because: "closed-uncounted" } as const] : []),
  ];
}

interface Counted {
  readonly requests: RequestCounts;
  /** Whether it is told of every request that was sent what became of it. */
  readonly isAllAccounted: boolean;
  /** Whether more requests are missing than can have been under way at the end. */
  readonly isLosing: boolean;
}

/**
 * Requests of which nothing is told are under way, or were on a connection that was closed. Those that cannot all have been under way
 * have failed. With a rate it counts as many as may leave in a second too many in `sent`, so that this cannot be told.
 */
function countRequests(output: AutocannonOutput): Counted {
  const { errors, timeouts, non2xx, connections, pipelining } = output;
  const mismatched = Math.min(output.mismatches, output["2xx"]);
  const told = output["2xx"] + non2xx + errors;
  const rest = Math.max(0, output.requests.sent - told);
  const missing = Math.max(0, rest - connections * pipelining);
  const lost = mayHaveRate(output) ? 0 : missing;
  return {
    requests: {
      sent: told + lost,
      ok: output["2xx"] - mismatched,
      non2xx,
      mismatched,
      timedOut: timeouts,
      unclassified: errors - timeouts + lost,
    },
    isAllAccounted: rest === 0,
    isLosing: missing > 0,
  };
}

/**
 * With a rate, latencies are added to every one above a millisecond (correction for coordinated omission), so that there are more of them
 * than answers. Without errors in the statistics (`-x`) they are those of 2xx alone.
 */
function hasAddedLatencies({ latency: { totalCount }, requests, "2xx": good }: AutocannonOutput): boolean {
  return totalCount !== requests.total && totalCount !== good;
}

/** Where no answer took longer than a millisecond, a rate does not show in the latencies. */
function mayHaveRate(output: AutocannonOutput): boolean {
  const { latency, requests } = output;
  return hasAddedLatencies(output) || (requests.total > 0 && latency.max <= 1);
}

/** @param isCorrected whether there are latencies among them that nobody measured, which bend the mean. */
function summarize({ latency }: AutocannonOutput, isCorrected: boolean): LatencySummary | undefined {
  const { totalCount, min, mean, stddev, p2_5: lowest, p50, p75, p90, p99, p99_9: p999, max } = latency;
  // What is told as 0 took less than a millisecond, and is not told.
  if (totalCount === 0 || p50 === 0) return undefined;
  // The smallest is that of those that took a millisecond or longer.
  const told = lowest === 0 ? {} : { min };
  const isMeanTold = mean >= SHORTEST_MEAN_MS && !isCorrected;
  return { ...told, ...(isMeanTold ? { mean, stddev } : {}), p50, p75, p90, p99, p999, max };
}

function check(output: AutocannonOutput, place: string): void {
  const fail = (problem: string): never => {
    throw new ImportError(`${place}: autocannon: ${problem}`);
  };
  const { latency, statusCodeStats, non2xx, errors, timeouts, duration, requests } = output;
  const statuses = Object.values(statusCodeStats).reduce((sum, { count }) => sum + count, 0);
  const others = output["1xx"] + output["3xx"] + output["4xx"] + output["5xx"];
  const answers = output["2xx"] + others;
  if (non2xx !== others) fail(`it tells of ${countOf(non2xx, "answer")} without 2xx, and of ${others} by their status`);
  if (statuses !== answers) fail(`it tells of ${countOf(answers, "answer")}, and of ${statuses} by their status`);
  if (requests.total !== answers)
    fail(`it tells of ${countOf(answers, "answer")}, and of ${countOf(requests.total, "request")} answered`);
  if (timeouts > errors) fail(`of ${countOf(errors, "error")} it says that ${timeouts} were timeouts`);
  const { p2_5, p50, p75, p90, p99, p99_9: p999, mean, max } = latency;
  const figures = [p2_5, p50, p75, p90, p99, p999, max];
  if (mean > max || figures.some((ms, index) => ms < (figures[index - 1] ?? 0)))
    fail("its latencies are not in ascending order");
  const elapsedMs = Date.parse(output.finish) - Date.parse(output.start);
  if (Math.abs(elapsedMs - duration * 1000) > TOLERANCE_MS) {
    fail(`from start to finish it took ${elapsedMs} ms, and ${duration} s as it says`);
  }
}

const count = z.int().min(0);
const figure = z.number().min(0);

/** What autocannon prints with `-j`, as far as it is read. */
const autocannonSchema = z.looseObject({
  url: z.union([z.string(), z.array(z.string()).length(1)]).optional(),
  connections: z.int().min(1),
  pipelining: z.int().min(1),
  duration: figure,
  start: z.iso.datetime(),
  finish: z.iso.datetime(),
  errors: count,
  timeouts: count,
  mismatches: count,
  non2xx: count,
  "1xx": count,
  "2xx": count,
  "3xx": count,
  "4xx": count,
  "5xx": count,
  statusCodeStats: z.record(z.string(), z.looseObject({ count })),
  latency: z.looseObject({
    mean: figure,
    stddev: figure,
    min: figure,
    max: figure,
    p2_5: figure,
    p50: figure,
    p75: figure,
    p90: figure,
    p99: figure,
    p99_9: figure,
    totalCount: count,
  }),
  requests: z.looseObject({ total: count, sent: count }),
  throughput: z.looseObject({ total: figure }),
});

/** What autocannon prints with `-j`. */
type AutocannonOutput = z.infer<typeof autocannonSchema>;
