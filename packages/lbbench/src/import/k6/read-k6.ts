import type { Doubt, LatencySummary } from "../../model/measurement.js";
import { placeOf, type Block } from "../block.js";
import { ImportError } from "../import-error.js";
import type { ImportedRun, NotInOutput } from "../imported-run.js";
import { normalizeK6, type K6Summary } from "./normalize-k6.js";

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
    throw new ImportError(`${place}: it tells of ${sent} requests, of which ${failed} failed and ${good} did not`);
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
