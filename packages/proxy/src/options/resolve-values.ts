import { validateHeaderName } from "node:http";
import { BalancerOptionsError } from "./balancer-options-error.js";

/** Which numbers will do: whole ones from `from` on, and `Infinity` (no limit) where it says so. */
export interface NumberRule {
  readonly from: number;
  readonly infinity?: boolean;
}

/** Checks a number. */
export function resolveNumber(value: unknown, where: string, { from, infinity = false }: NumberRule): number {
  if (typeof value === "number" && value >= from && (Number.isInteger(value) || (infinity && value === Infinity))) {
    return value;
  }
  throw new BalancerOptionsError(
    `${where}: expected a whole number, ${from} or above${infinity ? ", or Infinity" : ""}; got ${show(value)}.`,
  );
}

/** Checks a group of numbers, of which each has a default. */
export function resolveNumbers<Name extends string>(
  chosen: Readonly<Partial<Record<Name, number>>> | undefined,
  defaults: Readonly<Record<Name, number>>,
  where: string,
  rule: NumberRule,
): Readonly<Record<Name, number>> {
  const names = Object.keys(defaults) as Name[];
  refuseUnknown(chosen ?? {}, names, where);
  const entries = names.map((name) => [
    name,
    resolveNumber(chosen?.[name] ?? defaults[name], `${where}.${name}`, rule),
  ]);
  return Object.freeze(Object.fromEntries(entries)) as Readonly<Record<Name, number>>;
}

/** Checks a word against those that are known. */
export function resolveWord<Word extends string>(value: unknown, words: readonly Word[], where: string): Word {
  const known = words.find((word) => word === value);
  if (known !== undefined) return known;
  throw new BalancerOptionsError(`${where}: expected ${words.map(show).join(" or ")}, got ${show(value)}.`);
}

/** Checks a flag. */
export function resolveFlag(value: unknown, where: string): boolean {
  if (typeof value === "boolean") return value;
  throw new BalancerOptionsError(`${where}: expected true or false, got ${show(value)}.`);
}

/** Checks the name of a header, which `false` turns off. */
export function resolveHeader(header: string | false, where: string): string | false {
  if (header === false) return false;
  try {
    validateHeaderName(header);
    return header;
  } catch {
    throw new BalancerOptionsError(
      `${where}: expected the name of a header, like "x-backend", or false; got ${show(header)}.`,
    );
  }
}

/** Refuses what is no object, and names that are not known: a slip of the pen would else be obeyed in silence. */
export function refuseUnknown(group: unknown, known: readonly string[], where: string): void {
  if (typeof group !== "object" || group === null) {
    throw new BalancerOptionsError(`${where}: expected an object, got ${show(group)}.`);
  }
  const unknown = Object.keys(group).find((name) => !known.includes(name));
  if (unknown === undefined) return;
  const path = where === "" ? unknown : `${where}.${unknown}`;
  throw new BalancerOptionsError(`${path}: there is no such option. There are ${known.join(", ")}.`);
}

/** A value as a message shows it. */
export function show(value: unknown): string {
  return typeof value === "number" ? String(value) : (JSON.stringify(value) ?? String(value));
}
