/** Lines against load: throughput with the law that was fitted to it, latency, and what was refused. */
import type { Result } from "../../model/result.js";
import { uslThroughput } from "../../stats/usl.js";
import { type Cell, countFinished, countRefused, refusalStatuses } from "../cells.js";
import { describeLoad } from "../describe-level.js";
import { plainLine } from "../plain-line.js";
import { chooseScale, namedAxis } from "./axes.js";
import type { ChartPoint, ChartRow, ChartScale, LineDash, RowSeries } from "./chart-definition.js";
import { gapNotes } from "./chart-words.js";
import {
  collectCurves,
  type Curve,
  curvePanels,
  curveSeries,
  decidedPoint,
  loadAxis,
  loadName,
  loadsOf,
  mainCurves,
  searchMarks,
  trialPoint,
  trialValues,
} from "./curves.js";

/** Returns throughput against load, a line per target, in several panels where there are many; none when nothing was answered. */
export function throughputChart(result: Result): readonly ChartRow[] {
  const curves = collectCurves(result);
  if (!curves.some(({ cells }) => cells.some((cell) => throughputs(cell).some((value) => value > 0)))) return [];
  const { x, shape, place } = loadAxis(curves);
  const { panels, placed } = curvePanels(curves);
  const measured = curveSeries(placed, shape, (cell) =>
    decidedPoint(result, cell, trialPoint(place(cell), throughputs(cell))),
  );
  const laws = measured.flatMap((one, index): readonly RowSeries[] => {
    const points = shape === "line" ? lawPoints(result, curves[index], x.scale) : [];
    return points.length === 0 ? [] : [{ ...one, name: LAW, dense: true, dash: "dashed", points }];
  });
  const drawn = laws.flatMap(({ points }) => points);
  const peaks = drawn.filter(({ isMarked }) => isMarked).map((peak) => Number(peak.x));
  const highest = Math.max(...loadsOf(curves));
  const end = Math.max(highest, ...drawn.map((point) => Number(point.x)));
  const found = shape === "line" ? searchMarks(result, curves, placed) : { marks: [], notes: [] };
  const beyond = panels.map((_, panel) => ({ panel, x: highest, label: "not measured beyond" }));
  return [
    {
      id: "throughput",
      title: shape === "line" ? `Throughput against ${loadName(curves)}` : "Throughput",
      about: "higher is better",
      notes: [
        peaks.length > 0 ? "diamond: where the law has its peak" : "",
        ...found.notes,
        ...gapNotes(curves, (cell) => throughputs(cell).length > 0),
      ],
      x: drawn.length === 0 ? x : { ...x, end, ticks: [...(x.ticks ?? []), ...peaksBeyond(peaks, curves, x.scale)] },
      y: { label: "ok responses per second", scale: "linear" },
      panels,
      series: [...measured, ...laws],
      marks: [...found.marks, ...(end > highest ? beyond : [])],
    },
  ];
}

const throughputs = (cell: Cell): readonly number[] => trialValues(cell, ({ throughput }) => throughput);

/** One entry of the legend for all targets, whose colours say whose law it is. */
const LAW = "dashed: Universal Scalability Law";

/** Share of the axis that a tick beyond the levels is to be away from the last of them. */
const ROOM_FOR_TICK = 0.045;

/** Peaks where no level is have no tick to read them by, if there is room for one; those among the levels have neighbours. */
function peaksBeyond(peaks: readonly number[], curves: readonly Curve[], scale: ChartScale): readonly number[] {
  const loads = loadsOf(curves);
  const place = (value: number): number => (scale === "log" ? Math.log(value) : value);
  const [lowest, highest] = [place(loads[0] ?? 1), place(loads.at(-1) ?? 1)];
  const hasRoom = (peak: number): boolean => place(peak) - highest >= (place(peak) - lowest) * ROOM_FOR_TICK;
  return [...new Set(peaks.map(Math.round))].filter(hasRoom).toSorted((a, b) => a - b);
}

