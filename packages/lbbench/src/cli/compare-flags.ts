import { describeFailure } from "../config/config-error.js";
import { ConfigError, parseMargin, type Result } from "../index.js";

/** The flags of `lbbench compare`. */
export interface CompareFlags {
  readonly margin?: string;
  readonly target?: readonly string[];
  readonly format?: string;
  readonly json?: boolean;
  readonly quiet?: boolean;
}

/** Reads `--margin` as a part of 1. Throws a `ConfigError` for anything but 0 to below 100 %. */
export function readMargin(text: string): number {
  try {
    return parseMargin(text);
  } catch (cause) {
    throw new ConfigError(`--margin: ${describeFailure(cause)}`, { cause });
  }
}

/**
 * Reads which target of A is compared with which of B: `old=new`, or one name that both have. A name may contain an
 * equals sign itself, as URLs do. Whether there are such targets is for `compare` to say.
 */
export function parseTargetPair(text: string, a: Result, b: Result): readonly [string, string] {
  const has = ({ scenario }: Result, name: string): boolean => scenario.targets.some((target) => target.name === name);
  const cuts = [...text.matchAll(/=/g)].map(({ index }) => [text.slice(0, index), text.slice(index + 1)] as const);
  const whole = [text, text] as const;
  const known = [whole, ...cuts].find(([left, right]) => has(a, left) && has(b, right));
  return known ?? cuts[0] ?? whole;
}
