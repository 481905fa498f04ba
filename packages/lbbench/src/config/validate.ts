import { inspect } from "node:util";
import * as z from "zod";
import { hideSecrets } from "../stats/hide-secrets.js";
import { ConfigError, describeFailure, listWords, suggest } from "./config-error.js";

/** Writes a path into a value the way it is written in JavaScript: `targets[0].options.port`. */
export const formatPath: (path: readonly PropertyKey[]) => string = z.core.toDotPath;

/** Names the place of a setting as its author knows it: the flag of a command line. */
export type NamePlace = (path: readonly PropertyKey[]) => string;

const MOST_PROBLEMS = 10;

/**
 * Checks `value` and returns it with its defaults; throws a {@link ConfigError} with a line for each thing wrong (ten at
 * most): the place, what was expected and what came.
 *
 * @param where what the value is, `lbbench.config.json`, or how its places are called.
 */
export function validate<T>(schema: z.ZodType<T>, value: unknown, where: string | NamePlace): T {
  const outcome = schema.safeParse(value, { error: expectation });
  if (outcome.success) return outcome.data;
  const name: NamePlace =
    typeof where === "string" ? (path) => [where, formatPath(path)].filter(Boolean).join(": ") : where;
  const problems = outcome.error.issues.flatMap((issue) => problemsOf(issue, value));
  const lines = problems.map(({ path, message }) => `${name(path)}: ${message}`);
  const more = lines.length - MOST_PROBLEMS;
  throw new ConfigError(
    [...lines.slice(0, MOST_PROBLEMS), ...(more > 0 ? [`${more} more like these`] : [])].join("\n"),
  );
}

/** Reads what a schema has accepted; what is thrown is the issue. */
export function reading<Given, T>(read: (given: Given) => T) {
  return (given: Given, context: z.RefinementCtx<Given>): T => {
    try {
      return read(given);
    } catch (error) {
      context.addIssue({ code: "custom", message: describeFailure(error), input: given });
      return z.NEVER;
    }
  };
}

/** A schema of what a parser of text accepts, with the parser's message as the issue, or `expected` for no text at all. */
export function parsed<T>(
  parse: ((text: string) => T) & { readonly expected?: string },
  expected: string | undefined = parse.expected,
) {
  return z.string(expected).transform(reading(parse));
}

const TYPES: ReadonlyMap<string, string> = new Map([
  ["string", "a text"],
  ["number", "a number"],
  ["int", "a whole number"],
  ["boolean", "true or false"],
  ["array", "a list"],
  ["tuple", "a list"],
  ["object", "an object"],
  ["record", "an object"],
]);

const UNITS: ReadonlyMap<string, readonly [one: string, many: string]> = new Map([
  ["string", ["character", "characters"]],
  ["array", ["entry", "entries"]],
]);

/** The error map of every schema: what a rule expected; `undefined` where zod's message stands. */
function expectation(issue: z.core.$ZodRawIssue): string | undefined {
  switch (issue.code) {
    case "invalid_type":
      return `expected ${TYPES.get(issue.expected) ?? issue.expected}`;
    case "invalid_value":
      return `expected ${listWords(issue.values.map((value) => JSON.stringify(value) ?? String(value)))}`;
    case "too_small":
      return `expected ${bound(issue.origin, issue.inclusive === false ? "more than" : "at least", issue.minimum)}`;
    case "too_big":
      return `expected ${bound(issue.origin, issue.inclusive === false ? "less than" : "at most", issue.maximum)}`;
    case "invalid_format":
      if (issue.format === "starts_with") return `expected a text that starts with "${String(issue["prefix"])}"`;
      if (issue.format === "url") return "expected a URL such as http://127.0.0.1:8080/";
      return `expected a text of the format ${issue.format}`;
    case "unrecognized_keys": {
      const known = issue.inst instanceof z.ZodObject ? Object.keys(issue.inst.shape) : [];
      return issue.keys.map((key) => `there is no setting ${JSON.stringify(key)}.${suggest(key, known)}`).join("\n");
    }
    case "invalid_union": {
      const alternatives = issue.errors.flatMap(([first]) => first?.message.replace(/^expected /, "") ?? []);
      return `expected ${[...new Set(alternatives)].join(", or ")}`;
    }
    default:
      return undefined;
  }
}

function bound(origin: string, relation: string, limit: number | bigint): string {
  const [one, many] = UNITS.get(origin) ?? [];
  if (one === undefined) return `${TYPES.get(origin) ?? "a value"} of ${relation} ${limit}`;
  return `${relation} ${limit} ${limit === 1 ? one : many}`;
}

interface Problem {
  readonly path: readonly PropertyKey[];
  readonly message: string;
}

/** Adds the value that came to the rule that it breaks. Each unknown key is a problem of its own. */
function problemsOf(issue: z.core.$ZodIssue, value: unknown): readonly Problem[] {
  const { path, message } = issue;
  const given = valueAt(value, path);
  switch (issue.code) {
    case "unrecognized_keys":
      return message.split("\n").map((line) => ({ path, message: line }));
    case "invalid_key":
      return issue.issues.map((one) => ({ path, message: `${one.message}, got ${quote(path.at(-1))}` }));
    case "invalid_union": {
      // What is wrong with the alternative that was meant: the one whose type is right.
      const others: readonly unknown[] = ["invalid_type", "invalid_value"];
      const meant = issue.errors.find(([first]) => !others.includes(first?.code) || first?.path.length !== 0);
      if (meant === undefined) return [{ path, message: withValue(message, given, path.at(-1)) }];
      return meant
        .flatMap((one) => problemsOf(one, given))
        .map((problem) => ({ ...problem, path: [...path, ...problem.path] }));
    }
    case "invalid_value": {
      const words = issue.values.filter((one) => typeof one === "string");
      const meant = typeof given === "string" ? suggest(given, words) : "";
      return [{ path, message: `${withValue(message, given, path.at(-1))}${meant && `.${meant}`}` }];
    }
    default:
      return [{ path, message: withValue(message, given, path.at(-1)) }];
  }
}

/** Parsers of text say themselves what came. */
function withValue(message: string, value: unknown, key?: PropertyKey): string {
  return message.includes(", got ") ? message : `${message}, got ${quote(value, key)}`;
}

const LONGEST_VALUE = 80;

/** A value as it came, without secrets: messages are told to everyone. */
function quote(value: unknown, key: PropertyKey = ""): string {
  if (value === undefined) return "nothing";
  const { [key]: shown } = hideSecrets({ [key]: value }) as Readonly<Record<PropertyKey, unknown>>;
  const text = typeof shown === "string" ? JSON.stringify(shown) : inspect(shown, { breakLength: Infinity });
  return text.length > LONGEST_VALUE ? `${text.slice(0, LONGEST_VALUE)}...` : text;
}

function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>((at, key) => (at as Record<PropertyKey, unknown> | null | undefined)?.[key], value);
}