/** Points of a curve that looks smooth, at the size of a picture. */
const STEPS = 60;

/** Times the highest level that a peak may lie beyond it to be drawn: further out, the levels would be a corner of the chart. */
const FURTHEST_PEAK = 3;

/** So much of a curve is seen beyond its peak that it is seen to be one. */
const BEYOND_PEAK = 1.15;

/**
 * Returns the Universal Scalability Law as the finding `SCALABILITY` has it for the target of a curve, from the lowest load to the
 * highest, or to somewhat beyond the peak, which is marked; none where the finding is missing, or is of another curve of the target.
 */
function lawPoints(result: Result, curve: Curve | undefined, scale: ChartScale): readonly ChartPoint[] {
  const target = curve?.cells[0]?.target;
  const args = result.verdict.findings.find((one) => one.code === "SCALABILITY" && one.args["target"] === target)?.args;
  const isFitted = mainCurves(result).curves.some(({ name }) => name === curve?.name);
  if (curve === undefined || args === undefined || !isFitted) return [];
  const read = (name: string): number => (typeof args[name] === "number" ? args[name] : NaN);
  const law = { lambda: read("lambda"), sigma: read("contention"), kappa: read("coherency") };
  if (!Object.values(law).every(Number.isFinite)) return [];
  const loads = loadsOf([curve]);
  const [from, highest] = [Math.max(1, loads[0] ?? 1), loads.at(-1) ?? 1];
  const peak = read("peakLoad") <= highest * FURTHEST_PEAK ? read("peakLoad") : undefined;
  const to = Math.max(highest, (peak ?? 0) * BEYOND_PEAK);
  // Evenly over the axis, both ends included.
  const along = (share: number): number => (scale === "log" ? from * (to / from) ** share : from + (to - from) * share);
  const places = Array.from({ length: STEPS + 1 }, (_, step) => (step === STEPS ? to : along(step / STEPS)));
  const all = [...new Set([...places, ...(peak === undefined ? [] : [peak])])].toSorted((a, b) => a - b);
  return all.map((x) => ({ x, y: uslThroughput(law, x), ...(x === peak ? { isMarked: true } : {}) }));
}

type Percentile = "p50" | "p90" | "p99";

const PERCENTILES: readonly { readonly key: Percentile; readonly dash: LineDash }[] = [
  { key: "p50", dash: "solid" },
  { key: "p90", dash: "dashed" },
  { key: "p99", dash: "dotted" },
];

/** With many targets, each of these has a chart of its own. */
const MAIN_PERCENTILES = [
  { key: "p50", id: "latency", title: "Median latency" },
  { key: "p99", id: "latency-p99", title: "p99 of latency" },
] as const;

/** More lines than three times this cannot be told apart in one panel. */
const MOST_CURVES_IN_ONE_PANEL = 2;

/**
 * Returns p50, p90 and p99 of the latency of ok responses against load: in one panel for one or two targets, in
 * a panel per percentile for more, in a chart for p50 and one for p99 for very many; as bars for a single level; none when
 * nothing was answered.
 */
