import { compareTargets } from "../../judge/compare-targets.js";
import { loadValue } from "../../stats/load.js";
import type { LevelComparison } from "../../judge/compare-targets.js";
import type { ComparedMetric, MetricComparison } from "../../judge/compare-metric.js";
import type { Level } from "../../model/level.js";
import { groupBy } from "../../stats/group-by.js";
import { levelKey } from "../../stats/identity.js";
import { medianLatency, medianOf } from "../cell-figures.js";
import { collectCells } from "../cells.js";
import type { Cell } from "../cells.js";
import { shortenName } from "../shorten-name.js";
import { describeReason } from "../comparison-reason.js";
import { escapeMarkdown } from "../escape-markdown.js";
import { formatChange, formatCount, formatRate, formatTime } from "../format-number.js";
import { levelColumns } from "./level-columns.js";
import type { Section } from "./section.js";
import { NO_FIGURE, renderTable } from "./table.js";
import type { Column } from "./table.js";

/** Longer names would make a table wider than a page. */
const LONGEST_HEAD = 20;

const METRICS: readonly { readonly key: ComparedMetric; readonly head: string }[] = [
  { key: "throughput", head: "Requests/s" },
  { key: "p50", head: "p50 (ms)" },
  { key: "p99", head: "p99 (ms)" },
];

/** Every other target beside the reference, level by level; nothing with a single target. */
export const comparison: Section = (result) => {
  const cells = collectCells(result);
  const tables = [...groupBy(compareTargets(result), ({ target }) => target).values()].flatMap((levels) =>
    renderComparison(levels, cells),
  );
  return tables.length === 0 ? [] : ["## Comparison", ...tables];
};

function renderComparison(levels: readonly LevelComparison[], cells: readonly Cell[]): readonly string[] {
  const [first] = levels;
  if (first === undefined) {
    return [];
  }
  const { reference, target } = first;
  const figure = figureReader(cells);
  const columns: readonly Column<LevelComparison>[] = [
    ...levelColumns(levels),
    ...METRICS.flatMap(({ key, head }): readonly Column<LevelComparison>[] => [
      { head: `${head}, ${shortHead(reference)}`, align: "right", cell: ({ level }) => figure(reference, level, key) },
      { head: shortHead(target), align: "right", cell: ({ level }) => figure(target, level, key) },
      { head: "Change", align: "right", cell: (row) => renderChange(row[key]) },
    ]),
  ];
  return [
    `### ${escapeMarkdown(target)} compared with ${escapeMarkdown(reference)}`,
    renderTable(columns, levels),
    ...renderReasons(levels),
  ];
}

function shortHead(target: string): string {
  return escapeMarkdown(shortenName(target, LONGEST_HEAD));
}

function figureReader(cells: readonly Cell[]): (target: string, level: Level, metric: ComparedMetric) => string {
  const byPlace = groupBy(cells, ({ target, level }) => JSON.stringify([target, levelKey(level)]));
  return (target, level, metric) => {
    const [cell] = byPlace.get(JSON.stringify([target, levelKey(level)])) ?? [];
    if (cell === undefined) {
      return NO_FIGURE;
    }
    const value =
      metric === "throughput" ? medianOf(cell, ({ throughput }) => throughput) : medianLatency(cell, metric);
    const format = metric === "throughput" ? formatRate : formatTime;
    return value === null ? NO_FIGURE : format(value);
  };
}

function renderChange({ change, verdict }: MetricComparison): string {
  const size = change === null ? "" : `${formatChange(change)} `;
  return `${size}${verdict}`;
}

function renderReasons(levels: readonly LevelComparison[]): readonly string[] {
  const draws = levels.flatMap((row) =>
    METRICS.flatMap(({ key, head }) => (row[key].verdict === "~" ? [{ row, head, reason: row[key].reason }] : [])),
  );
  const byReason = groupBy(draws, ({ reason }) => describeReason(reason));
  const all = levels.length * METRICS.length;
  const lines = [...byReason].map(([reason, those]) => {
    const byMetric = groupBy(those, ({ head }) => head);
    const where = [...byMetric].map(
      ([head, rows]) =>
        `${head.replace(" (ms)", "")} at ${rows.map(({ row }) => formatCount(loadValue(row.level))).join(", ")}`,
    );
    return `- \`~\`${those.length === all ? "" : ` (${where.join("; ")})`}: ${escapeMarkdown(reason)}`;
  });
  return lines.length === 0 ? [] : [lines.join("\n")];
}
