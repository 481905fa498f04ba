/** What the values of settings may be: schemas that several rows of the table in `settings.ts` use, or that take several lines. */
import * as z from "zod";
import {
  MARGIN_EXPECTED,
  parseAddress,
  parseDuration,
  parseLevels,
  parseMargin,
  parsePlace,
  parseShare,
  parseSlow,
  parseThreshold,
  parseWorkers,
  TIME_EXPECTED,
} from "./parsers.js";
import { parsed } from "./validate.js";
import { defined } from "../stats/defined.js";

export * as z from "zod";
export { faultOf, parseFault } from "./faults.js";
export { TIME_EXPECTED } from "./parsers.js";
export { parsed, reading } from "./validate.js";

export const address = parsed(parseAddress);
export const place = parsed(parsePlace);
export const slow = parsed(parseSlow);
export const workers = parsed(parseWorkers);

const COUNT = "expected a whole number of at least 1";
/** A whole number from 1 on. */
export const count = z.int(COUNT).min(1, COUNT);

/** A whole number from 1 on, or a word that stands for one. */
export function countOr<Word extends string>(word: Word) {
  return z.union([z.literal(word), count], `${COUNT}, or "${word}"`);
}

/** Processes of one kind that a run starts. */
export const MOST_PROCESSES = 256;
/** For messages. */
export const PROCESSES_EXPECTED = `expected a whole number from 1 to ${MOST_PROCESSES}`;
/** A number of processes. */
export const processes = z.int(PROCESSES_EXPECTED).min(1, PROCESSES_EXPECTED).max(MOST_PROCESSES, PROCESSES_EXPECTED);

const COUNTS = 'expected whole numbers of at least 1, such as "1,50,100", 50 or [1, 50, 100]';
/** Numbers of levels: `"1,50,100"`, `"10:100:10"`, a number or an array of numbers. */
export const counts = z.union(
  [parsed(parseLevels, COUNTS), count.transform((one) => [one]), z.array(count).min(1)],
  COUNTS,
);

const SEED = "expected a whole number of at least 0";
/** A whole number from 0 on. */
export const seed = z.int(SEED).min(0, SEED);

/** `"500ms"`; in ms. */
export const duration = parsed(parseDuration, TIME_EXPECTED);

/** A time that is longer than 0. */
export function someTime(why = "") {
  return duration.refine((ms) => ms > 0, `expected a time longer than 0${why}`);
}

/** A part of 1, `"5%"` or 0.05, that is below 1. */
export const margin = z.union(
  [parsed(parseMargin, MARGIN_EXPECTED), z.number(MARGIN_EXPECTED).min(0, MARGIN_EXPECTED).lt(1, MARGIN_EXPECTED)],
  MARGIN_EXPECTED,
);

/** A part of 1, `"50%"` or 0.5, up to all of it. */
export const share = z.union(
  [parsed(parseShare), z.number().min(0, parseShare.expected).max(1, parseShare.expected)],
  parseShare.expected,
);

const RATIO = "expected a ratio of at least 0 and below 1, such as 0.02";
export const ratio = z.number(RATIO).min(0, RATIO).lt(1, RATIO);

const FACTOR = "expected a number above 1, such as 1.25";
export const factor = z.number(FACTOR).gt(1, FACTOR);

/** The largest weight of an entry of a mix; the smallest is one part in so many. */
export const MOST_WEIGHT = 1e6;
const WEIGHT = `expected a number from 0.000001 to ${MOST_WEIGHT}, such as 2 or 0.5`;
/** How often an entry of a mix is sent beside the others. */
export const weight = z
  .number(WEIGHT)
  .min(1 / MOST_WEIGHT, WEIGHT)
  .max(MOST_WEIGHT, WEIGHT);

/** A name that is not empty, without blanks around it. */
export const name = z.string().trim().min(1, "expected a name that is not empty");

export const filePath = z.string().min(1, "expected the path of a file");

const PART_EXPECTED = "expected the name of a part";
/** A part of a target that a fault is done to. */
export const part = z.string(PART_EXPECTED).min(1, PART_EXPECTED);

/** Options of a plugin, which checks them itself. */
export const options = z.record(z.string(), z.unknown());

