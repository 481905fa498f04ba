import type { FindingArgs } from "../model/finding.js";
import type { StepResult } from "../model/result.js";
import type { Bottleneck } from "../model/usage.js";
import { groupAscending } from "../stats/group-ascending.js";
import { groupBy } from "../stats/group-by.js";
import { loadValue } from "../stats/load.js";
import { knownBottleneck } from "./bottleneck.js";

/**
 * Returns what was busy to its limit beyond a knee: {bottleneck}, the one that was so at most of the levels from `above` on, and where
 * that is not all of them {busyAt: "100, 250"}; `none` where nothing was at any of them. At equal numbers the one that was the first.
 * Of the trials of a level most decide. Nothing where the bottleneck is not known at every one of the levels.
 */
export function beyondKnee(steps: readonly StepResult[], above: number): FindingArgs {
  const beyond = steps.filter(({ level }) => loadValue(level) >= above);
  const levels = groupAscending(beyond, ({ level }) => loadValue(level)).flatMap(({ key, items }) => {
    const bottleneck = mostFrequent(items.flatMap(({ usage }) => knownBottleneck(usage)));
    return bottleneck === undefined ? [] : [{ load: key, bottleneck }];
  });
  if (levels.length === 0 || levels.length < new Set(beyond.map(({ level }) => loadValue(level))).size) return {};
  const limits = levels.map(({ bottleneck }) => bottleneck).filter((bottleneck) => bottleneck !== "none");
  const bottleneck = mostFrequent(limits) ?? "none";
  const busy = levels.filter((one) => one.bottleneck === bottleneck);
  return busy.length === levels.length
    ? { bottleneck }
    : { bottleneck, busyAt: busy.map(({ load }) => String(load)).join(", ") };
}

function mostFrequent(names: readonly Bottleneck[]): Bottleneck | undefined {
  return [...groupBy(names, (name) => name).values()].toSorted((a, b) => b.length - a.length)[0]?.[0];
}
