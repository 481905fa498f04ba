import type { Level } from "../model/level.js";
import type { Measurement } from "../model/measurement.js";
import type { Result, StepResult } from "../model/result.js";
import type { Usage } from "../model/usage.js";
import { placeKey } from "../stats/identity.js";
import { loadValue } from "../stats/load.js";
import { groupBy } from "../stats/group-by.js";
import { failedRequests, finishedRequests } from "../stats/request-counts.js";

/** One target at one level, with all its trials: a row of a table, a point of a chart. */
export interface Cell {
  readonly target: string;
  readonly level: Level;
  /** In order of trial; at least one. */
  readonly steps: readonly StepResult[];
  /** What the figures rest on: measurements of completed steps, or of the others where none was completed. */
  readonly measurements: readonly Measurement[];
  /** Of which trial each of the measurements is. */
  readonly trials: readonly number[];
  /** Usage of the same steps. */
  readonly usages: readonly Usage[];
  /** Whether `measurements` are of steps that were cut short. */
  readonly cutShort: boolean;
}

/** Groups the steps of a result by target and level, in the order of the scenario, or of a search by load; there is no cell without a step. */
export function collectCells({ scenario, steps }: Result): readonly Cell[] {
  const byCell = groupBy(steps, placeKey);
  const planned = scenario.targets.flatMap(({ name }) =>
    scenario.levels.map((level) => placeKey({ target: name, level })),
  );
  const cells = [...new Set([...planned, ...byCell.keys()])].flatMap((key) => {
    const [first, ...others] = byCell.get(key) ?? [];
    return first === undefined ? [] : [createCell(first, others)];
  });
  if (scenario.search === null) return cells;
  // A search jumps from level to level; a table reads better from the lowest to the highest.
  const rising = (ofTarget: readonly Cell[]): readonly Cell[] =>
    ofTarget.toSorted((a, b) => loadValue(a.level) - loadValue(b.level));
  return [...cellsByTarget(cells).values()].flatMap(rising);
}

/** Groups cells by target, in order of first appearance. */
export function cellsByTarget(cells: readonly Cell[]): ReadonlyMap<string, readonly Cell[]> {
  return groupBy(cells, ({ target }) => target);
}

/** Requests of a cell that failed, over all its measurements: everything sent that was neither `ok` nor in flight. */
export function countFailed(cell: Cell): number {
  return cell.measurements.reduce((sum, { requests }) => sum + failedRequests(requests), 0);
}

/** Requests of a cell that came to an end, over all its measurements: what a share of failed requests is a share of. */
export function countFinished(cell: Cell): number {
  return cell.measurements.reduce((sum, { requests }) => sum + finishedRequests(requests), 0);
}

function createCell(first: StepResult, others: readonly StepResult[]): Cell {
  const steps = [first, ...others].toSorted((a, b) => a.trial - b.trial);
  const completed = steps.filter(({ state, measurement }) => state === "completed" && measurement !== undefined);
  const measured = completed.length > 0 ? completed : steps.filter(({ measurement }) => measurement !== undefined);
  return {
    target: first.target,
    level: first.level,
    steps,
    trials: measured.map(({ trial }) => trial),
    measurements: measured.flatMap(({ measurement }) => (measurement === undefined ? [] : [measurement])),
    usages: measured.flatMap(({ usage }) => (usage === undefined ? [] : [usage])),
    cutShort: completed.length === 0 && measured.length > 0,
  };
}
