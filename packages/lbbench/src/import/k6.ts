import * as z from "zod";
import { validate } from "../config/validate.js";
import type { Doubt, LatencySummary } from "../model/measurement.js";
import { ImportError, placeOf, type Block, type ImportedRun, type NotInOutput } from "./imported-run.js";
import { countOf } from "../stats/count-of.js";

/** A virtual user that sends one request at a time cannot have more of them under way; beyond this it is more than rounding. */
const SEVERAL_AT_A_TIME = 1.05;
/** Part of the most users that there have to be all the time. */
const STEADY = 0.9;

/**
 * Reads a summary of k6. Its virtual users are the connections: each sends its next request when the last is answered. Requests with
 * a status from 200 to 399 are good to it unless the script says otherwise, and how others failed it does not tell.
 */
export function readK6(
  value: Readonly<Record<string, unknown>>,
  block: Block,
  file: string,
  told: NotInOutput,
): ImportedRun & { readonly thresholds: readonly string[] } {
  const place = `${placeOf(file, block)}: k6`;
  const summary = normalizeK6(value, place);
  const { sent, failed } = countRequests(summary, place);
  const elapsedMs = summary.durationMs ?? (sent / figure(summary, "http_reqs", "rate", place)) * 1000;
  const vus = summary.metrics.get("vus");
  const toldUsers = vus?.["max"] ?? summary.metrics.get("vus_max")?.["max"];
  const underWay = requestsUnderWay(summary, elapsedMs, sent);
  const isCrowded = toldUsers !== undefined && underWay > toldUsers * SEVERAL_AT_A_TIME;
  const users = isCrowded ? (told.connections ?? toldUsers) : (toldUsers ?? told.connections);
  if (users === undefined || users < 1) {
    throw new ImportError(
      `${place}: a run that is this short does not tell its virtual users: say how many there were with --connections N`,
    );
  }
  const latency = latencyOf(summary, failed, place);
  checkUsers(underWay, users, place);
  const isSteady = (vus?.["min"] ?? users) >= (vus?.["max"] ?? users) * STEADY;
  const doubts: readonly Doubt[] = isSteady
    ? []
    : (["throughput", "latency"] as const).map((name) => ({ figure: name, because: "varying-load" }));
  const received = summary.metrics.get("data_received")?.["count"];
  return {
    program: "k6",
    version: summary.version,
    connections: users,
    amount: amountOf(elapsedMs, sent, told),
    keepAlive: null,
    figures: {
      elapsedMs,
      requests: { sent, ok: sent - failed, non2xx: 0, unclassified: failed },
      statusCodes: {},
      errorCodes: {},
      bytes: received === undefined ? {} : { received },
      ...(latency === undefined ? {} : { latency }),
    },
    doubts,
    output: block.lines.join("\n"),
    thresholds: summary.thresholds,
  };
}

function countRequests(summary: K6Summary, place: string): { readonly sent: number; readonly failed: number } {
  const sent = figure(summary, "http_reqs", "count", place);
  const failed = figure(summary, "http_req_failed", "passes", place);
  const good = figure(summary, "http_req_failed", "fails", place);
  if (!Number.isInteger(sent) || sent < 1 || failed + good !== sent) {
    throw new ImportError(
      `${place}: it tells of ${countOf(sent, "request")}, of which ${failed} failed and ${good} did not`,
    );
  }
  return { sent, failed };
}

/** A run that lasted about a second or longer is one by time, unless it is said how long it was to last. */
function amountOf(elapsedMs: number, sent: number, { durationMs }: NotInOutput): ImportedRun["amount"] {
  if (durationMs !== undefined) return { durationMs };
  const seconds = Math.round(elapsedMs / 1000);
  return seconds === 0 ? { requests: sent } : { durationMs: seconds * 1000 };
}

const KEYS = [
  ["min", "min"],
  ["avg", "mean"],
  ["med", "p50"],
  ["p(50)", "p50"],
  ["p(66)", "p66"],
  ["p(75)", "p75"],
  ["p(80)", "p80"],
  ["p(90)", "p90"],
  ["p(95)", "p95"],
  ["p(98)", "p98"],
  ["p(99)", "p99"],
  ["p(99.9)", "p999"],
  ["max", "max"],
] as const;

/** Of requests that did not fail, from being sent to the last byte: connecting is no part of it. */
function latencyOf(summary: K6Summary, failed: number, place: string): LatencySummary | undefined {
  const ofAll = summary.metrics.get("http_req_duration");
  const figures =
    summary.metrics.get("http_req_duration{expected_response:true}") ?? (failed === 0 ? ofAll : undefined);
  if (figures === undefined) return undefined;
  const told = KEYS.flatMap(([name, key]) => (figures[name] === undefined ? [] : [[key, figures[name]] as const]));
  const percentiles = told.filter(([key]) => key !== "mean").map(([, ms]) => ms);
  if (percentiles.some((ms, index) => ms < (percentiles[index - 1] ?? 0))) {
    throw new ImportError(`${place}: its latencies are not in ascending order`);
  }
  return told.length === 0 ? undefined : Object.fromEntries(told);
}

