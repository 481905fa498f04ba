import type { Result } from "../model/result.js";
import { differ } from "./compare-difference.js";
import type { Difference } from "./compare-difference.js";

type Told = string | number | boolean | null;

/** One difference, if there is one; none where one side does not tell (`null`). */
export function differIfTold(
  code: Difference["code"],
  effect: Difference["effect"],
  what: string,
  a: Told,
  b: Told,
): readonly Difference[] {
  return a === null || b === null ? [] : differ(code, effect, what, a, b);
}

/** What two runs have to be alike in, and imported output may not tell. */
const NAMES: readonly (readonly [what: string, of: (result: Result) => unknown])[] = [
  ["machine", ({ environment }) => environment],
  ["request", ({ scenario }) => (scenario.mix === null ? scenario.request : scenario.mix)],
  ["keep-alive", ({ scenario }) => scenario.keepAlive],
  ["warm-up", ({ scenario }) => scenario.warmupMs],
  ["timeout", ({ scenario }) => scenario.timeoutMs],
  ["options of the engine", ({ scenario }) => scenario.engine.generators],
];

/** `NOT_TOLD`, a note for each side that does not tell all that has to be alike. */
export function noteNotTold(a: Result, b: Result): readonly Difference[] {
  return [
    { result: a, side: "A" },
    { result: b, side: "B" },
  ].flatMap(({ result, side }): readonly Difference[] => {
    if (result.imported === undefined) return [];
    const missing = NAMES.filter(([, of]) => of(result) === null).map(([what]) => what);
    return [{ code: "NOT_TOLD", effect: "note", what: `${side}: ${missing.join(", ")}` }];
  });
}
