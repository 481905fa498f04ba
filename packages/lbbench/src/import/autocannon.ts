import * as z from "zod";
import { latencyByStatus } from "../engines/programs/printed.js";
import type { Doubt, LatencySummary, RequestCounts } from "../model/measurement.js";
import type { ImportedRun, NotInOutput } from "./imported-run.js";
import type { BlockReader } from "./read-blocks.js";
import { checkedLatency, isAscending, printedBytes, settleTiming, toRun, toToldDigits } from "./timing.js";
import { urlOf } from "./wrk.js";

/** Latencies are whole ms, rounded down: from here on they are too low by 10 % at most. */
const SHORTEST_MEAN_MS = 10;
/** By how much the two times that it tells may differ, in ms: one is rounded to 10 ms and taken a moment earlier. */
const TOLERANCE_MS = 50;

const WHOLE_SECONDS: Doubt = { figure: "throughput", because: "whole-seconds" };

/** Reads the tables of autocannon, which tell less than its JSON: of requests how many were sent, from 1,000 on in thousands. */
export function readAutocannonTable(block: BlockReader, told: NotInOutput): ImportedRun | undefined {
  const [seconds, unit = "", ofTime] = block.texts("running") ?? [];
  const [amount, ofAmount] = block.texts("asked") ?? [];
  const [sockets = told.connections, pipelining = 1] = (block.numbers("connections") ?? []).map((one) => one || 1);
  const [sent, elapsed, ...size] = block.texts("summary") ?? [];
  const [errors = 0, timeouts = 0] = (block.texts("errors") ?? []).map((one) => fromThousands(one));
  const [good, non2xx = 0] = block.numbers("statuses") ?? [];
  const perSecond = Number((block.texts("rate")?.[0] ?? "NaN").replaceAll(",", ""));
  const timeMs = elapsed === undefined ? undefined : { value: Number(elapsed) * 1000, resolution: 5 };
  const rate = Number.isNaN(perSecond) ? undefined : { value: perSecond, resolution: 0.5 };
  const sampled = perSecond * (block.number("samples") ?? Number.NaN);
  // Those that were sent have some among them that were under way at the end.
  const count = good !== undefined ? good + non2xx : !Number.isNaN(sampled) ? Math.round(sampled) : fromThousands(sent);
  // The rate of the table is the mean of whole seconds, so that it contradicts nothing.
  const isCounted = !Number.isNaN(count);
  const timing = settleTiming(
    isCounted ? count : undefined,
    timeMs,
    isCounted && timeMs !== undefined ? undefined : rate,
    () => undefined,
  );
  if (timing === undefined) return undefined;
  const { count: answers } = timing;
  const [, p50, , p99, mean, stddev, max] = block.numbers("latency") ?? [];
  const unclassified = Math.max(0, errors - timeouts);
  const requests = { sent: answers + errors, ok: answers - non2xx, non2xx, timedOut: timeouts, unclassified };
  const durationMs = seconds === undefined ? told.durationMs : Number(seconds) * (unit === "m" ? 60_000 : 1000);
  return toRun({
    program: "autocannon",
    url: urlOf(ofTime ?? ofAmount),
    connections: sockets === undefined ? undefined : sockets * pipelining,
    ...(pipelining === 1 ? {} : { sockets }),
    amount: amount === undefined ? { durationMs } : { requests: Number(amount) },
    timing,
    figures: {
      requests,
      bytes: size.length === 0 ? {} : { received: toToldDigits(printedBytes(size, 1000)) },
      ...latencyByStatus(requests, checkedLatency(block, { p50, p99, mean, stddev, max }, SHORTEST_MEAN_MS, "latency")),
    },
    areFailuresTold: block.has("summary"),
    doubts: [...(amount === undefined ? [] : [WHOLE_SECONDS]), ...block.doubts],
  });
}

/** Returns what `12k` stands for; `NaN` for nothing. */
function fromThousands(text = ""): number {
  if (text === "") return Number.NaN;
  return text.endsWith("k") ? Number(text.slice(0, -1)) * 1000 : Number(text);
}

/**
 * Reads the JSON of autocannon. Its latencies are of all answers.
 *
 * @param quote names a part of the JSON in a doubt.
 */
export function readAutocannonJson(
  value: unknown,
  { durationMs }: NotInOutput,
  quote: (part: string) => string,
): ImportedRun | undefined {
  const { data: output } = autocannonSchema.safeParse(value);
  if (output === undefined) return undefined;
  const { connections, pipelining, statusCodeStats, throughput } = output;
  const fromTo = Date.parse(output.finish ?? "") - Date.parse(output.start ?? "");
  const elapsedMs = fromTo >= 0 ? fromTo : output.duration * 1000;
  const isCorrected = hasAddedLatencies(output);
  const { requests, isAllAccounted, isLosing } = countRequests(output);
  // Of a run by time some requests are under way when it ends.
  const isByAmount = isAllAccounted && durationMs === undefined;
  const latency = summarize(output, isCorrected);
  const placed = latencyByStatus(requests, requests.mismatched === 0 ? latency : undefined);
  const statusCodes = Object.fromEntries(
    Object.entries(statusCodeStats).map(([status, { count: of }]) => [status, of]),
  );
  return toRun({
    program: "autocannon",
    url: urlOf([output.url ?? []].flat()[0]),
    connections: connections * pipelining,
    ...(pipelining === 1 ? {} : { sockets: connections }),
    amount: isByAmount
      ? { requests: requests.sent }
      : { durationMs: durationMs ?? Math.max(1, Math.round(output.duration)) * 1000 },
    startedAt: output.start,
    timing: { count: requests.sent, elapsedMs },
    figures: { requests, statusCodes, bytes: { received: throughput.total }, ...placed },
    areFailuresTold: true,
    doubts: [
      ...(isByAmount ? [WHOLE_SECONDS] : []),
      ...(isLosing ? [{ figure: "errors", because: "closed-uncounted" } as const] : []),
      ...(placed.latency !== undefined && isCorrected
        ? [{ figure: "latency", because: "corrected-latencies" } as const]
        : []),
      ...contradictions(output, elapsedMs, latency).map(([figure, part]): Doubt => ({
        figure,
        because: "contradiction",
        lines: quote(part),
      })),
    ],
  });
}

