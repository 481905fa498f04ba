import type { z } from "zod";
import { listWords } from "./suggest.js";

type RawIssue = z.core.$ZodRawIssue;

const TYPES = new Map<string, string>([
  ["string", "a text"],
  ["number", "a number"],
  ["int", "a whole number"],
  ["boolean", "true or false"],
  ["array", "a list"],
  ["tuple", "a list"],
  ["object", "an object"],
  ["record", "an object"],
  ["null", "null"],
]);

const UNITS = new Map<string, readonly [one: string, many: string]>([
  ["string", ["character", "characters"]],
  ["array", ["entry", "entries"]],
]);

/**
 * What a rule of a schema expected, as a message: `expected a whole number of at least 1`. `undefined` for what has no
 * expectation of its own, which leaves zod's message.
 */
export function describeExpectation(issue: RawIssue): string | undefined {
  switch (issue.code) {
    case "invalid_type":
      return `expected ${TYPES.get(issue.expected) ?? issue.expected}`;
    case "invalid_value":
      return `expected ${listWords(issue.values.map((value) => JSON.stringify(value) ?? String(value)))}`;
    case "too_small":
      return `expected ${describeBound(issue.origin, issue.inclusive === false ? "more than" : "at least", issue.minimum)}`;
    case "too_big":
      return `expected ${describeBound(issue.origin, issue.inclusive === false ? "less than" : "at most", issue.maximum)}`;
    case "invalid_format":
      return `expected ${describeFormat(issue)}`;
    case "invalid_union":
      return `expected ${describeAlternatives(issue.errors)}`;
    default:
      return undefined;
  }
}

function describeAlternatives(alternatives: readonly (readonly z.core.$ZodIssue[])[]): string {
  const expected = alternatives.flatMap(([first]) => (first === undefined ? [] : [first.message]));
  return [...new Set(expected.map((message) => message.replace(/^expected /, "")))].join(", or ");
}

function describeBound(origin: string, relation: string, bound: number | bigint): string {
  const unit = UNITS.get(origin);
  if (unit === undefined) return `${TYPES.get(origin) ?? "a value"} of ${relation} ${bound}`;
  return `${relation} ${bound} ${bound === 1 ? unit[0] : unit[1]}`;
}

function describeFormat(issue: Extract<RawIssue, { code: "invalid_format" }>): string {
  if (issue.format === "starts_with") return `a text that starts with "${String(issue.prefix)}"`;
  if (issue.format === "url") return "a URL such as http://127.0.0.1:8080/";
  return `a text of the format ${issue.format}`;
}