export function latencyCharts(result: Result): readonly ChartRow[] {
  const curves = collectCurves(result);
  const valuesOf = (keys: readonly Percentile[]): readonly number[] =>
    curves.flatMap(({ cells }) => cells.flatMap((cell) => keys.flatMap((key) => latencies(cell, key))));
  const keys = PERCENTILES.map(({ key }) => key);
  if (valuesOf(keys).length === 0) return [];
  const { x, shape, place } = loadAxis(curves);
  const { panels, placed } = curvePanels(curves);
  const found = shape === "line" ? searchMarks(result, curves, placed) : { marks: [], notes: [] };
  const pointOf =
    (key: Percentile) =>
    (cell: Cell): ChartPoint =>
      decidedPoint(result, cell, trialPoint(place(cell), latencies(cell, key)));
  const row = (key: Percentile, label: string, scale: "linear" | "log") => ({
    about: "ok responses, lower is better",
    notes: [...found.notes, ...gapNotes(curves, (cell) => latencies(cell, key).length > 0)],
    y: namedAxis(label, shape === "bar" ? "linear" : scale),
  });
  if (panels.length > 1) {
    return MAIN_PERCENTILES.map(({ key, id, title }) => ({
      ...row(key, `${key} (ms)`, chooseScale(valuesOf([key]))),
      id,
      title: `${title} against ${loadName(curves)}`,
      x,
      panels,
      series: curveSeries(placed, shape, pointOf(key)),
      marks: found.marks,
    }));
  }
  const all = { ...row("p50", "latency (ms)", chooseScale(valuesOf(keys))), id: "latency" };
  if (shape === "bar") {
    const [level] = curves.flatMap(({ cells }) => cells.map((cell) => cell.level));
    return [
      {
        ...all,
        title: `Latency percentiles at ${level === undefined ? "no load" : describeLoad(level)}`,
        x: { label: "", scale: "category", ticks: keys },
        series: curves.map(({ name, colorIndex, cells: [cell] }) => ({
          name,
          shape,
          colorIndex,
          points: keys.map((key) => trialPoint(key, cell === undefined ? [] : latencies(cell, key))),
        })),
      },
    ];
  }
  const isOnePanel = curves.length <= MOST_CURVES_IN_ONE_PANEL;
  return [
    {
      ...all,
      title: `Latency percentiles against ${loadName(curves)}`,
      x,
      panels: isOnePanel ? [""] : keys,
      series: placed.flatMap((one) =>
        PERCENTILES.flatMap(({ key, dash }, panel) =>
          curveSeries([one], shape, pointOf(key)).map((line) =>
            isOnePanel ? { ...line, name: `${one.name}, ${key}`, dash } : { ...line, panel },
          ),
        ),
      ),
      marks: isOnePanel ? found.marks : keys.flatMap((_, panel) => found.marks.map((mark) => ({ ...mark, panel }))),
    },
  ];
}

const latencies = (cell: Cell, key: Percentile): readonly number[] =>
  trialValues(cell, ({ latency }) => latency?.[key]);

/** Of fewer targets, the chart of goodput shows as much. */
const FEWEST_CURVES = 3;

/**
 * Returns the share of requests that were refused against load, a line per target as in the chart of throughput, so that it shows who
 * begins to refuse first and who refuses the most; none of fewer than 3, and where nobody refused.
 */
export function refusedChart(result: Result): readonly ChartRow[] {
  const { scenario } = result;
  const curves = collectCurves(result);
  const percentOf = (cell: Cell): number | null => {
    const finished = countFinished(cell);
    const refused = cell.measurements.reduce((sum, measurement) => sum + countRefused(measurement, scenario), 0);
    return finished === 0 ? null : (refused / finished) * 100;
  };
  const cells = curves.flatMap((curve) => curve.cells);
  if (curves.length < FEWEST_CURVES || !cells.some((cell) => (percentOf(cell) ?? 0) > 0)) return [];
  const { x, shape, place } = loadAxis(curves);
  const { panels, placed } = curvePanels(curves);
  return [
    {
      id: "refused",
      title: `Refused requests against ${loadName(curves)}`,
      about: "share of the requests that came to an end, lower is better",
      notes: [refusalNote(result), ...gapNotes(curves, ({ measurements }) => measurements.length > 0)],
      x,
      y: { label: "refused requests (%)", scale: "linear" },
      panels,
      series: curveSeries(placed, shape, (cell) => ({ x: place(cell), y: percentOf(cell) })),
    },
  ];
}

/** Says by which statuses requests were refused. */
export function refusalNote(result: Result): string {
  const measurements = collectCurves(result).flatMap(({ cells }) => cells.flatMap((cell) => cell.measurements));
  return `refused: answered with ${refusalStatuses(measurements, result.scenario).map(plainLine).join(" or ")}`;
}
