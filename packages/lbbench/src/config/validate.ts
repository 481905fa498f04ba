import type { ZodType } from "zod";
import { ConfigError } from "./config-error.js";
import { describeIssue } from "./describe-issue.js";
import { describeExpectation } from "./expectation.js";
import { formatPath } from "./format-path.js";

/** Names the place of a setting as its author knows it: the flag of a command line. */
export type NamePlace = (path: readonly PropertyKey[]) => string;

const MOST_PROBLEMS = 10;

/**
 * Checks `value` and returns it with its defaults; throws a {@link ConfigError} with a line for each thing wrong (ten at
 * most): the place, what was expected and what came.
 *
 * @param where what the value is, `lbbench.config.json`, or how its places are called.
 */
export function validate<T>(schema: ZodType<T>, value: unknown, where: string | NamePlace): T {
  const outcome = schema.safeParse(value, { error: describeExpectation });
  if (outcome.success) return outcome.data;
  const problems = outcome.error.issues.flatMap((issue) => describeIssue(issue, schema, value));
  const lines = problems.slice(0, MOST_PROBLEMS).map(({ path, message }) => `${namePlace(where, path)}: ${message}`);
  const more = problems.length - lines.length;
  throw new ConfigError([...lines, ...(more === 0 ? [] : [`${more} more like these`])].join("\n"));
}

function namePlace(where: string | NamePlace, path: readonly PropertyKey[]): string {
  if (typeof where !== "string") return where(path);
  return path.length === 0 ? where : `${where}: ${formatPath(path)}`;
}
