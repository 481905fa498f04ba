import type { Result } from "../../model/result.js";
import type { Cell } from "../cells.js";
import { describeLoad } from "../describe-level.js";
import { formatRate } from "../format-number.js";
import type { ChartDefinition } from "./chart-definition.js";
import { chartSubtitle } from "./chart-subtitle.js";
import { loadValue } from "../../stats/load.js";
import { loadAxis, loadName } from "./load-axis.js";
import { collectCurves } from "./curves.js";
import type { Curve } from "./curves.js";
import { trialPoint } from "./trial-point.js";

/** Returns throughput against load, a line per target; none when nothing was answered. */
export function throughputChart(result: Result): readonly ChartDefinition[] {
  const curves = collectCurves(result);
  if (!curves.some(({ cells }) => cells.some((cell) => throughputs(cell).some((value) => value > 0)))) {
    return [];
  }
  const { axis, shape, place } = loadAxis(curves);
  const series = curves.map(({ name, colorIndex, cells }) => ({
    name,
    shape,
    colorIndex,
    dash: "solid" as const,
    panel: 0,
    points: cells.map((cell) => trialPoint(place(loadValue(cell.level)), throughputs(cell))),
  }));
  return [
    {
      id: "throughput",
      title: shape === "line" ? `Throughput against ${loadName(curves)}` : "Throughput",
      subtitle: chartSubtitle(result, "higher is better", true),
      alt: `Throughput in ok responses per second. ${curves.map(describePeak).join(" ")}`,
      x: axis,
      y: { label: "ok responses per second", scale: "linear" },
      panels: [""],
      series,
    },
  ];
}

function describePeak({ name, cells }: Curve): string {
  const points = cells.flatMap((cell) => {
    const { y } = trialPoint("", throughputs(cell));
    return y === null ? [] : [{ y, level: cell.level }];
  });
  const [first, ...others] = points;
  if (first === undefined) {
    return `${name}: no measurement.`;
  }
  const peak = others.reduce((best, point) => (point.y > best.y ? point : best), first);
  return `${name}: at most ${formatRate(peak.y)}, with ${describeLoad(peak.level)}.`;
}

function throughputs({ measurements, cutShort }: Cell): readonly number[] {
  return cutShort ? [] : measurements.map(({ throughput }) => throughput);
}
