import * as z from "zod";
import { layoutOf, ProgramError } from "./printed.js";
import { percentilesOf, readBytes, readFigure, toldOf } from "./figures.js";
import type { NotInOutput, Reader, ReadFigures } from "./imported-run.js";
import { defined } from "../stats/defined.js";

/** A virtual user that sends one request at a time cannot have more of them under way; beyond this it is more than rounding. */
const SEVERAL_AT_A_TIME = 1.05;
/** Part of the most users that there have to be all the time. */
const STEADY = 0.9;

/** A summary of k6, whichever of its formats it came in. */
interface K6Summary {
  readonly version: string | null;
  readonly durationMs?: number | undefined;
  /** Figures by metric, and name: those of `--summary-export` (`med`, `p(95)`, `passes`). */
  readonly metrics: ReadonlyMap<string, Readonly<Record<string, number>>>;
  /** `http_req_duration p(95)<500`, each condition that its script has. */
  readonly thresholds: readonly string[];
}

/**
 * Reads a summary of k6. Its virtual users are the connections: each sends its next request when the last is answered. Requests with
 * a status from 200 to 399 are good to it unless the script says otherwise, and how others failed it does not tell.
 */
function readSummary({ metrics, version, thresholds, durationMs }: K6Summary, told: NotInOutput): ReadFigures {
  const of = (metric: string, name: string): number | undefined => metrics.get(metric)?.[name];
  const [sent, failed] = [of("http_reqs", "count"), of("http_req_failed", "passes")];
  if (sent === undefined || failed === undefined || failed > sent) {
    throw new ProgramError("k6 tells of no http_reqs, or not how many of them failed (http_req_failed)");
  }
  const elapsedMs = durationMs ?? toldOf({ ms: (sent / (of("http_reqs", "rate") ?? 0)) * 1000 }).ms ?? 0;
  const users = of("vus", "max") ?? of("vus_max", "max");
  // Users that send several requests at a time (`http.batch`) are no connections.
  const underWay = elapsedMs === 0 ? 0 : ((of("http_req_duration", "avg") ?? 0) * sent) / elapsedMs;
  const isCrowded = users !== undefined && underWay > users * SEVERAL_AT_A_TIME;
  const isSteady = (of("vus", "min") ?? 0) >= (of("vus", "max") ?? 0) * STEADY;
  const seconds = Math.round(elapsedMs / 1000);
  // A run that lasted about a second or longer is one by time, unless it is said how long it was to last.
  const askedMs = told.durationMs ?? (seconds === 0 ? undefined : seconds * 1000);
  const latency = latencyOf(metrics, failed);
  return {
    version,
    connections: (isCrowded ? told.connections : (users ?? told.connections)) || undefined,
    amount: askedMs === undefined ? { requests: sent } : { durationMs: askedMs },
    figures: {
      elapsedMs,
      requests: { sent, ok: sent - failed, non2xx: 0, unclassified: failed },
      bytes: toldOf({ received: of("data_received", "count") }),
      ...defined({ latency: Object.keys(latency).length === 0 ? undefined : latency }),
    },
    doubts: isSteady ? [] : (["throughput", "latency"] as const).map((figure) => ({ figure, because: "varying-load" })),
    thresholds,
  };
}

/** Of requests that did not fail, from being sent to the last byte: connecting is no part of it. */
function latencyOf(metrics: K6Summary["metrics"], failed: number) {
  const ofOk = metrics.get("http_req_duration{expected_response:true}");
  const { min, avg, med, max, ...others } = ofOk ?? (failed === 0 ? metrics.get("http_req_duration") : undefined) ?? {};
  const rows = Object.entries(others).map(([name, ms]) => [/^p\((.*)\)$/.exec(name)?.[1] ?? "", ms] as const);
  return toldOf({ min, mean: avg, p50: med, ...percentilesOf(rows), max });
}

/**
 * The summary that k6 prints: `http_reqs......: 640 318.6/s`. Before 1.0, and with `--summary-mode=legacy`, a metric with thresholds has a mark.
 * `--summary-mode=full` repeats the metrics for each group and scenario after the totals. A line of thresholds or totals begins another summary.
 */
export const k6: Reader = {
  layout: layoutOf(
    ["metric", String.raw`(?:[✓✗] )?([A-Za-z_]\w*|\{ ?.+? ?\})\.{2,}: (.*)`, "often"],
    ["", String.raw`[A-Z]+|█ (?!THRESHOLDS|TOTAL RESULTS).*|[✓✗] .*|↳ .*|[a-z]\w+`, "often"],
  ),
  read: ({ all }, _command, told) => {
    let of = "";
    const named = all("metric").map(([name = "", text = ""]) => {
      const [, tags] = /^\{ ?(.+?) ?\}$/.exec(name) ?? [];
      if (tags === undefined) of = name;
      return [tags === undefined ? name : `${of}{${tags}}`, figuresOf(text)] as const;
    });
    return readSummary({ version: null, metrics: new Map(named.toReversed()), thresholds: [] }, told);
  },
  readJson: (value, _command, told) => {
    const summary = summaryInJson(value);
    return summary && readSummary(summary, told);
  },
};

/** Reads what stands behind a metric: `avg=31.2ms p(95)=1m2s`, `10 min=10 max=10`, `640 318.6/s`, `0.00% 0 out of 640`, `89 kB 44 kB/s`. */
function figuresOf(text: string): Readonly<Record<string, number>> {
  const named = [
    ...text.matchAll(/(?<![a-z])([a-z]+(?:\([\d.]+\))?)=(?:(\d+)h)?(?:(\d+)m(?=\d))?([\d.]+)([a-zµ]*)/g),
  ].map(([, name = "", hours = 0, minutes = 0, value = "", unit = ""]) => [
    name,
    Number(hours) * 3_600_000 + Number(minutes) * 60_000 + readFigure([value, unit || "ms"]).value,
  ]);
  const [, passes] = /% (\d+) out of \d+$/.exec(text) ?? /% ✓ (\d+) ✗ \d+$/.exec(text) ?? [];
  const [, count, rate] = /^(\d+) ([\d.]+)\/s$/.exec(text) ?? [];
  const [, ...size] = /^([\d.]+) ([kMG]?B) /.exec(text) ?? [];
  return {
    ...Object.fromEntries(named),
    ...toldOf({
      passes: Number(passes),
      count: size.length > 0 ? readBytes(size, 1000) : Number(count),
      rate: Number(rate),
    }),
  };
}

const metric = z.looseObject({
  values: z.record(z.string(), z.number()).optional(),
  thresholds: z.record(z.string(), z.unknown()).optional(),
});
/** `--summary-export` has figures beside the thresholds, what `handleSummary` gets has `values`, `--new-machine-readable-summary` lists. */
const schema = z.looseObject({
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

function summaryInJson(value: unknown): K6Summary | undefined {
  const { data } = schema.safeParse(value);
  const { config, metadata, state, results } = data ?? {};
  const all = results?.metrics.map((one) => [one.name, one] as const) ?? Object.entries(data?.metrics ?? {});
  if (all.length === 0) return undefined;
  return {
    version: metadata?.k6_version ?? null,
    durationMs: config === undefined ? state?.testRunDurationMs : config.duration * 1000,
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
  const names: Readonly<Record<string, string>> = { matches: "passes" };
  return Object.fromEntries(told.map(([name, value]) => [names[name] ?? name.replace(/^p(\d.*)$/, "p($1)"), value]));
}