function requestsUnderWay(summary: K6Summary, elapsedMs: number, sent: number): number {
  return ((summary.metrics.get("http_req_duration")?.["avg"] ?? 0) * sent) / elapsedMs;
}

/** Users that send several requests at a time (`http.batch`) are no connections. */
function checkUsers(underWay: number, users: number, place: string): void {
  if (underWay <= users * SEVERAL_AT_A_TIME) return;
  throw new ImportError(
    `${place}: ${users} virtual users had ${underWay.toFixed(1)} requests under way on average, so that they sent several at a time: say with --connections N how many those are in all`,
  );
}

function figure({ metrics }: K6Summary, metric: string, name: string, place: string): number {
  const value = metrics.get(metric)?.[name];
  if (value !== undefined && value >= 0) return value;
  throw new ImportError(`${place}: expected the figure "${name}" of the metric "${metric}", got ${value ?? "nothing"}`);
}

/** A summary of k6, whichever of its formats it came in. */
interface K6Summary {
  readonly version: string | null;
  readonly durationMs?: number;
  /** Figures by metric, and name: those of `--summary-export` (`med`, `p(95)`, `passes`). */
  readonly metrics: ReadonlyMap<string, Readonly<Record<string, number>>>;
  /** `http_req_duration p(95)<500`, each condition that its script has. */
  readonly thresholds: readonly string[];
}

const numbers = z.record(z.string(), z.number());
/** `--summary-export`: figures beside the thresholds. */
const exported = z.looseObject({ metrics: z.record(z.string(), z.record(z.string(), z.unknown())) });
/** What `handleSummary` gets. */
const summaryData = z.looseObject({
  state: z.looseObject({ testRunDurationMs: z.number().positive() }),
  metrics: z.record(
    z.string(),
    z.looseObject({ values: numbers, thresholds: z.record(z.string(), z.unknown()).optional() }),
  ),
});
/** `--new-machine-readable-summary`, of both. */
const machineReadable = z.looseObject({
  config: z.looseObject({ duration: z.number().positive() }),
  metadata: z.looseObject({ k6_version: z.string() }),
  results: z.looseObject({
    metrics: z.array(z.looseObject({ name: z.string(), values: numbers })),
    thresholds: z.array(z.looseObject({ metric: z.string().optional(), source: z.string().optional() })).optional(),
  }),
});

/** Whether a value is a summary of k6, by what only k6 has. */
export function isK6(value: Readonly<Record<string, unknown>>): boolean {
  return (
    ("root_group" in value && "metrics" in value) || ("results" in value && "metadata" in value && "config" in value)
  );
}

/**
 * Reads a summary of k6; throws a `ConfigError` that names the fields which are not as expected.
 *
 * @param place for messages.
 */
function normalizeK6(value: Readonly<Record<string, unknown>>, place: string): K6Summary {
  if ("results" in value) {
    const { config, metadata, results } = validate(machineReadable, value, place);
    return {
      version: metadata.k6_version,
      durationMs: config.duration * 1000,
      metrics: new Map(results.metrics.map(({ name, values }) => [name, renamed(values)])),
      thresholds: (results.thresholds ?? []).map(({ metric = "", source = "" }) => `${metric} ${source}`.trim()),
    };
  }
  if ("state" in value) {
    const { state, metrics } = validate(summaryData, value, place);
    const all = Object.entries(metrics);
    return {
      version: null,
      durationMs: state.testRunDurationMs,
      metrics: new Map(all.map(([name, metric]) => [name, metric.values])),
      thresholds: all.flatMap(([name, metric]) => conditions(name, metric.thresholds)),
    };
  }
  const { metrics } = validate(exported, value, place);
  const all = Object.entries(metrics);
  return {
    version: null,
    metrics: new Map(all.map(([name, metric]) => [name, numbersOf(metric)])),
    thresholds: all.flatMap(([name, metric]) => conditions(name, metric["thresholds"])),
  };
}

function conditions(metric: string, thresholds: unknown): readonly string[] {
  return typeof thresholds === "object" && thresholds !== null
    ? Object.keys(thresholds).map((source) => `${metric} ${source}`)
    : [];
}

function numbersOf(metric: Readonly<Record<string, unknown>>): Readonly<Record<string, number>> {
  return Object.fromEntries(
    Object.entries(metric).filter((entry): entry is [string, number] => typeof entry[1] === "number"),
  );
}

/** `p95` is `p(95)`, and what matches a rate passes it. */
function renamed(values: Readonly<Record<string, number>>): Readonly<Record<string, number>> {
  return Object.fromEntries(
    Object.entries(values).flatMap(([name, value]): readonly (readonly [string, number])[] => {
      if (name === "matches") return [["passes", value]];
      if (name === "total" && values["matches"] !== undefined) return [["fails", value - values["matches"]]];
      return [[name.replace(/^p(\d.*)$/, "p($1)"), value]];
    }),
  );
}
