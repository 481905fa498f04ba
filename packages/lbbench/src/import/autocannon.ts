import * as z from "zod";
import { latencyByStatus, layoutOf } from "./printed.js";
import type { Doubt, LatencySummary, RequestCounts } from "../model/measurement.js";
import { readBytes, readFigure, summaryOf, urlOf } from "./figures.js";
import type { NotInOutput, Reader, ReadFigures } from "./imported-run.js";
import { defined } from "../stats/defined.js";

/** Latencies are whole ms, rounded down: from here on they are too low by 10 % at most. */
const SHORTEST_MEAN_MS = 10;

const WHOLE_SECONDS: Doubt = { figure: "throughput", because: "whole-seconds" };

/** autocannon 7 to 9. Its tables tell less than its JSON: of requests how many were sent, from 1,000 on in thousands. */
export const autocannon: Reader = {
  layout: layoutOf(
    ["running", String.raw`Running (?:<T>|<C> requests) test @ (\S+)`],
    ["connections", "<C> connections?(?: with <C> pipelining factor)?"],
    ["", String.raw`\d+ workers`, "may"],
    ["", String.raw`[┌├└].*|Stat .*`, "often"],
    // The tables of `--renderStatusCodes` and `-l`.
    ["", String.raw`Code Count|Percentile Latency \(ms\)|[\d.]+ \d+`, "often"],
    ["latency", `Latency${" <N> ms".repeat(7)}`],
    ["rate", String.raw`Req/Sec(?: [\d.,]+){4} ([\d.,]+) [\d.,]+ [\d.,]+`],
    ["", "Bytes/Sec .*"],
    ["", "Req/Bytes counts sampled .*|request pipeline was reset .*", "often"],
    ["samples", "# of samples: <C>"],
    ["statuses", "<C> 2xx responses, <C> non 2xx responses", "often"],
    ["summary", String.raw`(\d+k?) requests in <N>s, <S> read`],
    ["errors", String.raw`(\d+k?) errors \((\d+k?) timeouts\)`, "may"],
    ["", String.raw`\d+k? requests with mismatched body`, "may"],
  ),
  read: ({ texts, number, has }) => {
    const [value = "", unit = "", amount = "", url] = texts("running");
    const [sockets = 0, pipelining = 1] = texts("connections").map((one) => Number(one) || 1);
    const [sent = "", elapsed, ...size] = texts("summary");
    const [errors = 0, timeouts = 0] = texts("errors").map(fromThousands);
    const [good, non2xx = 0] = texts("statuses").map(Number);
    const perSecond = Number((texts("rate")[0] ?? "").replaceAll(",", ""));
    // The sent ones include some in flight at the end. The rate is the mean of whole seconds.
    const sampled = Math.round(perSecond * (number("samples") ?? 0));
    const answers = has("statuses") ? (good ?? 0) + non2xx : sampled || fromThousands(sent);
    const requests = {
      sent: answers + errors,
      ok: answers - non2xx,
      non2xx,
      timedOut: Math.min(timeouts, errors),
      unclassified: Math.max(0, errors - timeouts),
    };
    const [, p50, , p99, mean = 0, stddev, max] = texts("latency").map(Number);
    const ofMean = mean < SHORTEST_MEAN_MS ? {} : { mean, stddev };
    return {
      url: urlOf(url),
      connections: sockets * pipelining,
      ...defined({ sockets: pipelining === 1 ? undefined : sockets }),
      amount: amount === "" ? { durationMs: readFigure([value, unit]).value } : { requests: Number(amount) },
      figures: {
        elapsedMs: Number(elapsed) * 1000,
        requests,
        bytes: { received: readBytes(size, 1000) },
        ...latencyByStatus(requests, summaryOf({ p50, p99, ...ofMean, max })),
      },
      doubts: amount === "" ? [] : [WHOLE_SECONDS],
    };
  },
  readJson: (value, _command, told) => readOutput(value, told),
};

/** Returns what `12k` stands for. */
function fromThousands(text: string): number {
  return text.endsWith("k") ? Number(text.slice(0, -1)) * 1000 : Number(text);
}

