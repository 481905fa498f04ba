import type { Result } from "../../model/result.js";
import type { Cell } from "../cells.js";
import { describeLoad } from "../describe-level.js";
import { formatRate } from "../format-number.js";
import type { ChartDefinition, ChartSeries } from "./chart-definition.js";
import { chartSubtitle } from "./chart-subtitle.js";
import { loadValue } from "../../stats/load.js";
import { loadAxis, loadName } from "./load-axis.js";
import { collectCurves, loadsOf } from "./curves.js";
import type { Curve } from "./curves.js";
import { trialPoint } from "./trial-point.js";
import { uslCurve } from "./usl-curve.js";
import type { UslCurve } from "./usl-curve.js";

/** Returns throughput against load, a line per target; none when nothing was answered. */
export function throughputChart(result: Result): readonly ChartDefinition[] {
  const curves = collectCurves(result);
  if (!curves.some(({ cells }) => cells.some((cell) => throughputs(cell).some((value) => value > 0)))) {
    return [];
  }
  const { axis, shape, place } = loadAxis(curves);
  const laws = curves.map((curve) => (shape === "line" ? uslCurve(result, curve, axis.scale) : undefined));
  const measured = curves.map(({ name, colorIndex, cells }): ChartSeries => {
    const points = cells.map((cell) => trialPoint(place(loadValue(cell.level)), throughputs(cell)));
    return { name, shape, colorIndex, dash: "solid", panel: 0, points };
  });
  const fitted = measured.flatMap((one, index): readonly ChartSeries[] => {
    const law = laws[index];
    return law === undefined ? [] : [{ ...one, name: LAW, dense: true, dash: "dashed", points: law.points }];
  });
  const drawn = laws.flatMap((law) => law?.points ?? []);
  const highest = Math.max(...loadsOf(curves));
  const peaks = laws.flatMap((law) => law?.points.filter(({ isMarked }) => isMarked) ?? []).map(({ x }) => Number(x));
  const end = Math.max(highest, ...drawn.map(({ x }) => Number(x)));
  return [
    {
      id: "throughput",
      title: shape === "line" ? `Throughput against ${loadName(curves)}` : "Throughput",
      subtitle: chartSubtitle(result, "higher is better", true),
      ...(peaks.length > 0 ? { note: "diamond: where the law has its peak" } : {}),
      alt: `Throughput in ok responses per second. ${curves.map((curve, index) => describePeak(curve, laws[index])).join(" ")}`,
      x: drawn.length === 0 ? axis : { ...axis, end, ticks: [...(axis.ticks ?? []), ...peaksBeyond(peaks, highest)] },
      y: { label: "ok responses per second", scale: "linear" },
      panels: [""],
      series: [...measured, ...fitted],
      ...(end > highest ? { marks: [{ panel: 0, x: highest, label: "not measured beyond" }] } : {}),
    },
  ];
}

/** One entry of the legend for all targets, whose colours say whose law it is. */
const LAW = "dashed: Universal Scalability Law";

/** Peaks where no level is have no tick to read them by; those among the levels have neighbours. */
function peaksBeyond(peaks: readonly number[], highest: number): readonly number[] {
  return [...new Set(peaks.filter((peak) => peak > highest).map(Math.round))].toSorted((a, b) => a - b);
}

function describePeak({ name, cells }: Curve, law: UslCurve | undefined): string {
  const points = cells.flatMap((cell) => {
    const { y } = trialPoint("", throughputs(cell));
    return y === null ? [] : [{ y, level: cell.level }];
  });
  const [first, ...others] = points;
  if (first === undefined) {
    return `${name}: no measurement.`;
  }
  const peak = others.reduce((best, point) => (point.y > best.y ? point : best), first);
  const fitted = law === undefined || law.peak === "" ? "" : `; ${law.peak}`;
  return `${name}: at most ${formatRate(peak.y)}, with ${describeLoad(peak.level)}${fitted}.`;
}

function throughputs({ measurements, cutShort }: Cell): readonly number[] {
  return cutShort ? [] : measurements.map(({ throughput }) => throughput);
}
