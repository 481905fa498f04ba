import type { Result } from "../model/result.js";
import type { Ramp } from "../model/scenario.js";
import { loadValue } from "../stats/load.js";
import { rampSeconds } from "../stats/ramp-seconds.js";
import type { RampSecond } from "../stats/ramp-seconds.js";
import { collectCells } from "./cells.js";
import type { Cell } from "./cells.js";

/** The ramp of one target, with all its trials. */
export interface TargetRamp {
  readonly cell: Cell;
  readonly ramp: Ramp;
  /** Of every figure the median over the trials; empty without a measurement. */
  readonly seconds: readonly RampSecond[];
}

/** Returns the ramps of a result, target by target; none where its load does not rise. */
export function collectRamps(result: Result): readonly TargetRamp[] {
  const { ramp } = result.scenario;
  if (ramp === null) return [];
  return collectCells(result).map((cell) => ({
    cell,
    ramp,
    seconds: rampSeconds(cell.measurements, loadValue(cell.level), ramp),
  }));
}