const count = z.int().min(0);
const figure = z.number().min(0);
const figures = <Name extends string>(...names: readonly Name[]) =>
  Object.fromEntries(names.map((name) => [name, figure])) as Record<Name, typeof figure>;

const schema = z.looseObject({
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
  "2xx": count,
  statusCodeStats: z.record(z.string(), z.looseObject({ count })),
  latency: z.looseObject({
    ...figures("mean", "stddev", "min", "max", "p2_5", "p50", "p75", "p90", "p99", "p99_9"),
    totalCount: count,
  }),
  requests: z.looseObject({ total: count, sent: count }),
  throughput: z.looseObject({ total: figure }),
});

/** What autocannon prints with `-j`. Its latencies are of all answers. */
function readOutput(value: unknown, { durationMs }: NotInOutput): ReadFigures | undefined {
  const { data: output } = schema.safeParse(value);
  if (output === undefined) return undefined;
  const { connections, pipelining, statusCodeStats, throughput, duration } = output;
  const fromTo = Date.parse(output.finish ?? "") - Date.parse(output.start ?? "");
  const { requests, isAllAccounted, isLosing } = countRequests(output);
  // Of a run by time some requests are under way when it ends.
  const isByAmount = isAllAccounted && durationMs === undefined;
  const placed = latencyByStatus(requests, requests.mismatched === 0 ? summarize(output) : undefined);
  const isCorrected = placed.latency !== undefined && hasAddedLatencies(output);
  const statuses = Object.entries(statusCodeStats).map(([status, { count: of }]) => [status, of]);
  return {
    url: urlOf([output.url ?? []].flat()[0]),
    connections: connections * pipelining,
    ...defined({ sockets: pipelining === 1 ? undefined : connections }),
    amount: isByAmount
      ? { requests: requests.sent }
      : { durationMs: durationMs ?? Math.max(1, Math.round(duration)) * 1000 },
    startedAt: output.start,
    figures: {
      elapsedMs: fromTo >= 0 ? fromTo : duration * 1000,
      requests,
      statusCodes: Object.fromEntries(statuses),
      bytes: { received: throughput.total },
      ...placed,
    },
    doubts: [
      ...(isByAmount ? [WHOLE_SECONDS] : []),
      ...(isLosing ? [{ figure: "errors", because: "closed-uncounted" } as const] : []),
      ...(isCorrected ? [{ figure: "latency", because: "corrected-latencies" } as const] : []),
    ],
  };
}

type Output = z.infer<typeof schema>;

/**
 * Requests without an outcome are in flight, or were on a closed connection. More than can be in flight have failed. With a rate,
 * `sent` is too high by up to a second's requests, so that this cannot be told.
 */
function countRequests(output: Output) {
  const { errors, non2xx, connections, pipelining, latency } = output;
  const mismatched = Math.min(output.mismatches, output["2xx"]);
  const timedOut = Math.min(output.timeouts, errors);
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
    timedOut,
    unclassified: errors - timedOut + lost,
  };
  // Whether it is told of every request what became of it, and whether more are missing than can have been under way at the end.
  return { requests, isAllAccounted: rest === 0, isLosing: missing > 0 };
}

/**
 * With a rate, latencies are added to every one above a millisecond (correction for coordinated omission), so that there are more of them
 * than answers. Without errors in the statistics (`-x`) they are those of 2xx alone.
 */
function hasAddedLatencies({ latency: { totalCount }, requests, "2xx": good }: Output): boolean {
  return totalCount !== requests.total && totalCount !== good;
}

function summarize(output: Output): LatencySummary | undefined {
  const { totalCount, min, mean, stddev, p2_5: lowest, p50, p75, p90, p99, p99_9: p999, max } = output.latency;
  if (totalCount === 0) return undefined;
  // The smallest is that of those that took a millisecond or longer. Made-up latencies bend the mean.
  const isMeanTold = mean >= SHORTEST_MEAN_MS && !hasAddedLatencies(output);
  return summaryOf({
    min: lowest === 0 ? undefined : min,
    ...(isMeanTold && { mean, stddev }),
    p50,
    p75,
    p90,
    p99,
    p999,
    max,
  });
}
