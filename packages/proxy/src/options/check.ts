import * as z from "zod";
import { BalancerOptionsError } from "./options.js";

/** An object with these fields and no others; what it is checked to be is frozen. */
export function objectOf<Shape extends z.core.$ZodLooseShape>(shape: Shape) {
  const known = Object.keys(shape).join(", ");
  return z
    .strictObject(shape, { error: ({ code }) => (code === "unrecognized_keys" ? `There are ${known}.` : "an object") })
    .readonly();
}

/** Whole numbers from `from` on. */
export function whole(from: number) {
  const expected = `a whole number, ${from} or above`;
  return z.int(expected).min(from, expected);
}

/** Whole numbers from `from` on, and `Infinity` for no limit. */
export function limit(from: number) {
  return z.union([whole(from), z.literal(Infinity)], `a whole number, ${from} or above, or Infinity`);
}

/** One of some words. */
export function oneOf<const Word extends string>(words: readonly Word[]) {
  return z.enum(words, words.map(show).join(" or "));
}

/**
 * Checks a value by a schema, whose messages say what is expected, and returns what the value means. Throws a `BalancerOptionsError` for
 * the first thing that is wrong.
 *
 * @param where what messages call the value. Options are called by their names alone: it is empty for all of them together.
 */
export function check<Value>(schema: z.ZodType<Value>, value: unknown, where: string): Value {
  const { data, error } = schema.safeParse(value, { reportInput: true });
  const [issue] = error?.issues ?? [];
  // Without an issue there is a value.
  return issue === undefined ? (data as Value) : tell(issue, where);
}

function tell(issue: z.core.$ZodIssue, where: string): never {
  const place = issue.path.reduce<string>((before, key) => (before === "" ? "" : `${before}.`) + String(key), where);
  if (issue.code === "unrecognized_keys") {
    const [name = ""] = issue.keys;
    throw new BalancerOptionsError(
      `${place === "" ? "" : `${place}.`}${name}: there is no such option. ${issue.message}`,
    );
  }
  if (issue.code === "invalid_union") {
    // An object is refused for the members that are wrong.
    const inner = issue.errors.flat().find(({ code, path }) => code === "unrecognized_keys" || path.length > 0);
    if (inner !== undefined) tell(inner, place);
  }
  return refuse(place, issue.message, issue.input);
}

/**
 * Throws a `BalancerOptionsError`: `where: expected something, got a value.` and what to do. A semicolon parts the two
 * where what is expected has a comma.
 */
export function refuse(where: string, expected: string, got: unknown, advice = ""): never {
  const comma = expected.includes(",") ? ";" : ",";
  const end = advice === "" ? "" : ` ${advice}`;
  throw new BalancerOptionsError(`${where}: expected ${expected}${comma} got ${show(got)}.${end}`);
}

/** A value as a message shows it. */
export function show(value: unknown): string {
  return typeof value === "number" ? String(value) : (JSON.stringify(value) ?? String(value));
}
