import * as z from "zod";
import type { RefinementCtx, ZodType } from "zod";
import { MARGIN_EXPECTED, parseDuration, parseLevels, parseMargin } from "./parse-values.js";
import { parseThreshold } from "./parse-threshold.js";
import { isSentAsWritten, pathAsSent } from "./path-as-sent.js";
import { CHART_STYLES } from "./settings.js";

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
const COUNTS = 'expected whole numbers of at least 1, such as "1,50,100", 50 or [1, 50, 100]';

/** A whole number of at least 1. */
const count = z.int(COUNT).min(1, COUNT);

/** Numbers of levels: `"1,50,100"`, `"10:100:10"`, a number or an array of numbers. */
const counts = z.union([parsed(parseLevels, COUNTS), count.transform((one) => [one]), z.array(count).min(1)], COUNTS);

/** A time, `"500ms"`, that may be nothing; in ms. */
const duration = parsed(parseDuration, 'expected a time such as "500ms", "5s" or "2m"');

/** The word `auto`, or a value. */
function autoOr<Value extends ZodType>(value: Value, expected: string) {
  return z.union([z.literal("auto"), value], expected);
}

/** A time that is not nothing; in ms. */
const someTime = duration.refine((ms) => ms > 0, "expected a time longer than 0");

const share = z.number(MARGIN_EXPECTED).min(0, MARGIN_EXPECTED).lt(1, MARGIN_EXPECTED);

/** A part of 1, `"5%"` or 0.05, that is below 1. */
const margin = z.union([parsed(parseMargin, MARGIN_EXPECTED), share], MARGIN_EXPECTED);

/** A name that is not empty, without blanks around it. */
const name = z.string().trim().min(1, "expected a name that is not empty");

/** Options of a plugin, which checks them itself. */
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
  /** Name of the target that this one is compared with, or several, where that is not the `reference` of the scenario. */
  reference: z.union([z.string(), z.array(z.string()).min(1)]).optional(),
});

/** Names of built-in servers, URLs, or targets with a server and its options. */
const targetInputs = z
  .array(z.union([z.string(), target], "expected the name of a server, a URL, or an object with name and server"))
  .min(1);

/** All of them are kept, by lbbench, by every generator and in the result. */
export const MOST_BODIES = 10_000;

const headerValue = z
  .string()
  .refine((value) => !/[\r\n\0]/.test(value), "expected the value of a header, without line breaks")
  .refine(
    (value) => !/[^\0-\u00FF]/.test(value),
    "expected the value of a header, of characters up to U+00FF (Latin-1), each of which is sent as one byte: encode the others, as in %E2%82%AC",
  );
const headerName = z.string().regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/, "expected the name of a header such as Accept");
const filePath = z.string().min(1, "expected the path of a file");

const parts = {
  method: z
    .string()
    .regex(/^[A-Za-z-]+$/, "expected an HTTP method such as GET or POST")
    .transform((method) => method.toUpperCase())
    .optional(),
  path: z.string().startsWith("/").superRefine(refuseBent).optional(),
  /** By name; several values for a header that is repeated. */
  headers: z
    .record(headerName, z.union([headerValue, z.array(headerValue)], "expected a text, or a list of texts"))
    .optional(),
  bodyEncoding: z.enum(["utf8", "base64"]).optional(),
  /** File that is the body, as it is. */
  bodyFile: filePath.optional(),
  expectStatus: z
    .string()
    .regex(/^([1-5]xx|[1-5]\d\d)(,([1-5]xx|[1-5]\d\d))*$/, "expected status codes or classes such as 2xx or 200,304")
    .optional(),
};

/** What every request is, or what those of a mix have in common. */
const requestInput = z
  .strictObject({ ...parts, body: z.string().optional(), expectBody: z.string().optional() })
  .superRefine(checkBodies);

const LEAST_WEIGHT = 1e-6;
const MOST_WEIGHT = 1e6;
const WEIGHT = `expected a number from 0.000001 to ${MOST_WEIGHT}, such as 2 or 0.5`;

/** Most entries of a mix: each has figures of its own, in every generator, and lines of its own in the report. */
const MOST_ENTRIES = 100;

/** Requests to send in proportion to weights; what an entry does not say is that of `request`. */
const mixInput = z
  .array(
    z
      .strictObject({
        /** What it is called in the report: `GET /cart` without it. */
        name: z.string().trim().min(1, "expected a name that is not empty").optional(),
        /** How often it is sent, beside the weights of the others. */
        weight: z.number(WEIGHT).min(LEAST_WEIGHT, WEIGHT).max(MOST_WEIGHT, WEIGHT).optional(),
        ...parts,
        /** Of this and of `expectBody` `null` is none, where `request` has one. */
        body: z.string().nullable().optional(),
        expectBody: z.string().nullable().optional(),
        /** Bodies to send in turn. */
        bodies: z.array(z.string()).min(1).max(MOST_BODIES).optional(),
        /** File of such bodies, one in each line. */
        bodiesFile: filePath.optional(),
      })
      .superRefine(checkBodies),
  )
  .min(1)
  .max(MOST_ENTRIES);

