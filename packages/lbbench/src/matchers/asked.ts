import { ConfigError, listWords, suggest } from "../config/config-error.js";
import type { Level, LoadKind } from "../model/level.js";
import type { Result } from "../model/result.js";
import type { Target } from "../model/scenario.js";
import { loadOf } from "../stats/load.js";
import { OutputError } from "../store/write-file.js";
import { readResultSync } from "../store/read-result.js";

/** A result, or what has one: the outcome of `sweep()`, `ramp()` and `resume()`, or what `readResult()` gives. */
export type Measured = Result | { readonly result: Result };

/**
 * Returns the result of what was handed to an assertion. Throws a {@link ConfigError} for anything that has none, such as a
 * promise that nobody waited for.
 *
 * @param what it is, in the message.
 */
export function resultOf(given: unknown, what = "the value"): Result {
  const inner = isObject(given) && "result" in given ? given["result"] : given;
  if (isResult(inner)) return inner;
  throw new ConfigError(
    `Expected ${what} to be a result of lbbench: what sweep() resolves with, its result, or what readResult() gives. ` +
      `Got ${describeGiven(given)}.`,
  );
}

/** Whether something is a result, or has one. */
export function hasResult(given: unknown): given is Measured {
  return isResult(given) || (isObject(given) && isResult(given["result"]));
}

function isResult(value: unknown): value is Result {
  return isObject(value) && isObject(value["scenario"]) && Array.isArray(value["steps"]) && isObject(value["verdict"]);
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}

function describeGiven(given: unknown): string {
  if (given === null) return "null";
  if (isObject(given) && typeof given["then"] === "function") return "a promise: wait for it with await";
  if (Array.isArray(given)) return "an array";
  if (isObject(given)) {
    const keys = Object.keys(given).slice(0, 3);
    return keys.length === 0 ? "an empty object" : `an object with ${keys.join(", ")}`;
  }
  return typeof given === "undefined" ? "undefined" : `a ${typeof given}`;
}

/** The part of a result that is asked about; all of it without any of these. */
export interface Part {
  /** Names of targets. */
  readonly target?: string | readonly string[];
  /** Levels by their number of connections; `rate` and `users` likewise. */
  readonly connections?: number | readonly number[];
  readonly rate?: number | readonly number[];
  readonly users?: number | readonly number[];
}

const KINDS: readonly LoadKind[] = ["connections", "rate", "users"];
const KEYS: ReadonlySet<string> = new Set(["target", ...KINDS]);

/**
 * Returns a result as if only these targets and levels had been asked for, its verdict left as it is. Throws a
 * {@link ConfigError} for a target or a level that the result does not have.
 */
export function selectPart(result: Result, part: Part = {}): Result {
  checkKeys(part);
  const { scenario } = result;
  const targets = chosenTargets(result, part);
  const levels = chosenLevels(result, part);
  const isWanted = (level: Level): boolean => levels.some((one) => isSameLoad(one, level));
  return {
    ...result,
    scenario: {
      ...scenario,
      targets: scenario.targets
        .filter(({ name }) => targets.includes(name))
        .map((one) => withReferencesIn(one, targets)),
      levels: scenario.levels.filter(isWanted),
      reference: scenario.reference !== null && targets.includes(scenario.reference) ? scenario.reference : null,
    },
    steps: result.steps.filter(({ target, level }) => targets.includes(target) && isWanted(level)),
  };
}

/** A target without those of its own references that are not among these; compared with none where none is left. */
function withReferencesIn(target: Target, names: readonly string[]): Target {
  const { references } = target;
  if (references === undefined || references.every((name) => names.includes(name))) return target;
  return { ...target, references: references.filter((name) => names.includes(name)) };
}

/** A word that is misspelt would leave the whole result asked about. */
function checkKeys(part: Part): void {
  if (typeof part !== "object" || part === null) {
    throw new ConfigError(`Expected an object such as {target: "single"}, got ${JSON.stringify(part)}.`);
  }
  const unknown = Object.keys(part).find((key) => !KEYS.has(key));
  if (unknown === undefined) return;
  throw new ConfigError(`Expected ${listWords(KEYS)}, got "${unknown}".${suggest(unknown, KEYS)}`);
}

function chosenTargets({ scenario }: Result, { target }: Part): readonly string[] {
  const names = scenario.targets.map(({ name }) => name);
  if (target === undefined) return names;
  const asked = typeof target === "string" ? [target] : target;
  for (const name of asked) {
    if (!names.includes(name)) {
      throw new ConfigError(
        `target: expected a target of the result (${listWords(names)}), got "${name}".${suggest(name, names)}`,
      );
    }
  }
  if (asked.length === 0) throw new ConfigError("target: expected at least one name, got none.");
  return asked;
}

function chosenLevels({ scenario }: Result, part: Part): readonly Level[] {
  const asked = KINDS.flatMap((kind) => {
    const values = part[kind];
    return values === undefined ? [] : [values].flat().map((value): Level => ({ [kind]: toLevelValue(kind, value) }));
  });
  const isAsked = KINDS.some((kind) => part[kind] !== undefined);
  if (!isAsked) return scenario.levels;
  if (asked.length === 0) throw new ConfigError("Expected at least one level, got none.");
  for (const level of asked) {
    if (!scenario.levels.some((one) => isSameLoad(one, level))) {
      const { kind, value } = loadOf(level);
      const known = [...new Set(scenario.levels.map((one) => `${loadOf(one).kind} ${loadOf(one).value}`))];
      throw new ConfigError(`${kind}: expected a level of the result (${listWords(known)}), got ${value}.`);
    }
  }
  return asked;
}

function toLevelValue(kind: LoadKind, value: unknown): number {
  if (typeof value === "number") return value;
  throw new ConfigError(`${kind}: expected a number, got ${JSON.stringify(value)}, which is ${describeType(value)}.`);
}

function describeType(value: unknown): string {
  if (value === null) return "null";
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}

function isSameLoad(one: Level, other: Level): boolean {
  const [a, b] = [loadOf(one), loadOf(other)];
  return a.kind === b.kind && a.value === b.value;
}

/** What a result is compared with: a target of its own by its name, another result, or the path of one that was written. */
export type Baseline = string | Measured;

/** A baseline that was found. */
type FoundBaseline = { readonly target: string } | { readonly result: Result; readonly path?: string };

/**
 * Finds what is meant by a baseline. A text that is the name of a target of the result means that, any other a path. Throws a
 * `ConfigError` for what is neither.
 */
export function findBaseline(baseline: unknown, { scenario }: Pick<Result, "scenario">): FoundBaseline {
  if (hasResult(baseline)) return { result: resultOf(baseline) };
  if (typeof baseline !== "string") return { result: resultOf(baseline, "the baseline") };
  const names = scenario.targets.map(({ name }) => name);
  if (names.includes(baseline)) return { target: baseline };
  try {
    return readResultSync(baseline);
  } catch (error) {
    if (!(error instanceof OutputError)) throw error;
    throw new ConfigError(
      `baseline: expected a target of the result (${listWords(names)}) or the path of a result, ` +
        `got "${baseline}".${suggest(baseline, names)} ${error.message}`,
      { cause: error },
    );
  }
}