/** Calls the targets that one is compared with `references`, each once. */
export function withReferences<Given extends { readonly reference?: readonly string[] | undefined }>({
  reference,
  ...given
}: Given) {
  const references: readonly string[] | undefined = reference && [...new Set(reference)];
  return { ...given, ...defined({ references }) };
}

export const threshold = parsed(parseThreshold, 'expected a condition such as "p99<50ms"');

/** Method of a request, in capitals. */
export const method = z
  .string()
  .regex(/^[A-Za-z-]+$/, "expected an HTTP method such as GET or POST")
  .transform((word) => word.toUpperCase());

/** Path and query of a request. */
export const path = z
  .string()
  .startsWith("/")
  .refine((text) => !text.startsWith("/") || isSentAsWritten(text), {
    error: ({ input }) => {
      const [given, sent] = [String(input), pathAsSent(String(input))].map((text) => JSON.stringify(text));
      return `expected path and query as they are sent, got ${given}, which would be sent as ${sent}`;
    },
  });

const headerValue = z
  .string()
  .regex(
    /^[^\r\n\0\u0100-\uFFFF]*$/,
    "expected the value of a header, of characters up to U+00FF (each is sent as one byte) and without line breaks: encode others, as in %E2%82%AC",
  );

/** Headers by name, with a value or several. */
export const headers = z.record(
  z.string().regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/, "expected the name of a header such as Accept"),
  z.union([headerValue, z.array(headerValue)], "expected a text, or a list of texts"),
);

/** Status codes of an ok response. */
export const statuses = z
  .string()
  .regex(/^([1-5]xx|[1-5]\d\d)(,([1-5]xx|[1-5]\d\d))*$/, "expected status codes or classes such as 2xx or 200,304");

/** Entries of a mix: each has figures of its own, in every generator, and lines of its own in the report. */
export const MOST_ENTRIES = 100;

/** Bodies of an entry, all of which are kept by lbbench, by every generator and in the result. */
export const MOST_BODIES = 10_000;

interface GivenBodies {
  readonly body?: string | null | undefined;
  readonly bodyEncoding?: "utf8" | "base64" | undefined;
  readonly bodyFile?: string | undefined;
  readonly bodies?: readonly string[] | undefined;
  readonly bodiesFile?: string | undefined;
}

/** Ways to give what is sent as the body. */
export const BODIES = ["body", "bodyFile", "bodies", "bodiesFile"] as const;

/** Refuses two ways to give a body at a time, and an encoding that is not that of the body beside it. */
export function checkBodies(given: GivenBodies, context: z.RefinementCtx): void {
  const refuse = (message: string, ...path: PropertyKey[]): void => context.addIssue({ code: "custom", path, message });
  const [first, second] = BODIES.filter((key) => given[key] !== undefined);
  if (second !== undefined) return refuse(`expected one of ${first} and ${second}, got both`, second);
  const { body, bodies = [], bodyEncoding } = given;
  if (bodyEncoding === undefined) return;
  if (typeof body !== "string" && bodies.length === 0) {
    const why = first?.endsWith("File") === true ? ", whose bytes are sent as they are" : "";
    return refuse(
      `expected a body that is written down beside it, got ${first ?? "none"}${why}. Leave bodyEncoding out`,
      "bodyEncoding",
    );
  }
  const check = (text: string, ...path: PropertyKey[]): void => {
    // Node skips what it cannot read.
    const isRead = bodyEncoding === "utf8" || Buffer.from(text, "base64").toString("base64") === text;
    if (!isRead) refuse('expected base64, such as "aGVsbG8=", as bodyEncoding says', ...path);
  };
  if (typeof body === "string") check(body, "body");
  for (const [index, text] of bodies.entries()) check(text, "bodies", index);
}

/** Path and query as they go out. */
export function pathAsSent(path: string): string {
  const { pathname, search } = new URL(`http://localhost${path}`);
  return pathname + search;
}

/** Whether a path goes out as it is written, but for characters that have to be percent-encoded. */
export function isSentAsWritten(path: string): boolean {
  // It does not matter whether a character was encoded before.
  const encode = (text: string): string =>
    encodeURI(Buffer.from(text).toString()).replaceAll("%25", "%").replaceAll("'", "%27");
  return encode(path) === encode(pathAsSent(path));
}