const BODIES = ["body", "bodyFile", "bodies", "bodiesFile"] as const;

type GivenBodies = {
  readonly body?: string | null | undefined;
  readonly bodyFile?: string | undefined;
  readonly bodies?: readonly string[] | undefined;
  readonly bodiesFile?: string | undefined;
  readonly bodyEncoding?: "utf8" | "base64" | undefined;
};

function checkBodies(given: GivenBodies, context: RefinementCtx): void {
  const refuse = (path: readonly PropertyKey[], message: string): void =>
    context.addIssue({ code: "custom", path: [...path], message });
  const [first, second] = BODIES.filter((key) => given[key] !== undefined);
  const { body, bodies, bodyEncoding } = given;
  if (second !== undefined) return refuse([second], `expected one of ${first} and ${second}, got both`);
  if (bodyEncoding === undefined) return;
  if (first?.endsWith("File") === true) {
    const message = `expected nothing beside ${first}, whose bytes are sent as they are, got ${JSON.stringify(bodyEncoding)}`;
    return refuse(["bodyEncoding"], message);
  }
  if (typeof body !== "string" && bodies === undefined) {
    return refuse(["bodyEncoding"], `expected a body beside it, got ${JSON.stringify(bodyEncoding)} without`);
  }
  if (bodyEncoding !== "base64") return;
  if (typeof body === "string" && !isBase64(body)) refuse(["body"], BASE64);
  for (const [index, one] of (bodies ?? []).entries()) if (!isBase64(one)) refuse(["bodies", index], BASE64);
}

const BASE64 = 'expected base64, such as "aGVsbG8=", as bodyEncoding says';

/** Whether a text is what bytes are written as; `Buffer` itself skips what it cannot read. */
function isBase64(text: string): boolean {
  return Buffer.from(text, "base64").toString("base64") === text;
}

/** What is asked for would be called by one path in the report and sent to another. */
function refuseBent(path: string, context: RefinementCtx): void {
  if (!path.startsWith("/") || isSentAsWritten(path)) return;
  const message = `expected path and query as they are sent, got ${JSON.stringify(path)}, which would be sent as ${JSON.stringify(pathAsSent(path))}`;
  context.addIssue({ code: "custom", message });
}

const FACTOR = "expected a number above 1, such as 1.25";
const RATIO = "expected a ratio of at least 0 and below 1, such as 0.02";

/** How the largest load that holds is searched. */
const searchInput = z.strictObject({
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

const STEPS = 'expected a whole number of at least 1, or "none"';

/** A word in place of a number of steps, to undo one of a config file. */
const noSteps = parsed((text): null => {
  if (text.trim() === "none") return null;
  throw new Error(STEPS);
}, STEPS);

/** How the users of a ramp come. */
const rampInput = z.strictObject({
  /** Users there are from the start. */
  from: count.optional(),
  /** Users there are in the end. */
  to: count.optional(),
  /** Time over which they rise: `"30s"`. */
  over: someTime.optional(),
  /** Equal steps in which they come, each at its end; one after the other without it, or with `"none"`. */
  steps: z.union([count, noSteps], STEPS).optional(),
  /** For how long all of them stay. */
  hold: duration.refine((ms) => ms > 0, "expected a time longer than 0: the last user comes when it begins").optional(),
});

/** A condition, or the word for "a threshold that is not met". */
const stopRule = parsed(
  (text) => (text.trim() === "thresholds" ? "thresholds" : parseThreshold(text)),
  'expected a condition such as "errors>10%", or "thresholds"',
);

/** What a config file may say, and a caller of the library: everything has a default. */
export const sweepInputSchema = z.strictObject({
  /** Address of the JSON schema, for editors. */
  $schema: z.string().optional(),
  name: name.optional(),
  /** Names of built-in servers, URLs, or targets with a server and its options. */
  targets: targetInputs.optional(),
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
  request: requestInput.optional(),
  /** Several requests in place of that one, each sent in proportion to its weight. */
  mix: mixInput.optional(),
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
  search: searchInput.optional(),
  /** How the users of `lbbench ramp` come. Of a config file only that command reads it; the library refuses it elsewhere. */
  ramp: rampInput.optional(),
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
