import type { RequestCounts } from "../model/measurement.js";
import { type Cell, cellsByTarget, countFailed, countFinished } from "./cells.js";
import { describeLoad, loadWords } from "./describe-level.js";
import { loadValue } from "../stats/load.js";
import { TOLD_FAILURES } from "../model/outcomes.js";
import type { ReportModel } from "./report-model.js";
import { formatCount, formatPercent } from "./format-number.js";

/** More levels than these are not named one by one. */
const MOST_NAMED = 4;

/**
 * Says of each target at which level of a sweep requests begin to fail, and how they fail there and above: `nginx: requests begin to
 * fail between 200 and 300 connections; none failed up to 200 connections, 52.8 % at 300 (unexpected status)`. That takes lower levels
 * of which every step was measured to its end without a failure, and failures at every higher level that was measured. Where requests
 * failed at one level between others at which none did, says that. Nothing of other targets, of levels that have a finding with an
 * error, which says more by itself (the target died, or nothing was answered), and of runs with one level, users who come one after
 * another, or more than one amount of requests. Plain text.
 *
 * @param told targets of which something else says it already. Default: none.
 */
export function describeBreaks(
  { result, cells: all }: ReportModel,
  told: ReadonlySet<unknown> = new Set(),
): readonly string[] {
  if (result.search !== undefined || result.scenario.ramp !== null) return [];
  return [...cellsByTarget(all)].flatMap(([target, cells]) =>
    told.has(target) ? [] : (describeBreak(target, cells) ?? []),
  );
}

function describeBreak(target: string, cells: readonly Cell[]): string | undefined {
  const rising = cells.toSorted((a, b) => loadValue(a.level) - loadValue(b.level));
  if (new Set(rising.map(({ level }) => loadValue(level))).size < rising.length) return undefined;
  const first = rising.findIndex((cell) => countFailed(cell) > 0);
  const [good, bad] = [rising[first - 1], rising[first]];
  if (good === undefined || bad === undefined || !rising.slice(0, first).every(isFaultless)) return undefined;
  const above = rising.slice(first + 1).filter((cell) => countFinished(cell) > 0);
  const failing = [bad, ...above.filter((cell) => countFailed(cell) > 0)];
  if (hasError(bad)) return undefined;
  const share = (cell: Cell): string => `${shareOf(cell)} at ${formatCount(loadValue(cell.level))} (${waysOf(cell)})`;
  if (failing.length <= above.length) {
    const isAlone = failing.length === 1 && rising.every((cell) => cell === bad || isFaultless(cell));
    return isAlone
      ? `${target}: requests failed at ${describeLoad(bad.level)} only, ${shareOf(bad)} (${waysOf(bad)}); none at lower levels and at higher ones`
      : undefined;
  }
  const named = failing.filter((cell) => !hasError(cell));
  const told = named.length > MOST_NAMED ? [...named.slice(0, MOST_NAMED - 1), ...named.slice(-1)] : named;
  const between = `between ${formatCount(loadValue(good.level))} and ${formatCount(loadValue(bad.level))} ${loadWords([good.level]).many}`;
  return `${target}: requests begin to fail ${between}; none failed up to ${describeLoad(good.level)}, ${told.map(share).join(", ")}`;
}

/** Whether it is known that nothing failed: a step that was cut short, or whose target died, says nothing of what would have. */
function isFaultless(cell: Cell): boolean {
  const isMeasured = cell.steps.every(({ state, measurement }) => state === "completed" && measurement !== undefined);
  return isMeasured && countFinished(cell) > 0 && countFailed(cell) === 0 && !hasError(cell);
}

function hasError({ steps }: Cell): boolean {
  return steps.some(({ findings }) => findings.some(({ severity }) => severity === "error"));
}

function shareOf(cell: Cell): string {
  const share = countFailed(cell) / countFinished(cell);
  return share < 0.0005
    ? `${formatCount(countFailed(cell))} of ${formatCount(countFinished(cell))}`
    : `${formatPercent(share)} %`;
}

/** What happened most often comes first; how often is in a table. */
function waysOf({ measurements }: Cell): string {
  const counts = TOLD_FAILURES.map(({ key, label }) => ({ label, count: sumOf(measurements, key) }));
  return counts
    .filter(({ count }) => count > 0)
    .toSorted((a, b) => b.count - a.count)
    .map(({ label }) => label)
    .join(", ");
}

function sumOf(measurements: Cell["measurements"], key: keyof RequestCounts): number {
  return measurements.reduce((sum, { requests }) => sum + (requests[key] ?? 0), 0);
}
