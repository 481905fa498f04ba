import * as z from "zod";
import type { Doubt, LatencySummary } from "../model/measurement.js";
import type { ImportedRun, NotInOutput } from "./imported-run.js";
import type { BlockReader } from "./read-blocks.js";
import { isAscending, percentilesOf, printedBytes, toldOf, toMs, toRun } from "./timing.js";

/** A virtual user that sends one request at a time cannot have more of them under way; beyond this it is more than rounding. */
const SEVERAL_AT_A_TIME = 1.05;
/** Part of the most users that there have to be all the time. */
const STEADY = 0.9;

/** A summary of k6, whichever of its formats it came in. */
interface K6Summary {
  readonly version: string | null;
  readonly durationMs?: number;
  /** Figures by metric, and name: those of `--summary-export` (`med`, `p(95)`, `passes`). */
  readonly metrics: ReadonlyMap<string, Readonly<Record<string, number>>>;
  /** `http_req_duration p(95)<500`, each condition that its script has. */
  readonly thresholds: readonly string[];
}

/**
 * Reads a summary of k6. Its virtual users are the connections: each sends its next request when the last is answered. Requests with
 * a status from 200 to 399 are good to it unless the script says otherwise, and how others failed it does not tell.
 *
 * @param quote names a part of the summary in a doubt.
 */
function readSummary(summary: K6Summary, told: NotInOutput, quote: (part: string) => string): ImportedRun | undefined {
  const { metrics, version, thresholds } = summary;
  const of = (metric: string, name: string): number | undefined => metrics.get(metric)?.[name];
  const [sent, perSecond] = [of("http_reqs", "count"), of("http_reqs", "rate")];
  if (sent === undefined && perSecond === undefined) return undefined;
  const doubts: Doubt[] = [];
  const check = (isSo: boolean, figure: Doubt["figure"], part: string): void => {
    if (!isSo) doubts.push({ figure, because: "contradiction", lines: quote(part) });
  };
  const count = sent ?? 0;
  const elapsedMs = summary.durationMs ?? (perSecond === undefined || perSecond === 0 ? 0 : (count / perSecond) * 1000);
  const [failed, good] = [of("http_req_failed", "passes"), of("http_req_failed", "fails")];
  const isWhole = failed === undefined || failed + (good ?? count) === count;
  check(isWhole, "errors", `http_req_failed: ${failed} failed, ${good} did not`);
  const unclassified = Math.min(failed ?? 0, count);
  const latency = latencyOf(summary, failed);
  check(latency === undefined || isAscending(latency), "latency", `http_req_duration: ${JSON.stringify(latency)}`);
  const users = of("vus", "max") ?? of("vus_max", "max");
  // Users that send several requests at a time (`http.batch`) are no connections.
  const underWay = elapsedMs === 0 ? 0 : ((of("http_req_duration", "avg") ?? 0) * count) / elapsedMs;
  const isCrowded = users !== undefined && underWay > users * SEVERAL_AT_A_TIME;
  const connections = isCrowded ? told.connections : (users ?? told.connections);
  const isSteady = (of("vus", "min") ?? 0) >= (of("vus", "max") ?? 0) * STEADY;
  const varying = isSteady ? [] : (["throughput", "latency"] as const);
  const received = of("data_received", "count");
  const seconds = Math.round(elapsedMs / 1000);
  const untimed = seconds === 0 ? { requests: count } : { durationMs: seconds * 1000 };
  return toRun({
    program: "k6",
    version,
    connections: connections || undefined,
    // A run that lasted about a second or longer is one by time, unless it is said how long it was to last.
    amount: told.durationMs === undefined ? untimed : { durationMs: told.durationMs },
    timing: { count, elapsedMs, ...(sent === undefined && perSecond !== undefined ? { rate: perSecond } : {}) },
    figures: {
      requests: { sent: count, ok: count - unclassified, non2xx: 0, unclassified },
      bytes: received === undefined ? {} : { received },
      ...(latency === undefined ? {} : { latency }),
    },
    areFailuresTold: failed !== undefined,
    doubts: [...varying.map((name) => ({ figure: name, because: "varying-load" }) as const), ...doubts],
    thresholds,
  });
}

/** Of requests that did not fail, from being sent to the last byte: connecting is no part of it. */
function latencyOf({ metrics }: K6Summary, failed: number | undefined): LatencySummary | undefined {
  const ofOk = metrics.get("http_req_duration{expected_response:true}");
  const told = ofOk ?? (failed === 0 || failed === undefined ? metrics.get("http_req_duration") : undefined);
  const { min, avg: mean, med: p50, max, ...others } = told ?? {};
  const rows = Object.entries(others).map(([name, ms]) => [Number(/^p\((.*)\)$/.exec(name)?.[1]), ms] as const);
  const latency = toldOf({ min, mean, p50, ...percentilesOf(rows), max });
  return Object.keys(latency).length === 0 ? undefined : latency;
}

