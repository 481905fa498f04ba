import type { LatencySummary } from "../../model/measurement.js";
import { medianLatency, medianOf } from "../cell-figures.js";
import { countFailed } from "../cells.js";
import type { Cell } from "../cells.js";
import { countRefused } from "../count-refused.js";
import type { Expectations } from "../count-refused.js";
import { DECISION_WORDS } from "../describe-search.js";
import { describeState } from "../describe-state.js";
import { formatCount, formatRate, formatTime } from "../format-number.js";
import type { SearchOutcome } from "../../model/search.js";
import { loadValue } from "../../stats/load.js";
import type { Block } from "./block.js";
import { paragraph } from "./blocks.js";
import { levelColumns } from "./level-columns.js";
import { createTable, NO_FIGURE, numberColumn } from "./table.js";
import type { Column } from "./table.js";

const LATENCIES: readonly (readonly [keyof LatencySummary, string])[] = [
  ["p50", "p50 (ms)"],
  ["p90", "p90 (ms)"],
  ["p99", "p99 (ms)"],
  ["max", "Max (ms)"],
  ["mean", "Mean (ms)"],
];

/**
 * Returns throughput, latency, requests and time taken per level, what a narrow screen has no room for last; medians over the trials, counts over all of them.
 *
 * @param outcome of the search that chose the levels, if one did: then it says of each whether it held.
 * @param scenario says which statuses are expected: then it tells how many of the failed were refused, where any were.
 */
export function latencyTable(
  cells: readonly Cell[],
  outcome?: SearchOutcome,
  scenario?: Expectations,
): readonly Block[] {
  const columns: readonly Column<Cell>[] = [
    ...levelColumns(cells),
    ...heldColumn(outcome),
    numberColumn(
      "Requests/s",
      (cell) => medianOf(cell, ({ throughput }) => throughput),
      formatRate,
      "ok responses only",
    ),
    ...LATENCIES.map(([key, head]) => numberColumn<Cell>(head, (cell) => medianLatency(cell, key), formatTime)),
    numberColumn(
      "Failed",
      (cell) => (cell.measurements.length === 0 ? null : countFailed(cell)),
      formatCount,
      "in whatever way; requests in flight at the end are not among them",
    ),
    ...refusedColumn(cells, scenario),
    numberColumn("Complete (ok)", countOk, formatCount, "answered completely, with an expected status and body"),
    numberColumn("Time taken (s)", (cell) => seconds(medianOf(cell, ({ elapsedMs }) => elapsedMs)), formatTime),
    ...stateColumn(cells),
  ];
  const several = cells.some(({ measurements }) => measurements.length > 1);
  return [
    createTable({ caption: "Requests and latency" }, columns, cells),
    ...(several ? [paragraph("Medians over the trials; complete and failed are of all trials.")] : []),
  ];
}

function heldColumn(outcome: SearchOutcome | undefined): readonly Column<Cell>[] {
  if (outcome === undefined) return [];
  const tried = new Map(
    [...outcome.tried, ...(outcome.beyond === null ? [] : [outcome.beyond])].map(({ value, decision }) => [
      value,
      decision,
    ]),
  );
  const cell = ({ level }: Cell): string => {
    const decision = tried.get(loadValue(level));
    return decision === undefined ? NO_FIGURE : DECISION_WORDS[decision];
  };
  return [{ head: "Held?", align: "left", title: "whether every threshold held", cell }];
}

function refusedColumn(cells: readonly Cell[], scenario: Expectations | undefined): readonly Column<Cell>[] {
  if (scenario === undefined) return [];
  const refused = ({ measurements }: Cell): number =>
    measurements.reduce((sum, measurement) => sum + countRefused(measurement, scenario), 0);
  if (cells.every((cell) => refused(cell) === 0)) return [];
  const value = (cell: Cell): number | null => (cell.measurements.length === 0 ? null : refused(cell));
  return [numberColumn("Refused", value, formatCount, "of the failed: answered with a status that refuses")];
}

function stateColumn(cells: readonly Cell[]): readonly Column<Cell>[] {
  const column: Column<Cell> = { head: "State", align: "left", cell: (cell) => describeState(cell) || NO_FIGURE };
  return cells.some((cell) => describeState(cell) !== "") ? [column] : [];
}

function countOk({ measurements }: Cell): number | null {
  return measurements.length === 0 ? null : measurements.reduce((sum, { requests }) => sum + requests.ok, 0);
}

function seconds(ms: number | null): number | null {
  return ms === null ? null : ms / 1000;
}
