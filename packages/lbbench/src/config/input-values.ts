import * as z from "zod";
import type { ZodType } from "zod";
import { parseDuration } from "./parse-duration.js";
import { parseLevels } from "./parse-levels.js";
import { MARGIN_EXPECTED, parseMargin } from "./parse-margin.js";

/** A schema of what a parser of text accepts, with the parser's message as the issue, or `expected` for no text at all. */
export function parsed<T>(parse: (text: string) => T, expected: string) {
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
export const count = z.int(COUNT).min(1, COUNT);

/** Numbers of levels: `"1,50,100"`, `"10:100:10"`, a number or an array of numbers. */
export const counts = z.union(
  [parsed(parseLevels, COUNTS), count.transform((one) => [one]), z.array(count).min(1)],
  COUNTS,
);

/** A time, `"500ms"`, that may be nothing; in ms. */
export const duration = parsed(parseDuration, 'expected a time such as "500ms", "5s" or "2m"');

/** The word `auto`, or a value. */
export function autoOr<Value extends ZodType>(value: Value, expected: string) {
  return z.union([z.literal("auto"), value], expected);
}

/** A time that is not nothing; in ms. */
export const someTime = duration.refine((ms) => ms > 0, "expected a time longer than 0");

const share = z.number(MARGIN_EXPECTED).min(0, MARGIN_EXPECTED).lt(1, MARGIN_EXPECTED);

/** A part of 1, `"5%"` or 0.05, that is below 1. */
export const margin = z.union([parsed(parseMargin, MARGIN_EXPECTED), share], MARGIN_EXPECTED);

/** A name that is not empty, without blanks around it. */
export const name = z.string().trim().min(1, "expected a name that is not empty");

/** Options of a plugin, which checks them itself. */
export const options = z.record(z.string(), z.unknown());
