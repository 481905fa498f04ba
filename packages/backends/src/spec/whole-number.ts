import { ExpectationError } from "./expectation-error.js";

/** A whole number within bounds; `what` names it in the error: `a status`. */
export function parseWholeNumber(text: string, what: string, min: number, max: number): number {
  const value = /^\d+$/.test(text) ? Number(text) : NaN;
  if (!(value >= min && value <= max)) throw new ExpectationError(`${what} from ${min} to ${max}`, text);
  return value;
}

/** A seed: any whole number of 32 bits. */
export function parseSeed(text: string): number {
  return parseWholeNumber(text, "a seed", 0, 2 ** 32 - 1);
}
