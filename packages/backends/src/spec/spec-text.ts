import { ExpectationError } from "./expectation-error.js";

/** A spec taken apart, nothing of it understood yet. */
export interface SpecText {
  readonly name: string;
  readonly argument?: string;
  readonly options: ReadonlyMap<string, string>;
}

/** Takes `NAME[:ARGUMENT][,key=value...]` apart; commas within parentheses belong to the argument. */
export function splitSpec(text: string): SpecText {
  const [head = "", ...pairs] = text.split(/,(?![^(]*\))/).map((part) => part.trim());
  const colon = head.indexOf(":");
  const options = new Map<string, string>();
  for (const pair of pairs) {
    const equals = pair.indexOf("=");
    if (equals < 1) throw new ExpectationError("an option in the form key=value", pair);
    const key = pair.slice(0, equals).trim();
    if (options.has(key)) throw new ExpectationError(`the option ${key} once`, text);
    options.set(key, pair.slice(equals + 1).trim());
  }
  if (colon === -1) return { name: head, options };
  return { name: head.slice(0, colon).trim(), argument: head.slice(colon + 1).trim(), options };
}

/** Puts a spec together again. */
export function joinSpec({ name, argument, options }: SpecText): string {
  const head = argument === undefined ? name : `${name}:${argument}`;
  return [head, ...[...options].map(([key, value]) => `${key}=${value}`)].join(",");
}
