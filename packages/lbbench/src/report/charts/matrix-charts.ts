import type { Result } from "../../model/result.js";
import { describeAmount, describeLoad } from "../describe-level.js";
import { MATRIX_FIGURES } from "../matrix-figures.js";
import type { MatrixFigure } from "../matrix-figures.js";
import { chooseScale } from "./axis-scale.js";
import type { ChartDefinition, ChartSeries } from "./chart-definition.js";
import { chartSubtitle } from "./chart-subtitle.js";
import { collectMatrix, requestsOf } from "./matrix.js";
import type { MatrixTarget } from "./matrix.js";
import { panelPerCurve } from "./panel-per-curve.js";
import { trialPoint } from "./trial-point.js";

/** Numbers of requests are mostly chosen by their ratios. */
const LOG_FROM_RATIO = 10;

/**
 * Returns throughput, latency, transfer rate and CPU of a matrix against its numbers of requests: a panel per target, a line per
 * load. None where there are not several numbers of requests; a figure that nothing tells has no chart, and the transfer rate none
 * where all responses are of one size.
 */
export function matrixCharts(result: Result): readonly ChartDefinition[] {
  const targets = collectMatrix(result);
  return MATRIX_FIGURES.flatMap((figure) => drawFigure(result, targets, figure));
}

function drawFigure(
  result: Result,
  targets: readonly MatrixTarget[],
  figure: MatrixFigure,
): readonly ChartDefinition[] {
  const cells = targets.flatMap(({ rows }) => rows.flatMap((row) => row.cells));
  const raw = cells.flatMap(figure.values);
  if (figure.isDrawn?.(cells) === false) return [];
  if (!raw.some((value) => value > 0)) return [];
  const divisor = figure.divisor?.(raw) ?? 1;
  const requests = requestsOf(cells);
  const xScale = Math.max(...requests) >= LOG_FROM_RATIO * Math.min(...requests) ? "log" : "linear";
  const yScale = figure.hasLogScale === true ? chooseScale(raw) : "linear";
  const withScale = (label: string, scale: string): string =>
    scale === "log" ? label.replace(/\)?$/, (end) => (end === ")" ? ", log scale)" : " (log scale)")) : label;
  const panelled = panelPerCurve(targets.map(({ name }) => name));
  return [
    {
      id: figure.id,
      title: `${figure.title} against number of requests`,
      subtitle: chartSubtitle(result, panelled.about(figure.about), true),
      alt: `${figure.title} against the number of requests, ${withScale(figure.label(raw), "linear")}. ${targets.map((target) => describeEnds(target, figure, divisor)).join(" ")}`,
      x: { label: withScale("requests", xScale), scale: xScale, ticks: requests },
      y: { label: withScale(figure.label(raw), yScale), scale: yScale },
      panels: panelled.panels,
      series: targets.flatMap(({ rows }, panel) =>
        rows.map(({ load, colorIndex, cells: line }): ChartSeries => ({
          name: load,
          shape: "line",
          colorIndex,
          dash: "solid",
          panel,
          points: line.map((cell) => trialPoint(cell.level.requests ?? 0, scaled(figure.values(cell), divisor))),
        })),
      ),
    },
  ];
}

function scaled(values: readonly number[], divisor: number): readonly number[] {
  return divisor === 1 ? values : values.map((value) => value / divisor);
}

function describeEnds({ name, rows }: MatrixTarget, figure: MatrixFigure, divisor: number): string {
  const points = rows
    .flatMap(({ cells }) => cells)
    .flatMap((cell) => {
      const { y } = trialPoint(0, scaled(figure.values(cell), divisor));
      return y === null ? [] : [{ y, where: `${describeAmount(cell.level)} and ${describeLoad(cell.level)}` }];
    })
    .toSorted((a, b) => a.y - b.y);
  const [least, most] = [points[0], points.at(-1)];
  if (least === undefined || most === undefined) return `${name}: nothing measured.`;
  return `${name}: from ${figure.format(least.y)} (${least.where}) to ${figure.format(most.y)} (${most.where}).`;
}
