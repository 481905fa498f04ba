import { z } from "zod";
import { parseDuration } from "./parse-duration.js";
import { parseLevels } from "./parse-levels.js";
import { parseThreshold } from "./parse-threshold.js";

/** A schema of what a parser of text accepts, with the parser's message as the issue, or `expected` for no text at all. */
function parsed<T>(parse: (text: string) => T, expected: string) {
  return z.string(expected).transform((text, context) => {
    try {
      return parse(text);
    } catch (error) {
      context.addIssue({
        code: "custom",
        message: error instanceof Error ? error.message : String(error),
        input: text,
      });
      return z.NEVER;
    }
  });
}

const COUNT = "expected a whole number of at least 1";
const count = z.int(COUNT).min(1, COUNT);
const COUNTS = 'expected whole numbers of at least 1, such as "1,50,100", 50 or [1, 50, 100]';
const counts = z.union([parsed(parseLevels, COUNTS), count.transform((one) => [one]), z.array(count).min(1)], COUNTS);
const duration = parsed(parseDuration, 'expected a time such as "500ms", "5s" or "2m"');

/** A condition, or the word for "a threshold that is not met". */
const stopRule = parsed(
  (text) => (text.trim() === "thresholds" ? "thresholds" : parseThreshold(text)),
  'expected a condition such as "errors>10%", or "thresholds"',
);

const header = z
  .string()
  .refine((value) => !/[\r\n\0]/.test(value), "expected the value of a header, without line breaks");
const headerName = z.string().regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/, "expected the name of a header such as Accept");

const request = z.strictObject({
  method: z
    .string()
    .regex(/^[A-Za-z-]+$/, "expected an HTTP method such as GET or POST")
    .transform((method) => method.toUpperCase())
    .optional(),
  path: z.string().startsWith("/").optional(),
  /** By name; several values for a header that is repeated. */
  headers: z.record(headerName, z.union([header, z.array(header)], "expected a text, or a list of texts")).optional(),
  body: z.string().optional(),
  bodyEncoding: z.enum(["utf8", "base64"]).optional(),
  expectStatus: z
    .string()
    .regex(/^([1-5]xx|[1-5]\d\d)(,([1-5]xx|[1-5]\d\d))*$/, "expected status codes or classes such as 2xx or 200,304")
    .optional(),
  expectBody: z.string().optional(),
});

const name = z.string().trim().min(1, "expected a name that is not empty");

const options = z.record(z.string(), z.unknown());

const target = z.strictObject({
  name,
  server: z.string(),
  options: options.optional(),
  /**
   * Values of options to combine: `{pool: [8, 16], queue: [10, 20]}` makes four targets. An option inside another is named
   * with dots: `backends.0.options.pool`.
   */
  grid: z.record(z.string(), z.array(z.unknown()).min(1)).optional(),
  /** What loads this target, where the engine of the scenario does not: a name, or a name with options. */
  engine: z.union([z.string(), z.strictObject({ name: z.string(), options: options.optional() })]).optional(),
});

const FACTOR = "expected a number above 1, such as 1.25";
const RATIO = "expected a ratio of at least 0 and below 1, such as 0.02";

const search = z.strictObject({
  /** What is searched for: the largest number of connections, or the largest rate. */
  by: z.enum(["connections", "rate"]).optional(),
  /** The first value that is tried. */
  start: count.optional(),
  /** By what a value that held is multiplied for the next one. */
  growth: z.number(FACTOR).gt(1, FACTOR).optional(),
  /** The largest value that is tried. */
  most: count.optional(),
  /** How far apart what held and what did not may be in the end, as a ratio. */
  resolution: z.number(RATIO).min(0, RATIO).lt(1, RATIO).optional(),
  /** How many of the trials of a level have to hold; more than half by default. */
  needed: count.optional(),
  /** By what the largest value that held is multiplied for a run beyond it: `1.25`. */
  beyond: z.number(FACTOR).gt(1, FACTOR).optional(),
});

/** What a config file may say, and a caller of the library: everything has a default. */
export const sweepInputSchema = z.strictObject({
  name: name.optional(),
  /** Names of built-in servers, URLs, or targets with a server and its options. */
  targets: z
    .array(z.union([z.string(), target], "expected the name of a server, a URL, or an object with name and server"))
    .min(1)
    .optional(),
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
  duration: duration.refine((ms) => ms > 0, "expected a time longer than 0").optional(),
  trials: count.optional(),
  /** `"0"` for none. */
  warmup: duration.optional(),
  timeout: duration.refine((ms) => ms > 0, "expected a time longer than 0").optional(),
  keepAlive: z.boolean().optional(),
  engine: z.string().optional(),
  /** Options of engines, by name, for all targets that are loaded by them. */
  engines: z.record(z.string(), options).optional(),
  /** Processes the load is split over. */
  generators: count.optional(),
  request: request.optional(),
  /** `"p99<50ms"`, `"errors<1%"`, `"throughput>1000"`. */
  thresholds: z.array(parsed(parseThreshold, 'expected a condition such as "p99<50ms"')).optional(),
  /**
   * Where a step meets one, higher levels of its target are not measured: `"errors>10%"`. `"thresholds"`: where a step
   * misses a threshold.
   */
  stopOn: z.array(stopRule).optional(),
  /** `random`: levels are shuffled in every trial, and targets at every level. */
  order: z.enum(["interleaved", "random"]).optional(),
  /** Of what is drawn at random: `order` and the `arrival` of requests. */
  seed: z.int("expected a whole number of at least 0").min(0, "expected a whole number of at least 0").optional(),
  /** How `lbbench max` searches; a sweep pays no heed to it. */
  search: search.optional(),
  /** Folder of the report. */
  out: z.string().min(1, "expected the path of a folder").optional(),
  formats: z.array(z.string()).min(1).optional(),
});

/** What a sweep is asked to do, as it is written down. */
export type SweepInput = z.input<typeof sweepInputSchema>;

/** What a sweep is asked to do, with lists, times and thresholds read. */
export type ParsedSweepInput = z.output<typeof sweepInputSchema>;
