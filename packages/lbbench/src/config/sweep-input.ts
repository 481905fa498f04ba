import * as z from "zod";
import { CHART_STYLES } from "./chart-styles.js";
import { autoOr, count, counts, duration, margin, name, options, parsed, someTime } from "./input-values.js";
import { parseThreshold } from "./parse-threshold.js";
import { rampInputSchema } from "./ramp-input.js";
import { mixInputSchema, requestInputSchema } from "./request-input.js";
import { searchInputSchema } from "./search-input.js";
import { targetInputsSchema } from "./target-input.js";

/** A condition, or the word for "a threshold that is not met". */
const stopRule = parsed(
  (text) => (text.trim() === "thresholds" ? "thresholds" : parseThreshold(text)),
  'expected a condition such as "errors>10%", or "thresholds"',
);

/** What a config file may say, and a caller of the library: everything has a default. */
export const sweepInputSchema = z.strictObject({
  name: name.optional(),
  /** Names of built-in servers, URLs, or targets with a server and its options. */
  targets: targetInputsSchema.optional(),
  /** Name of the target that the others are compared with; the first without it. */
  reference: z.string().optional(),
  /** Levels: `"1,50,100"`, `"10:100:10"`, a number or an array of numbers. */
  connections: counts.optional(),
  /** Levels of an open loop in place of connections: requests per second, written like these. */
  rate: counts.optional(),
  /** How the requests of an open loop are put on its schedule. */
  arrival: z
    .strictObject({
      spacing: z.enum(["uniform", "poisson"]).optional(),
      maxInFlight: count.optional(),
    })
    .optional(),
  /** Requests per step; several make a matrix with the connections. */
  requests: counts.optional(),
  /** Time per step in place of `requests`: `"3s"`. */
  duration: someTime.optional(),
  trials: count.optional(),
  /** `"0"` for none, `"auto"` until throughput is steady. */
  warmup: autoOr(duration, 'expected a time such as "500ms", "5s" or "2m", or "auto"').optional(),
  /** How long targets live. */
  restart: z.enum(["trial", "step"]).optional(),
  timeout: someTime.optional(),
  keepAlive: z.boolean().optional(),
  /** `"2"`: without asking over http://, negotiated over https://. */
  httpVersion: z.enum(["1.1", "2"], 'expected "1.1" or "2"').optional(),
  engine: z.string().optional(),
  /** Options of engines, by name, for all targets that are loaded by them. */
  engines: z.record(z.string(), options).optional(),
  /** Processes the load is split over. */
  generators: autoOr(count, 'expected a whole number of at least 1, or "auto"').optional(),
  request: requestInputSchema.optional(),
  /** Several requests in place of that one, each sent in proportion to its weight. */
  mix: mixInputSchema.optional(),
  /** `"p99<50ms"`, `"errors<1%"`, `"throughput>1000"`. */
  thresholds: z.array(parsed(parseThreshold, 'expected a condition such as "p99<50ms"')).optional(),
  /**
   * By how much the other targets may be worse than the reference in throughput, p50 and p99, for the sweep not to fail: `"5%"`
   * or 0.05. Without it they are compared and not judged.
   */
  margin: margin.optional(),
  /** With `margin`: by how much their share of failed requests may be higher, `"0.1%"` without it. */
  errorMargin: margin.optional(),
  /**
   * Where a step meets one, higher levels of its target are not measured: `"errors>10%"`. `"thresholds"`: where a step
   * misses a threshold.
   */
  stopOn: z.array(stopRule).optional(),
  /** `random`: levels are shuffled in every trial, and targets at every level. */
  order: z.enum(["interleaved", "random"]).optional(),
  /** Of what is drawn at random: `order` and the `arrival` of requests. */
  seed: z.int("expected a whole number of at least 0").min(0, "expected a whole number of at least 0").optional(),
  /** How `lbbench max` searches. Of a config file only that command reads it; the library refuses it in a sweep and a ramp. */
  search: searchInputSchema.optional(),
  /** How the users of `lbbench ramp` come. Of a config file only that command reads it; the library refuses it elsewhere. */
  ramp: rampInputSchema.optional(),
  /** Folder of the report. */
  out: z.string().min(1, "expected the path of a folder").optional(),
  formats: z.array(z.string()).min(1).optional(),
  /** How Markdown shows charts: linked pictures, Mermaid blocks, or not at all. */
  charts: z.enum(CHART_STYLES).optional(),
});

/** What a sweep is asked to do, as it is written down. */
export type SweepInput = z.input<typeof sweepInputSchema>;

/** What a sweep is asked to do, with lists, times and thresholds read. */
export type ParsedSweepInput = z.output<typeof sweepInputSchema>;
