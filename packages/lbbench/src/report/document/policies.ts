import { formatDuration, formatPercent, formatTenths, formatTime } from "../../stats/format-number.js";
import { summarizeTrials } from "../../stats/trials.js";
import { type Cell, medianOf } from "../cells.js";
import { shownFigure } from "../figures.js";
import { shortenName } from "../plain-line.js";
import { attemptsOf, mostInFlight } from "../policies.js";
import type { Section } from "../report-model.js";
import { type Column, createTable, numberColumn, paragraph, wordColumn } from "./block.js";
import { BRACKETS } from "./results.js";

/** Longer names would make the table wider than a page. */
const LONGEST_NAME = 40;

/** How each policy did, the best first; nothing of other runs. */
export const policies: Section = ({ result: { scenario }, cells }) => {
  const { policies: told } = scenario;
  const rows = cells.filter((cell) => successes(cell).length > 0);
  if (told === undefined || rows.length === 0) return null;
  const latency = (key: "p50" | "p99" | "p999", head: string): Column<Cell> =>
    numberColumn(`${head} (ms)`, (cell) => medianOf(cell, (one) => one.latency?.[key]), formatTime, "of ok responses");
  const columns: readonly Column<Cell>[] = [
    wordColumn("Policy", ({ target }) => shortenName(target, LONGEST_NAME)),
    {
      head: `Within ${formatDuration(told.withinMs)} (%)`,
      align: "right",
      cell: successCell,
      title: "of all requests that were due, those answered ok within the deadline",
    },
    latency("p50", "p50"),
    latency("p99", "p99"),
    latency("p999", "p99.9"),
    numberColumn("Failed (%)", (cell) => shownFigure("failed_share").of(cell), formatPercent),
    ...known(
      rows,
      "Attempts a request",
      attemptsOf,
      formatAttempts,
      "requests that backends were given, also again after a failure",
    ),
    ...known(
      rows,
      "Most in flight",
      mostInFlight,
      formatTenths,
      "the most requests that one backend had at a time, of ten looks a second",
    ),
  ];
  return {
    id: "policies",
    title: "Policies",
    blocks: [
      createTable(
        {
          caption: "Policies",
          lead: `Scenario ${told.scenario}. Requests still open when the time was over were waited for.`,
        },
        columns,
        rows.toSorted((a, b) => middle(b) - middle(a)),
      ),
      ...(rows.some((cell) => successes(cell).length > 1) ? [paragraph(BRACKETS)] : []),
    ],
  };
};

const { values: successes, of: successOf } = shownFigure("within_share");

function middle(cell: Cell): number {
  return successOf(cell) ?? 0;
}

function successCell(cell: Cell) {
  const all = successes(cell);
  const { median, low, high } = summarizeTrials(all);
  const [from, to] = [formatPercent(low), formatPercent(high)];
  return { text: from === to ? formatPercent(median) : `${formatPercent(median)} (${from} to ${to})`, value: median };
}

function formatAttempts(attempts: number): string {
  return attempts.toFixed(3);
}

/** A column that is there where some row tells its figure. */
function known(
  rows: readonly Cell[],
  head: string,
  of: (cell: Cell) => number | null,
  format: (value: number) => string,
  title: string,
): readonly Column<Cell>[] {
  return rows.some((cell) => of(cell) !== null) ? [numberColumn(head, of, format, title)] : [];
}