/** Reads the summary that k6 prints: `http_reqs......: 640 318.6/s`. */
export function readK6Text(block: BlockReader, told: NotInOutput): ImportedRun | undefined {
  const metrics = new Map(
    block
      .named("metric")
      .map(([name = "", text = ""]) => [
        name.startsWith("{") ? "http_req_duration{expected_response:true}" : name,
        figuresOf(text),
      ]),
  );
  const run = readSummary({ version: null, metrics, thresholds: [] }, told, (part) => part);
  return run === undefined ? undefined : { ...run, doubts: [...run.doubts, ...block.doubts] };
}

/** Reads what stands behind a metric: `avg=31.2ms p(95)=32.6ms`, `10 min=10 max=10`, `640 318.6/s`, `0.00% 0 out of 640`, `89 kB 44 kB/s`. */
function figuresOf(text: string): Readonly<Record<string, number>> {
  const named = [...text.matchAll(/([a-z]+(?:\([\d.]+\))?)=([\d.]+)([a-zµ]*)/g)].map(
    ([, name = "", value = "", unit = ""]) => [name, unit === "" ? Number(value) : toMs(value, unit)],
  );
  const [, failed, total] = /% (\d+) out of (\d+)$/.exec(text) ?? [];
  const [, passes = failed, fails = Number(total) - Number(failed)] = /% ✓ (\d+) ✗ (\d+)$/.exec(text) ?? [];
  const [, count, rate] = /^(\d+) ([\d.]+)\/s$/.exec(text) ?? [];
  const [, ...size] = /^([\d.]+) ([kMG]?B) /.exec(text) ?? [];
  return {
    ...Object.fromEntries(named),
    ...(passes === undefined ? {} : { passes: Number(passes), fails: Number(fails) }),
    ...(count === undefined ? {} : { count: Number(count), rate: Number(rate) }),
    ...(size.length === 0 ? {} : { count: printedBytes(size, 1000).value }),
  };
}

const metric = z.looseObject({
  values: z.record(z.string(), z.number()).optional(),
  thresholds: z.record(z.string(), z.unknown()).optional(),
});
/** `--summary-export` has figures beside the thresholds, what `handleSummary` gets has `values`, `--new-machine-readable-summary` lists. */
const summarySchema = z.looseObject({
  state: z.looseObject({ testRunDurationMs: z.number().positive() }).optional(),
  metrics: z.record(z.string(), metric).optional(),
  config: z.looseObject({ duration: z.number().positive() }).optional(),
  metadata: z.looseObject({ k6_version: z.string() }).optional(),
  results: z
    .looseObject({
      metrics: z.array(metric.extend({ name: z.string() })),
      thresholds: z.array(z.looseObject({ metric: z.string().optional(), source: z.string().optional() })).optional(),
    })
    .optional(),
});

/** Reads a summary of k6 as JSON; `undefined` for any other. */
export function readK6Json(
  value: unknown,
  told: NotInOutput,
  quote: (part: string) => string,
): ImportedRun | undefined {
  const summary = normalize(value);
  return summary === undefined ? undefined : readSummary(summary, told, quote);
}

function normalize(value: unknown): K6Summary | undefined {
  const { data } = summarySchema.safeParse(value);
  if (data === undefined) return undefined;
  const { config, metadata, state, results } = data;
  const all = results?.metrics.map((one) => [one.name, one] as const) ?? Object.entries(data.metrics ?? {});
  if (all.length === 0) return undefined;
  const durationMs = config === undefined ? state?.testRunDurationMs : config.duration * 1000;
  return {
    version: metadata?.k6_version ?? null,
    ...(durationMs === undefined ? {} : { durationMs }),
    metrics: new Map(all.map(([name, one]) => [name, renamed(one.values ?? one)])),
    thresholds: [
      ...(results?.thresholds ?? []).map(({ metric: name = "", source = "" }) => `${name} ${source}`.trim()),
      ...all.flatMap(([name, { thresholds = {} }]) => Object.keys(thresholds).map((source) => `${name} ${source}`)),
    ],
  };
}

/** The figures of a metric: `p95` is `p(95)`, and what matches a rate passes it. */
function renamed(values: Readonly<Record<string, unknown>>): Readonly<Record<string, number>> {
  const told = Object.entries(values).filter((entry): entry is [string, number] => Number.isFinite(entry[1]));
  const { matches } = Object.fromEntries(told);
  return Object.fromEntries(
    told.map(([name, value]): readonly [string, number] => {
      if (name === "matches") return ["passes", value];
      if (name === "total" && matches !== undefined) return ["fails", value - matches];
      return [name.replace(/^p(\d.*)$/, "p($1)"), value];
    }),
  );
}