/** What cannot all be true, and which parts of the JSON say it. */
function contradictions(output: AutocannonOutput, elapsedMs: number, latency: LatencySummary | undefined) {
  const { statusCodeStats, non2xx, errors, timeouts, duration, requests } = output;
  const statuses = Object.values(statusCodeStats).reduce((sum, { count }) => sum + count, 0);
  const others = output["1xx"] + output["3xx"] + output["4xx"] + output["5xx"];
  const answers = output["2xx"] + others;
  const checks: readonly (readonly [isSo: boolean, figure: Doubt["figure"], part: string])[] = [
    [non2xx === others, "errors", `"non2xx": ${non2xx}`],
    [statuses === answers, "errors", `"statusCodeStats": ${JSON.stringify(statusCodeStats)}`],
    [requests.total === answers, "throughput", `"requests": {"total": ${requests.total}}`],
    [timeouts <= errors, "errors", `"timeouts": ${timeouts}`],
    [latency === undefined || isAscending(latency), "latency", `"latency": ${JSON.stringify(latency)}`],
    [Math.abs(elapsedMs - duration * 1000) <= TOLERANCE_MS, "throughput", `"duration": ${duration}`],
  ];
  return checks.flatMap(([isSo, figure, part]) => (isSo ? [] : [[figure, part] as const]));
}

/**
 * Requests of which nothing is told are under way, or were on a connection that was closed. Those that cannot all have been under way
 * have failed. With a rate it counts as many as may leave in a second too many in `sent`, so that this cannot be told.
 */
function countRequests(output: AutocannonOutput) {
  const { errors, non2xx, connections, pipelining, latency } = output;
  const timeouts = Math.min(output.timeouts, errors);
  const mismatched = Math.min(output.mismatches, output["2xx"]);
  const told = output["2xx"] + non2xx + errors;
  const rest = Math.max(0, output.requests.sent - told);
  const missing = Math.max(0, rest - connections * pipelining);
  // Where no answer took longer than a millisecond, a rate does not show in the latencies.
  const mayHaveRate = hasAddedLatencies(output) || (output.requests.total > 0 && latency.max <= 1);
  const lost = mayHaveRate ? 0 : missing;
  const requests: RequestCounts = {
    sent: told + lost,
    ok: output["2xx"] - mismatched,
    non2xx,
    mismatched,
    timedOut: timeouts,
    unclassified: errors - timeouts + lost,
  };
  // Whether it is told of every request what became of it, and whether more are missing than can have been under way at the end.
  return { requests, isAllAccounted: rest === 0, isLosing: missing > 0 };
}

/**
 * With a rate, latencies are added to every one above a millisecond (correction for coordinated omission), so that there are more of them
 * than answers. Without errors in the statistics (`-x`) they are those of 2xx alone.
 */
function hasAddedLatencies({ latency: { totalCount }, requests, "2xx": good }: AutocannonOutput): boolean {
  return totalCount !== requests.total && totalCount !== good;
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

const count = z.int().min(0);
const figure = z.number().min(0);
const figures = <Name extends string>(...names: readonly Name[]) =>
  Object.fromEntries(names.map((name) => [name, figure])) as Record<Name, typeof figure>;

/** What autocannon prints with `-j`, as far as it is read. */
const autocannonSchema = z.looseObject({
  url: z.union([z.string(), z.array(z.string())]).optional(),
  connections: z.int().min(1),
  pipelining: z.int().min(1).default(1),
  duration: figure,
  start: z.iso.datetime().optional(),
  finish: z.iso.datetime().optional(),
  errors: count,
  timeouts: count,
  mismatches: count.default(0),
  non2xx: count,
  "1xx": count,
  "2xx": count,
  "3xx": count,
  "4xx": count,
  "5xx": count,
  statusCodeStats: z.record(z.string(), z.looseObject({ count })),
  latency: z.looseObject({
    ...figures("mean", "stddev", "min", "max", "p2_5", "p50", "p75", "p90", "p99", "p99_9"),
    totalCount: count,
  }),
  requests: z.looseObject({ total: count, sent: count }),
  throughput: z.looseObject({ total: figure }),
});

/** What autocannon prints with `-j`. */
type AutocannonOutput = z.infer<typeof autocannonSchema>;
