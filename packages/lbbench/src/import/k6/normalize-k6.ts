import * as z from "zod";
import { validate } from "../../config/validate.js";

/** A summary of k6, whichever of its formats it came in. */
export interface K6Summary {
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
export function normalizeK6(value: Readonly<Record<string, unknown>>, place: string): K6Summary {
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
