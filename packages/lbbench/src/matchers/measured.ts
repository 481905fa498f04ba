import { ConfigError } from "../config/config-error.js";
import type { Result } from "../model/result.js";

/** A result, or what has one: the outcome of `sweep()`, `ramp()` and `resume()`, or what `readResult()` gives. */
export type Measured = Result | { readonly result: Result };

/**
 * Returns the result of what was handed to an assertion. Throws a {@link ConfigError} for anything that has none, such as a
 * promise that nobody waited for.
 *
 * @param what it is, in the message.
 */
export function toResult(given: unknown, what = "the value"): Result {
  const inner = isObject(given) && "result" in given ? given["result"] : given;
  if (isResult(inner)) return inner;
  throw new ConfigError(
    `Expected ${what} to be a result of lbbench: what sweep() resolves with, its result, or what readResult() gives. ` +
      `Got ${describe(given)}.`,
  );
}

/** Whether something is a result, or has one. */
export function isMeasured(given: unknown): given is Measured {
  return isResult(given) || (isObject(given) && isResult(given["result"]));
}

function isResult(value: unknown): value is Result {
  return isObject(value) && isObject(value["scenario"]) && Array.isArray(value["steps"]) && isObject(value["verdict"]);
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}

function describe(given: unknown): string {
  if (given === null) return "null";
  if (isObject(given) && typeof given["then"] === "function") return "a promise: wait for it with await";
  if (Array.isArray(given)) return "an array";
  if (isObject(given)) {
    const keys = Object.keys(given).slice(0, 3);
    return keys.length === 0 ? "an empty object" : `an object with ${keys.join(", ")}`;
  }
  return typeof given === "undefined" ? "undefined" : `a ${typeof given}`;
}
