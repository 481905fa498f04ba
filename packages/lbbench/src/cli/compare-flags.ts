import { ConfigError, type Result } from "../index.js";

/** The flags of `lbbench compare`. */
export interface CompareFlags {
  readonly margin?: string;
  readonly target?: readonly string[];
  readonly format?: string;
  readonly json?: boolean;
  readonly quiet?: boolean;
}

/** Reads a margin, `5%` or `0.05`, as a part of 1. Throws a `ConfigError` for anything but 0 to below 100 %. */
export function parseMargin(text: string): number {
  const [, digits, sign] = /^\s*(\d+(?:\.\d+)?)\s*(%?)\s*$/.exec(text) ?? [];
  const part = sign === "%" ? Number(digits) / 100 : Number(digits);
  if (digits !== undefined && part < 1) return part;
  const hint = digits !== undefined && sign === "" && Number(digits) < 100 ? ` Did you mean "${digits}%"?` : "";
  throw new ConfigError(
    `--margin: expected a share from 0 % to below 100 %, such as 5% or 0.05, got "${text}".${hint}`,
  );
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
