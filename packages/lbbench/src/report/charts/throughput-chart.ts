import type { Result } from "../../model/result.js";
import type { Cell } from "../cells.js";
import { describeLoad } from "../describe-level.js";
import { formatRate } from "../format-number.js";
import type { ChartDefinition, ChartScale, ChartSeries } from "./chart-definition.js";
import { chartSubtitle, gapNote, joinNotes } from "./chart-words.js";
import { collectCurves, type Curve, curvePanels, loadAxis, loadName, loadsOf, trialPoint } from "./curves.js";
import { loadValue } from "../../stats/load.js";
import { spacedTicks } from "./axes.js";
import { loadPoint, searchMarks } from "./search-marks.js";
import { uslCurve, type UslCurve } from "./usl-curve.js";

/** Returns throughput against load, a line per target, in several panels where there are many; none when nothing was answered. */
export function throughputChart(result: Result): readonly ChartDefinition[] {
  const curves = collectCurves(result);
  if (!curves.some(({ cells }) => cells.some((cell) => throughputs(cell).some((value) => value > 0)))) {
    return [];
  }
  const { axis, shape, place } = loadAxis(curves);
  const laws = curves.map((curve) => (shape === "line" ? uslCurve(result, curve, axis.scale) : undefined));
  const { panels, places } = curvePanels(curves);
  const measured = curves.map(({ name, colorIndex, cells }, index): ChartSeries => {
    const points = cells.map((cell) => loadPoint(result, cell, place(loadValue(cell.level)), throughputs(cell)));
    return { shape, dash: "solid", ...(places[index] ?? { name, colorIndex, panel: 0 }), points };
  });
  const fitted = measured.flatMap((one, index): readonly ChartSeries[] => {
    const law = laws[index];
    return law === undefined ? [] : [{ ...one, name: LAW, dense: true, dash: "dashed", points: law.points }];
  });
  const drawn = laws.flatMap((law) => law?.points ?? []);
  const highest = Math.max(...loadsOf(curves));
  const peaks = laws.flatMap((law) => law?.points.filter(({ isMarked }) => isMarked) ?? []).map(({ x }) => Number(x));
  const end = Math.max(highest, ...drawn.map(({ x }) => Number(x)));
  const found = shape === "line" ? searchMarks(result, curves, places) : {};
  const beyond = end > highest ? panels.map((_, panel) => ({ panel, x: highest, label: "not measured beyond" })) : [];
  const marks = [...(found.marks ?? []), ...beyond];
  return [
    {
      id: "throughput",
      title: shape === "line" ? `Throughput against ${loadName(curves)}` : "Throughput",
      subtitle: chartSubtitle(result, "higher is better", true),
      ...joinNotes(
        peaks.length > 0 ? "diamond: where the law has its peak" : "",
        found.note,
        gapNote(curves, (cell) => throughputs(cell).length > 0).note,
      ),
      alt: `Throughput in ok responses per second. ${curves.map((curve, index) => describePeak(curve, laws[index])).join(" ")}`,
      x:
        drawn.length === 0
          ? axis
          : { ...axis, end, ticks: [...(axis.ticks ?? []), ...peaksBeyond(peaks, curves, axis.scale)] },
      y: { label: "ok responses per second", scale: "linear" },
      panels,
      series: [...measured, ...fitted],
      ...(marks.length === 0 ? {} : { marks }),
    },
  ];
}

/** One entry of the legend for all targets, whose colours say whose law it is. */
const LAW = "dashed: Universal Scalability Law";

/** Peaks where no level is have no tick to read them by, if there is room for one; those among the levels have neighbours. */
function peaksBeyond(peaks: readonly number[], curves: readonly Curve[], scale: ChartScale): readonly number[] {
  const loads = loadsOf(curves);
  const [lowest = 0, highest = 0] = [loads[0], loads.at(-1)];
  const beyond = [...new Set(peaks.filter((peak) => peak > highest).map(Math.round))].toSorted((a, b) => a - b);
  return beyond.filter((peak) => spacedTicks([lowest, highest, peak], scale === "log" ? scale : "linear").length === 3);
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
  if (peak.y === 0) return `${name}: no ok response.`;
  const fitted = law === undefined || law.peak === "" ? "" : `; ${law.peak}`;
  return `${name}: at most ${formatRate(peak.y)}, with ${describeLoad(peak.level)}${fitted}.`;
}

function throughputs({ measurements, cutShort }: Cell): readonly number[] {
  return cutShort ? [] : measurements.map(({ throughput }) => throughput);
}
