import { inspect } from "node:util";
import type { z, ZodType } from "zod";
import { alternativesOf, knownKeys, schemaAt } from "./schema-at.js";
import { suggest } from "./suggest.js";

type Issue = z.core.$ZodIssue;

/** Something wrong with a value: where, and what was expected and came. */
export interface Problem {
  readonly path: readonly PropertyKey[];
  readonly message: string;
}

/** Says what an issue of a schema means to whoever wrote the value. An issue of unknown keys is a problem for each key. */
export function describeIssue(issue: Issue, schema: ZodType, value: unknown): readonly Problem[] {
  const { path } = issue;
  switch (issue.code) {
    case "unrecognized_keys": {
      const known = knownKeys(schemaAt(schema, path));
      return issue.keys.map((key) => ({ path, message: `there is no setting "${key}".${suggest(key, known)}` }));
    }
    case "invalid_union":
      return describeUnion(issue, schema, value);
    case "invalid_key":
      return issue.issues.map(({ message }) => ({ path, message: `${message}, got ${quote(path.at(-1))}` }));
    case "invalid_value":
      return [{ path, message: `${withValue(issue.message, valueAt(value, path))}${suggestValue(issue, value)}` }];
    default:
      return [{ path, message: withValue(issue.message, valueAt(value, path)) }];
  }
}

/** Of a union that nothing fits, what is wrong with the alternative that was meant: the one whose type is right. */
function describeUnion(
  issue: Extract<Issue, { code: "invalid_union" }>,
  schema: ZodType,
  value: unknown,
): readonly Problem[] {
  const { path } = issue;
  const inner = valueAt(value, path);
  const meant = issue.errors.findIndex(([first]) => first?.code !== "invalid_type" || first.path.length > 0);
  const alternative = alternativesOf(schemaAt(schema, path))[meant];
  const issues = issue.errors[meant];
  if (alternative === undefined || issues === undefined) return [{ path, message: withValue(issue.message, inner) }];
  return issues
    .flatMap((one) => describeIssue(one, alternative, inner))
    .map((problem) => ({ path: [...path, ...problem.path], message: problem.message }));
}

function suggestValue({ path, values }: Extract<Issue, { code: "invalid_value" }>, value: unknown): string {
  const given = valueAt(value, path);
  const words = values.filter((one) => typeof one === "string");
  return typeof given === "string" && suggest(given, words) !== "" ? `.${suggest(given, words)}` : "";
}

/** Parsers of text say themselves what came. */
function withValue(message: string, value: unknown): string {
  return message.includes(", got ") ? message : `${message}, got ${quote(value)}`;
}

const LONGEST_VALUE = 80;

function quote(value: unknown): string {
  if (value === undefined) return "nothing";
  const text = typeof value === "string" ? JSON.stringify(value) : inspect(value, { breakLength: Infinity });
  return text.length > LONGEST_VALUE ? `${text.slice(0, LONGEST_VALUE)}...` : text;
}

function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (at, key) =>
      typeof at === "object" && at !== null && Object.hasOwn(at, key)
        ? (at as Record<PropertyKey, unknown>)[key]
        : undefined,
    value,
  );
}
