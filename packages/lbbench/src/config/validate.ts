import { z, type ZodType } from "zod";
import { ConfigError } from "./config-error.js";
import { suggest } from "./suggest.js";

/**
 * Checks `value` and returns it with its defaults; throws a {@link ConfigError} that names, for each thing wrong, the
 * place, what was expected and what came.
 *
 * @param where what the value is: `lbbench.config.json`.
 */
export function validate<T>(schema: ZodType<T>, value: unknown, where: string): T {
  const outcome = schema.safeParse(value, { reportInput: true });
  if (outcome.success) return outcome.data;
  const problems = outcome.error.issues.flatMap((issue) => describeIssue(issue, schema, value));
  throw new ConfigError(problems.map((problem) => `${where}: ${problem}`).join("\n"));
}

type Issue = z.core.$ZodIssue;

function describeIssue(issue: Issue, schema: ZodType, value: unknown): readonly string[] {
  const place = issue.path.length === 0 ? "" : `${formatPath(issue.path)}: `;
  if (issue.code === "unrecognized_keys") {
    const known = knownKeys(schema, issue.path);
    return issue.keys.map((key) => `${place}there is no setting "${key}".${suggest(key, known)}`);
  }
  if (issue.code === "invalid_union")
    return [`${place}${describeUnion(issue)}${describeValue(valueAt(value, issue.path))}`];
  const got = issue.message.includes(", got ") ? "" : describeValue(valueAt(value, issue.path));
  return [`${place}${issue.message.replace(/^Invalid input: /, "").replace(/, received \w+$/, "")}${got}`];
}

/** Of a union that nothing fits, the branch that came closest: one that fails by a rule of its own, not by its type. */
function describeUnion(issue: Extract<Issue, { code: "invalid_union" }>): string {
  const branches = issue.errors.flatMap((issues) => issues.slice(0, 1));
  const closest =
    branches.find((branch) => branch.code === "custom") ?? branches.find((branch) => branch.path.length > 0);
  if (closest !== undefined) {
    const place = closest.path.length === 0 ? "" : `${formatPath(closest.path)}: `;
    if (closest.code === "unrecognized_keys")
      return `${place}there is no setting ${closest.keys.map((key) => `"${key}"`).join(", ")}`;
    return `${place}${closest.message.replace(/^Invalid input: /, "").replace(/, received \w+$/, "")}`;
  }
  const types = branches.map((branch) => (branch.code === "invalid_type" ? branch.expected : branch.message));
  return `expected ${[...new Set(types)].join(" or ")}`;
}

function formatPath(path: readonly PropertyKey[]): string {
  return path
    .map((key, index) => (typeof key === "number" ? `[${key}]` : `${index === 0 ? "" : "."}${String(key)}`))
    .join("");
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

const LONGEST_VALUE = 80;

function describeValue(value: unknown): string {
  if (value === undefined) return ", got nothing";
  // A function or a symbol has no JSON.
  const text = JSON.stringify(value) ?? `a ${typeof value}`;
  return `, got ${text.length > LONGEST_VALUE ? `${text.slice(0, LONGEST_VALUE)}...` : text}`;
}

function knownKeys(schema: ZodType, path: readonly PropertyKey[]): readonly string[] {
  const inner = path.reduce<ZodType | undefined>(
    (at, key) => (at === undefined ? undefined : childSchema(at, key)),
    schema,
  );
  const object = inner === undefined ? undefined : unwrap(inner);
  return object instanceof z.ZodObject ? Object.keys(object.shape) : [];
}

function childSchema(schema: ZodType, key: PropertyKey): ZodType | undefined {
  const object = unwrap(schema);
  return object instanceof z.ZodObject && Object.hasOwn(object.shape, key)
    ? (object.shape as Record<PropertyKey, ZodType>)[key]
    : undefined;
}

function unwrap(schema: ZodType): ZodType {
  return schema instanceof z.ZodOptional || schema instanceof z.ZodDefault
    ? unwrap(schema.unwrap() as ZodType)
    : schema;
}
