import type { Finding } from "../model/finding.js";
import type { StepResult } from "../model/result.js";
import { groupBy } from "../stats/group-by.js";
import { stepKey } from "../stats/identity.js";
import { LATENCY_KEYS } from "../stats/latency-keys.js";
import { loadOf, loadValue } from "../stats/load.js";
import { listNumbers } from "./group-findings.js";
import { found } from "./found.js";

/** Digits that have to agree, of different numbers those after the first: measurements of like things share the first as a matter of course. */
const DIGITS = 20;

/** Digits of a figure that count: a mean has more of them, but is a single figure. */
const MOST_OF_A_FIGURE = 4;

/** A step whose latencies are those of another. */
export interface CopiedStep {
  readonly step: StepResult;
  readonly original: StepResult;
}

/**
 * `IDENTICAL_FIGURES` when the latencies of a target are those of another one, or its own of another level or trial: in `copied` steps, of
 * which the first stands for all. `figures` is how many different numbers agree.
 */
export function findIdenticalFigures(steps: readonly StepResult[]): readonly Finding[] {
  // So that of two tables it is always the later one that is said to be the other's.
  const tables = [...groupBy(steps, ({ target }) => target).values()];
  const copies = [...findCopiedSteps(tables.flat()), ...findCopiedTables(tables)];
  const pairs = groupBy(copies, ({ step, original }) => JSON.stringify([step.target, original.target]));
  return [...pairs.values()].flatMap((pair): readonly Finding[] => {
    const [first] = pair;
    if (first === undefined) return [];
    const copied = [...new Set(pair.map(({ step }) => step))];
    return found("IDENTICAL_FIGURES", "warning", {
      target: first.step.target,
      other: first.original.target,
      levels: listNumbers(copied.map(({ level }) => loadValue(level))),
      [loadOf(first.step.level).kind]: loadValue(first.step.level),
      copied: copied.length,
      figures: new Set(copied.flatMap(latenciesOf)).size,
    });
  });
}

/** Returns the steps of one table that those of another are copied to, where all that both have agree; else none. */
export function matchTables(originals: readonly StepResult[], others: readonly StepResult[]): readonly CopiedStep[] {
  const [before, after] = [originals, others].map((steps) => steps.filter((step) => latenciesOf(step).length > 0));
  const byPlace = groupBy(before ?? [], placeOf);
  const pairs = (after ?? []).flatMap((step): readonly CopiedStep[] => {
    const [original] = byPlace.get(placeOf(step)) ?? [];
    return original === undefined ? [] : [{ step, original }];
  });
  const agree = pairs.every(({ step, original }) => figuresKey(step) === figuresKey(original));
  return agree && countDigits(pairs.flatMap(({ step }) => latenciesOf(step))) >= DIGITS ? pairs : [];
}

/**
 * Steps of tables that copy an earlier table. An imported table may have one figure for each level, so that only the whole table has
 * enough of them. Tables that agree somewhere are compared, since all pairs of many targets are too many.
 */
function findCopiedTables(tables: readonly (readonly StepResult[])[]): readonly CopiedStep[] {
  const having = new Map<string, Set<readonly StepResult[]>>();
  return tables.flatMap((others) => {
    const keys = others.flatMap((step) => (latenciesOf(step).length > 0 ? [placeOf(step) + figuresKey(step)] : []));
    const agreeing = new Set(keys.flatMap((key) => [...(having.get(key) ?? [])]));
    for (const key of keys) having.set(key, (having.get(key) ?? new Set()).add(others));
    return tables.filter((table) => agreeing.has(table)).flatMap((table) => matchTables(table, others));
  });
}

/** Steps that have, each alone, enough figures to be recognized. */
function findCopiedSteps(steps: readonly StepResult[]): readonly CopiedStep[] {
  const telling = steps.filter((step) => countDigits(latenciesOf(step)) >= DIGITS);
  return [...groupBy(telling, figuresKey).values()].flatMap(([original, ...others]) =>
    original === undefined ? [] : others.map((step) => ({ step, original })),
  );
}

function placeOf({ level, trial }: StepResult): string {
  return stepKey({ target: "", level, trial });
}

function figuresKey(step: StepResult): string {
  return JSON.stringify(latenciesOf(step));
}

function latenciesOf({ measurement }: StepResult): readonly number[] {
  const latency = measurement?.latency;
  return latency === undefined ? [] : LATENCY_KEYS.flatMap((key) => latency[key] ?? []);
}

function countDigits(figures: readonly number[]): number {
  return [...new Set(figures)].reduce((sum, figure) => {
    const [mantissa = ""] = Math.abs(figure).toExponential().split("e");
    return sum + Math.min(Math.max(0, mantissa.length - 2), MOST_OF_A_FIGURE);
  }, 0);
}
