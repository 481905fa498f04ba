import { ConfigError, listWords, refuse, suggest } from "../config/config-error.js";
import type { Level, LoadKind } from "../model/level.js";
import type { Result } from "../model/result.js";
import type { Target } from "../model/scenario.js";
import { LOAD_KINDS, loadOf } from "../stats/load.js";
import { readResultSync } from "../store/read-result.js";
import { OutputError } from "../store/write-file.js";
import { defined } from "../stats/defined.js";
import { isRecord } from "../stats/plain-data.js";

/** A result, or what has one: the outcome of `sweep()`, `ramp()` and `resume()`, or what `readResult()` gives. */
export type Measured = Result | { readonly result: Result };

/**
 * Returns the result of what was handed to an assertion. Throws a {@link ConfigError} for anything that has none, such as a
 * promise that was not waited for.
 *
 * @param what it is, in the message.
 */
export function resultOf(given: unknown, what = "the value"): Result {
  const inner = isRecord(given) && "result" in given ? given["result"] : given;
  if (isResult(inner)) return inner;
  throw new ConfigError(
    `Expected ${what} to be a result of lbbench: what sweep() resolves with, its result, or what readResult() gives. ` +
      `Got ${describeGiven(given)}.`,
  );
}

function isResult(value: unknown): value is Result {
  return isRecord(value) && isRecord(value["scenario"]) && Array.isArray(value["steps"]) && isRecord(value["verdict"]);
}

function describeGiven(given: unknown): string {
  if (given === null || given === undefined) return String(given);
  if (Array.isArray(given)) return "an array";
  if (!isRecord(given)) return `a ${typeof given}`;
  if (typeof given["then"] === "function") return "a promise: wait for it with await";
  return `an object with ${Object.keys(given).slice(0, 3).join(", ") || "nothing in it"}`;
}

/** The part of a result that is asked about: levels by their number of connections, or what else they have; all of it without any of these. */
export interface Part extends Readonly<Partial<Record<LoadKind, number | readonly number[]>>> {
  /** Names of targets. */
  readonly target?: string | readonly string[];
}

const KEYS: ReadonlySet<string> = new Set(["target", ...LOAD_KINDS]);

/**
 * Returns a result as if only these targets and levels had been asked for, its verdict left as it is. Throws a
 * {@link ConfigError} for a target or a level that the result does not have.
 */
export function selectPart(result: Result, part: Part = {}): Result {
  refuse(!isRecord(part) && `Expected an object such as {target: "single"}, got ${JSON.stringify(part)}.`);
  // A word that is misspelt would leave the whole result asked about.
  const unknown = Object.keys(part).find((key) => !KEYS.has(key));
  refuse(unknown !== undefined && `Expected ${listWords(KEYS)}, got "${unknown}".${suggest(unknown, KEYS)}`);
  const { scenario } = result;
  const names = chooseTargets(scenario.targets, part);
  const loads = chooseLoads(scenario.levels, part);
  const isWanted = (level: Level): boolean => loads === undefined || loads.has(nameLoad(level));
  const wanted = scenario.targets.filter(({ name }) => names.includes(name));
  return {
    ...result,
    scenario: {
      ...scenario,
      // Compared with none where none of its own references is left.
      targets: wanted.map((target) => ({
        ...target,
        ...defined({ references: target.references?.filter((name) => names.includes(name)) }),
      })),
      levels: scenario.levels.filter(isWanted),
      reference: scenario.reference !== null && names.includes(scenario.reference) ? scenario.reference : null,
    },
    steps: result.steps.filter(({ target, level }) => names.includes(target) && isWanted(level)),
  };
}

function chooseTargets(targets: readonly Target[], { target: asked }: Part): readonly string[] {
  const names = targets.map(({ name }) => name);
  const chosen = asked === undefined ? names : [asked].flat();
  const wrong = chosen.find((name) => !names.includes(name));
  refuse(
    asked !== undefined && chosen.length === 0 && "target: expected at least one name, got none.",
    wrong !== undefined &&
      `target: expected a target of the result (${listWords(names)}), got "${wrong}".${suggest(wrong, names)}`,
  );
  return chosen;
}

const nameLoad = (level: Level): string => `${loadOf(level).kind} ${loadOf(level).value}`;

/** The loads that are asked about; `undefined` where no levels are named. */
function chooseLoads(levels: readonly Level[], part: Part): ReadonlySet<string> | undefined {
  if (LOAD_KINDS.every((kind) => part[kind] === undefined)) return undefined;
  const known = new Set(levels.map(nameLoad));
  const asked = LOAD_KINDS.flatMap((kind) => [part[kind] ?? []].flat().map((value: unknown) => ({ kind, value })));
  refuse(asked.length === 0 && "Expected at least one level, got none.");
  for (const { kind, value } of asked) {
    refuse(
      typeof value !== "number" &&
        `${kind}: expected a number, got ${JSON.stringify(value)}, which is a ${typeof value}.`,
      typeof value === "number" &&
        !known.has(`${kind} ${value}`) &&
        `${kind}: expected a level of the result (${listWords(known)}), got ${value}.`,
    );
  }
  return new Set(asked.map(({ kind, value }) => `${kind} ${String(value)}`));
}

/** What a result is compared with: a target of its own by its name, another result, or the path of one that was written. */
export type Baseline = string | Measured;

/**
 * Finds what is meant by a baseline: the name of a target of the result, or another result. A text that is no such name is a path.
 * Throws a `ConfigError` for any other value.
 */
export function findBaseline(
  baseline: unknown,
  { scenario }: Pick<Result, "scenario">,
): { readonly target: string } | { readonly result: Result; readonly path?: string } {
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
