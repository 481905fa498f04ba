import * as z from "zod";
import { MARGIN_EXPECTED, parseDuration, parseLevels, parseMargin } from "./parse-values.js";
import { parseThreshold } from "./parse-threshold.js";
import { mixInput, nameInput, requestInput } from "./requests.js";
import { CHART_STYLES } from "./settings.js";

/** A schema of what a parser of text accepts, with the parser's message as the issue, or `expected` for no text at all. */
function parsed<T>(parse: (text: string) => T, expected: string) {
  return z.string(expected).transform((text, context) => {
    try {
      return parse(text);
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      context.addIssue({ code: "custom", message, input: text });
      return z.NEVER;
    }
  });
}

const COUNT = "expected a whole number of at least 1";
const count = z.int(COUNT).min(1, COUNT);

const COUNTS = 'expected whole numbers of at least 1, such as "1,50,100", 50 or [1, 50, 100]';
/** Numbers of levels: `"1,50,100"`, `"10:100:10"`, a number or an array of numbers. */
const counts = z.union([parsed(parseLevels, COUNTS), count.transform((one) => [one]), z.array(count).min(1)], COUNTS);

/** `"500ms"`; in ms. */
const duration = parsed(parseDuration, 'expected a time such as "500ms", "5s" or "2m"');
const someTime = duration.refine((ms) => ms > 0, "expected a time longer than 0");

/** A part of 1, `"5%"` or 0.05, that is below 1. */
const margin = z.union(
  [parsed(parseMargin, MARGIN_EXPECTED), z.number(MARGIN_EXPECTED).min(0, MARGIN_EXPECTED).lt(1, MARGIN_EXPECTED)],
  MARGIN_EXPECTED,
);

const AUTO = z.literal("auto");
const SEED = "expected a whole number of at least 0";

/** Options of a plugin, which checks them itself. */
const options = z.record(z.string(), z.unknown());

const target = z
  .strictObject({
    name: nameInput,
    server: z.string(),
    options: options.optional(),
    grid: z.record(z.string(), z.array(z.unknown()).min(1)).optional(),
    engine: z
      .union([
        z.string().transform((word) => ({ name: word, options: {} })),
        z.strictObject({ name: z.string(), options: options.default({}) }),
      ])
      .optional(),
    reference: z.union([z.string().transform((one) => [one]), z.array(z.string()).min(1)]).optional(),
  })
  .transform(({ reference, ...given }) => ({
    ...given,
    ...(reference && { references: [...new Set(reference)] as readonly string[] }),
  }));

const FACTOR = "expected a number above 1, such as 1.25";
const factor = z.number(FACTOR).gt(1, FACTOR);
const RATIO = "expected a ratio of at least 0 and below 1, such as 0.02";

const searchInput = z.strictObject({
  by: z.enum(["connections", "rate"]).optional(),
  start: count.optional(),
  growth: factor.optional(),
  most: count.optional(),
  resolution: z.number(RATIO).min(0, RATIO).lt(1, RATIO).optional(),
  needed: count.optional(),
  beyond: factor.optional(),
});

/** In place of a number of steps, to undo one of a config file. */
const noSteps = z.literal("none").transform(() => null);

const rampInput = z.strictObject({
  from: count.optional(),
  to: count.optional(),
  over: someTime.optional(),
  steps: z.union([count, noSteps], 'expected a whole number of at least 1, or "none"').optional(),
  hold: duration.refine((ms) => ms > 0, "expected a time longer than 0: the last user comes when it begins").optional(),
});

const threshold = parsed(parseThreshold, 'expected a condition such as "p99<50ms"');

/** What a config file may say, and a caller of the library: everything has a default. `docs/config.md` tells what each field means. */
export const sweepInputSchema = z.strictObject({
  $schema: z.string().optional(),
  name: nameInput.optional(),
  targets: z
    .array(z.union([z.string(), target], "expected the name of a server, a URL, or an object with name and server"))
    .min(1)
    .optional(),
  reference: z.string().optional(),
  connections: counts.optional(),
  rate: counts.optional(),
  arrival: z
    .strictObject({ spacing: z.enum(["uniform", "poisson"]).optional(), maxInFlight: count.optional() })
    .optional(),
  requests: counts.optional(),
  duration: someTime.optional(),
  trials: count.optional(),
  warmup: z.union([AUTO, duration], 'expected a time such as "500ms", "5s" or "2m", or "auto"').optional(),
  restart: z.enum(["trial", "step"]).optional(),
  timeout: someTime.optional(),
  keepAlive: z.boolean().optional(),
  httpVersion: z.enum(["1.1", "2"], 'expected "1.1" or "2"').optional(),
  engine: z.string().optional(),
  engines: z.record(z.string(), options).optional(),
  generators: z.union([AUTO, count], 'expected a whole number of at least 1, or "auto"').optional(),
  request: requestInput.optional(),
  mix: mixInput.optional(),
  thresholds: z.array(threshold).optional(),
  margin: margin.optional(),
  errorMargin: margin.optional(),
  stopOn: z.array(z.union([threshold, z.literal("thresholds")])).optional(),
  order: z.enum(["interleaved", "random"]).optional(),
  seed: z.int(SEED).min(0, SEED).optional(),
  /** Of a config file only `lbbench max` reads it; the library refuses it in a sweep and a ramp. */
  search: searchInput.optional(),
  /** Of a config file only `lbbench ramp` reads it; the library refuses it elsewhere. */
  ramp: rampInput.optional(),
  out: z.string().min(1, "expected the path of a folder").optional(),
  formats: z.array(z.string()).min(1).optional(),
  charts: z.enum(CHART_STYLES).optional(),
});

/** What a sweep is asked to do, as it is written down. */
export type SweepInput = z.input<typeof sweepInputSchema>;

/** What a sweep is asked to do, with lists, times and thresholds read. */
export type ParsedSweepInput = z.output<typeof sweepInputSchema>;

/** A server with its options, and what else was said of the target. */
export type GivenTarget = Exclude<NonNullable<ParsedSweepInput["targets"]>[number], string>;
