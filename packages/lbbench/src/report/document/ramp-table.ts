import { describeState } from "../describe-state.js";
import { RAMP_FIGURES } from "../ramp-figures.js";
import type { TargetRamp } from "../ramps.js";
import type { Block } from "./block.js";
import { paragraph } from "./blocks.js";
import { createTable, NO_FIGURE, numberColumn } from "./table.js";
import type { Column } from "./table.js";

/** Returns what each ramp comes to as a whole, a row per target. */
export function rampTable(ramps: readonly TargetRamp[]): readonly Block[] {
  const state: Column<TargetRamp> = {
    head: "State",
    align: "left",
    cell: ({ cell }) => describeState(cell) || NO_FIGURE,
  };
  const columns: readonly Column<TargetRamp>[] = [
    { head: "Target", align: "left", cell: ({ cell }) => cell.target },
    ...RAMP_FIGURES.map(({ head, value, format }) => numberColumn<TargetRamp>(head, ({ cell }) => value(cell), format)),
    ...(ramps.some(({ cell }) => describeState(cell) !== "") ? [state] : []),
  ];
  const several = ramps.some(({ cell }) => cell.measurements.length > 1);
  const lead =
    "Samples are all requests that came to an end, latency is of ok responses alone. All are of the whole ramp, its quiet beginning and its busy end together.";
  return [
    createTable({ caption: "The whole ramp", lead }, columns, ramps),
    ...(several ? [paragraph("Medians over the trials; samples and error rate are of all trials.")] : []),
  ];
}
