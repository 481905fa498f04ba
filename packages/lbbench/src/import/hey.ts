import * as z from "zod";
import { latencyByStatus, layoutOf, ProgramError, systemErrorOf, type Printed } from "./printed.js";
import { exactTime, percentilesOf, readFigure, summaryOf, type Figure } from "./figures.js";
import type { NotInOutput, Reader, ReadFigures } from "./imported-run.js";
import type { ToldCommand } from "./read-command.js";
import type { LatencySummary } from "../model/measurement.js";
import { defined } from "../stats/defined.js";
import { sum } from "../stats/descriptive.js";

/** hey rounds to 0.1 ms: from here on by 5 % at most. */
const SHORTEST_MEAN_MS = 1;
/** Of more answers hey keeps no latency, and divides what it has by the wrong number. */
const MOST_LATENCIES = 1_000_000;
/** What oha says of requests that were under way when its time was over. */
const AT_THE_END = "aborted due to deadline";

const HEAD = [
  ["time", "Total: <T>"],
  ["slowest", "Slowest: <T>"],
  ["fastest", "Fastest: <T>"],
  ["mean", "Average: <T>"],
  ["rate", "Requests/sec: <N>"],
  ["", "Total data: <S>", "may"],
  ["", String.raw`Size/request: (?:<S>|NaN)`, "may"],
  ["", "Size/sec: <S>", "may"],
  ["", "Response time histogram:", "may"],
  ["", String.raw`(?:[\d.]+|NaN)(?: \w+)? \[\d+\].*`, "often"],
] as const;
const TAIL = [
  ["", String.raw`Details \(average, fastest, slowest\):?.*`, "may"],
  ["", String.raw`(?:DNS\+dialup|DNS-lookup|req write|resp wait|resp read): .*`, "often"],
  ["statuses", "Status code distribution:"],
  ["status", String.raw`\[(\d{3})\] <C> responses`, "often"],
  ["", "Error distribution:", "may"],
  ["error", String.raw`\[(\d+)\] (\D.*)`, "often"],
] as const;

/** hey. Neither it nor oha say what they asked, nor over how many connections. The latencies are of all that was answered. */
export const hey: Reader = {
  layout: layoutOf(
    ["", "Summary:"],
    ...HEAD,
    ["", "Latency distribution:", "may"],
    // Some builds print the sign twice.
    ["percentile", "<C>%%? in <T>", "often"],
    ...TAIL,
  ),
  read: (printed, command, told) => readText("hey", printed, command, told),
};

/**
 * oha 0.5 to 1.16, which has the lines of hey, a success rate, other units, and two digits after each percentage. Before 0.5.9 the rate is a
 * part of 1, and the table of percentiles has the head of hey. With
 * `--stats-success-breakdown` percentiles of all answers, then of those with 2xx, then of those with 4xx and 5xx.
 */
export const oha: Reader = {
  layout: layoutOf(
    ["", "Summary:"],
    ["", "Success rate: <N>%?"],
    ...HEAD,
    ["", "(?:Response time|Latency) distribution:", "may"],
    ["percentile", "<N>% in <T>", "often"],
    ["", String.raw`Response time histogram \(2xx only\):`, "may"],
    ["breakdown", String.raw`Response time distribution \(2xx only\):`, "may"],
    ["", String.raw`Response time histogram \(4xx \+ 5xx only\):`, "then"],
    ["", String.raw`Response time distribution \(4xx \+ 5xx only\):`, "then"],
    ...TAIL,
  ),
  read: (printed, command, told) => readText("oha", printed, command, told),
  readJson: (value, command, told) => {
    const { data } = ohaSchema.safeParse(value);
    return data && toRun("oha", command, told, toldInJson(data));
  },
};

function readText(program: "hey" | "oha", printed: Printed, command: ToldCommand, told: NotInOutput): ReadFigures {
  const { all, texts, has } = printed;
  const counts = (key: string): [string, number][] => all(key).map(([name = "", count]) => [name, Number(count)]);
  const errors = all("error").map(([count, error = ""]) => [error, Number(count)] as const);
  const [total, rate] = ["time", "rate"].map((key) => readFigure(texts(key))) as [Figure, Figure];
  const [min, mean, max] = ["fastest", "mean", "slowest"].map((key) => readFigure(texts(key)).value);
  const rows = all("percentile").map(([percentage = "", ...time]) => [percentage, readFigure(time).value] as const);
  // Percentages rise within a table, so that one that falls begins the next.
  const [second, third] = rows.flatMap(([share], at) => (Number(share) <= Number(rows[at - 1]?.[0]) ? [at] : []));
  return toRun(program, command, told, {
    statusCodes: Object.fromEntries(counts("status")),
    errors,
    timeOf: (sent, isCutOff) => (isCutOff ? total.value : exactTime(program, sent, total, rate)),
    // What is a zero in all digits is not told.
    latency: {
      min,
      mean: (mean ?? 0) < SHORTEST_MEAN_MS ? undefined : mean,
      ...percentilesOf(rows.slice(0, second)),
      max,
    },
    okLatency: has("breakdown") ? percentilesOf(rows.slice(second, third)) : undefined,
  });
}

