import type { Result, StepResult } from "../../model/result.js";
import { AB_PERCENTAGES } from "../../stats/latency-keys.js";
import type { Block } from "../document/block.js";
import { heading, paragraph } from "../document/blocks.js";
import { createTable, NO_FIGURE } from "../document/table.js";
import type { Column } from "../document/table.js";
import { cellsByTarget, collectCells } from "../cells.js";
import { describeLoad } from "../describe-level.js";
import { formatCount } from "../format-number.js";
import { renderInlines } from "../markdown/render-inlines.js";
import { renderBlocks } from "../markdown/render-blocks.js";
import { shortenTargets } from "../document/shorten-targets.js";
import { renderAbBlock } from "./ab-block.js";

/** A step, as a row: its number within the target, and its block in `ab.txt`, which the figures are those of. */
interface TestRow {
  readonly test: number;
  readonly step: StepResult;
  readonly block: string;
}

/** Columns of the table that people make of such blocks by hand: the head, and the label of the line. */
const FIGURES: readonly (readonly [head: string, label: string])[] = [
  ["Time taken (s)", "Time taken for tests"],
  ["Complete requests", "Complete requests"],
  ["Failed requests", "Failed requests"],
  ["Non-2xx responses", "Non-2xx responses"],
  ["Total transferred (bytes)", "Total transferred"],
  ["Requests per second", "Requests per second"],
  ["Time per request (ms)", "Time per request"],
  ["Transfer rate (kB/s)", "Transfer rate"],
];
/** A line that is left out where it is 0. */
const ZERO_IF_MISSING = "Non-2xx responses";

/**
 * Returns the figures of `ab.txt` as Markdown: for each target a table with a row for each step, and one of percentiles. It ends with a
 * line break.
 */
export function renderAbTables(result: Result): string {
  const short = shortenTargets(result);
  const { scenario } = short;
  const blocks = [...cellsByTarget(collectCells(short))].flatMap(([target, cells]) => {
    const steps = cells.flatMap((cell) => cell.steps);
    const rows = steps.map((step, at): TestRow => ({ test: at + 1, step, block: renderAbBlock(scenario, step) }));
    return tabulate(target, rows);
  });
  const lead =
    "Words have the meaning that ab gives them: complete is whatever came to an end, of any status, and rates are of that. Each row is a block of [ab.txt](ab.txt).";
  return `${[`# ${renderInlines(`${scenario.name}, as ab counts`)}`, lead, ...renderBlocks(blocks)].join("\n\n")}\n`;
}

function tabulate(target: string, rows: readonly TestRow[]): readonly Block[] {
  const places = placeColumns(rows);
  const figures = FIGURES.map(([head, label]): Column<TestRow> => ({
    head,
    align: "right",
    cell: ({ block }) => figureOf(block, label),
  }));
  const percentages = AB_PERCENTAGES.map(([percentage]): Column<TestRow> => ({
    head: `${percentage} %`,
    align: "right",
    cell: ({ block }) => new RegExp(`^ *${percentage}% +(\\d+)`, "m").exec(block)?.[1] ?? NO_FIGURE,
  }));
  return [
    heading(target),
    createTable({ caption: `Tests of ${target}` }, [...places, ...figures], rows),
    paragraph("Percentage of the requests served within a certain time (ms):"),
    createTable({ caption: `Percentiles of ${target}` }, [...places, ...percentages], rows),
  ];
}

function placeColumns(rows: readonly TestRow[]): readonly Column<TestRow>[] {
  const trial: Column<TestRow> = { head: "Trial", align: "right", cell: ({ step }) => formatCount(step.trial) };
  return [
    { head: "Test no.", align: "right", cell: ({ test }) => formatCount(test) },
    {
      head: "Concurrency level",
      align: "right",
      cell: ({ block, step }) => /^Concurrency Level: +(\d+)/m.exec(block)?.[1] ?? describeLoad(step.level),
    },
    ...(rows.some(({ step }) => step.trial > 1) ? [trial] : []),
  ];
}

function figureOf(block: string, label: string): string {
  const found = new RegExp(`^${label}: +([\\d.]+)`, "m").exec(block)?.[1];
  if (found !== undefined) return found;
  return label === ZERO_IF_MISSING && block.includes("\nComplete requests:") ? "0" : NO_FIGURE;
}