const seconds = z.number().nullable();
const ohaSchema = z.looseObject({
  summary: z.looseObject({ total: z.number().positive(), slowest: seconds, fastest: seconds, average: seconds }),
  latencyPercentiles: z.record(z.string(), seconds),
  latencyPercentilesSuccessful: z.record(z.string(), seconds).optional(),
  statusCodeDistribution: z.record(z.string(), z.int().min(0)),
  errorDistribution: z.record(z.string(), z.int().min(0)),
});

/** What oha prints with `--output-format json`, or `-j` before 1.5; times are in seconds. */
function toldInJson(data: z.infer<typeof ohaSchema>): Told {
  const { total, fastest, average, slowest } = data.summary;
  const inMs = (time: number | null): number => (time === null ? Number.NaN : time * 1000);
  const readPercentiles = (percentiles: Readonly<Record<string, number | null>>): LatencySummary =>
    percentilesOf(Object.entries(percentiles).map(([key, time]) => [key.slice(1), inMs(time)]));
  const { latencyPercentiles: ofAll, latencyPercentilesSuccessful: ofOk } = data;
  return {
    statusCodes: data.statusCodeDistribution,
    errors: Object.entries(data.errorDistribution),
    timeOf: () => total * 1000,
    latency: { min: inMs(fastest), mean: inMs(average), ...readPercentiles(ofAll), max: inMs(slowest) },
    okLatency: ofOk && readPercentiles(ofOk),
  };
}

interface Told {
  readonly statusCodes: Readonly<Record<string, number>>;
  readonly errors: readonly (readonly [error: string, count: number])[];
  /** @param isCutOff whether some were under way at the end, which the rate has among the others. */
  readonly timeOf: (sent: number, isCutOff: boolean) => number;
  readonly latency: Parameters<typeof summaryOf>[0];
  /** That of 2xx alone, where it is told beside the others. */
  readonly okLatency?: LatencySummary | undefined;
}

function toRun(program: "hey" | "oha", command: ToldCommand, told: NotInOutput, run: Told): ReadFigures {
  const failures = { mismatched: 0, connectErrors: 0, resets: 0, dropped: 0, timedOut: 0, unclassified: 0 };
  const errorCodes: Record<string, number> = {};
  const cutOff = run.errors.filter(([error]) => AT_THE_END.startsWith(error));
  for (const [error, count] of run.errors.filter((one) => !cutOff.includes(one))) {
    const { failure, code } = classifyError(error);
    failures[failure] += count;
    if (code !== undefined) errorCodes[code] = (errorCodes[code] ?? 0) + count;
  }
  const answers = sum(Object.values(run.statusCodes));
  const good = Object.entries(run.statusCodes).filter(([status]) => status.startsWith("2"));
  const ok = sum(good.map(([, count]) => count));
  const sent = answers + sum(Object.values(failures));
  if (sent === 0 && cutOff.length === 0) throw new ProgramError(`${program} tells of no answer, and of no error`);
  const requests = { sent, ok, non2xx: answers - ok, ...failures };
  const elapsedMs = run.timeOf(sent, cutOff.length > 0);
  const isToldBy = command.durationMs !== undefined || command.requests !== undefined;
  // oha has a duration where it says that requests were cut off.
  const ofOha = cutOff.length > 0 ? Math.round(elapsedMs / 1000) * 1000 : undefined;
  const durationMs = (isToldBy ? command.durationMs : told.durationMs) ?? ofOha;
  const hasLatency = answers > 0 && (program === "oha" || sent <= MOST_LATENCIES);
  return {
    url: command.url,
    connections: command.connections ?? told.connections,
    amount: durationMs === undefined ? { requests: sent } : { durationMs },
    ...defined({ isAmountCounted: durationMs === undefined && !isToldBy ? true : undefined }),
    figures: {
      elapsedMs,
      requests,
      statusCodes: run.statusCodes,
      errorCodes,
      ...latencyByStatus(requests, hasLatency ? summaryOf(run.latency) : undefined),
      ...defined({ latency: ok > 0 && run.okLatency !== undefined ? run.okLatency : undefined }),
    },
  };
}

type Failure = "mismatched" | "connectErrors" | "resets" | "dropped" | "timedOut" | "unclassified";

/** How a request failed, by the first pattern that its message has. */
const FAILURES: readonly (readonly [pattern: RegExp, failure: Failure])[] = [
  [/Client\.Timeout|context deadline exceeded|^timeout$/, "timedOut"],
  [/^(?:dial |proxyconnect |lookup )|Connection refused/, "connectErrors"],
  [/connection reset by peer|broken pipe/i, "resets"],
  [/malformed HTTP|malformed MIME header/, "mismatched"],
  [/\bEOF$|server closed idle connection|connection closed before message completed/, "dropped"],
];

/** Tells how a request failed from the error of Go's client: `Get "http://...": read tcp ...: connection reset by peer`; or of Rust's. */
export function classifyError(text: string): { readonly failure: Failure; readonly code?: string } {
  // The URL may hold any words, which are none of the error.
  const message = text.replace(/^\w+ "(?:[^"\\]|\\.)*": /, "");
  const failure = FAILURES.find(([pattern]) => pattern.test(message))?.[1] ?? "unclassified";
  const code = systemErrorOf(message);
  return code === undefined || failure === "timedOut" ? { failure } : { failure, code };
}
