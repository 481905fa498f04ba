/** Lines against load: throughput, latency, and what was refused; of a matrix against numbers of requests. */
import type { Result } from "../../model/result.js";
import { formatCount } from "../../stats/format-number.js";
import { groupAscending, groupBy } from "../../stats/group-by.js";
import { keepsRate, loadValue } from "../../stats/load.js";
import {
  type Cell,
  cellsByTarget,
  collectCells,
  countFinished,
  countRefused,
  refusalStatuses,
  totalOf,
} from "../cells.js";
import { describeLoad } from "../describe-level.js";
import { decisionOf } from "../describe-search.js";
import { hollowNote, isDoubtful } from "../doubtful-figures.js";
import { drawnFigures } from "../figures.js";
import { plainLine } from "../plain-line.js";
import { chooseScale } from "./axes.js";
import type { AxisName, ChartMark, ChartPoint, ChartRow, LineDash, RowSeries } from "./chart-definition.js";
import { gapNotes } from "./chart-words.js";
import { curvePanels, loadCategory, loadsOf, type PlacedCurve, type Sweep, THROUGHPUT, trialPoint } from "./curves.js";

type Values = (cell: Cell) => readonly number[];

/** What a step came to that was cut short is in no line. */
const whole =
  (values: Values): Values =>
  (cell) =>
    cell.cutShort ? [] : values(cell);

interface LineChart extends Pick<ChartRow, "id" | "title" | "about" | "notes"> {
  readonly axis: AxisName;
  /** Logarithmic where the values span much; absent: never. */
  readonly hasLogScale?: true;
  readonly figures: readonly LineFigure[];
}

/** A figure that is drawn as a line. */
interface LineFigure {
  readonly name: string;
  readonly values: Values;
  /** Of the table, where findings may bound it. */
  readonly key?: string;
}

/** A point that a finding bounds says so. */
function figurePoint(x: ChartPoint["x"], cell: Cell, { values, key }: LineFigure): ChartPoint {
  const point = trialPoint(x, values(cell));
  return key !== undefined && point.y !== null && isDoubtful(cell, key) ? { ...point, isBounded: true } : point;
}

const DASHES: readonly LineDash[] = ["solid", "dashed", "dotted"];

/** More lines of several figures cannot be told apart by their dashes. */
const MOST_DASHED_CURVES = 2;

/**
 * Draws a line per target, in several panels where these are many; as bars for a single load. Several figures are told apart by dashes
 * for one or two targets, else by panels. None where no figure is more than 0 anywhere.
 */
function drawLines(sweep: Sweep, { id, title, about, notes = [], axis, hasLogScale, figures }: LineChart) {
  const { result, curves, cells, loads, loadName, categories } = sweep;
  const all = cells.flatMap((cell) => figures.flatMap(({ values }) => values(cell)));
  if (!all.some((value) => value > 0)) return [];
  // A single load has no course to draw a line along.
  const isLine = loads.length > 1;
  const shape = isLine ? "line" : "bar";
  const place = (cell: Cell): ChartPoint["x"] => (isLine ? loadValue(cell.level) : loadCategory(cell));
  const { panels, placed } = curvePanels(curves);
  const names = figures.map(({ name }) => name);
  const isDashed = figures.length > 1 && curves.length <= MOST_DASHED_CURVES;
  const isByFigure = figures.length > 1 && !isDashed;
  const marks = isLine ? limitMarks(result, placed) : [];
  const row = {
    id,
    title: isLine ? `${title} against ${loadName}` : title,
    about,
    notes: [
      ...notes,
      isLine ? searchNote(result, marks) : "",
      hollowNote(
        cells,
        figures.flatMap(({ key }) => key ?? []),
      ),
      ...gapNotes(curves, (cell) => figures.some(({ values }) => values(cell).length > 0)),
    ],
    x: isLine ? { label: loadName, scale: chooseScale(loads), ticks: loads } : categories,
    y: { ...axis, scale: hasLogScale === true && isLine ? chooseScale(all) : "linear" },
    panels: isByFigure ? names : panels,
    series: placed.flatMap((one) =>
      figures.map((figure, at): RowSeries => ({
        name: isDashed ? `${one.name}, ${figure.name}` : one.name,
        shape,
        colorIndex: one.colorIndex,
        panel: isByFigure ? at : one.panel,
        dash: (isDashed && DASHES[at]) || "solid",
        points: one.cells.map((cell) => decidedPoint(result, cell, figurePoint(place(cell), cell, figure))),
      })),
    ),
    marks: isByFigure ? names.flatMap((_, panel) => marks.map((mark) => ({ ...mark, panel }))) : marks,
  } satisfies ChartRow;
  if (isLine || figures.length === 1) return [row];
  // At a single load, figures stand side by side.
  const series = placed.map(({ cells: [cell], ...one }): RowSeries => ({
    ...one,
    shape,
    points: figures.map((figure): ChartPoint =>
      cell === undefined ? { x: figure.name, y: null } : figurePoint(figure.name, cell, figure),
    ),
  }));
  const at = cells.slice(0, 1).map(({ level }) => describeLoad(level));
  const ticks = { label: "", scale: "category" as const, ticks: names };
  return [{ ...row, title: `${title} at ${at.join("")}`, panels, x: ticks, series }];
}

/** Returns a point as a search decided of its level, where that is not that it held. */
function decidedPoint(result: Result, cell: Cell, point: ChartPoint): ChartPoint {
  const decision = decisionOf(result, cell);
  return decision === "broken" || decision === "unclear" ? { ...point, decision } : point;
}

/** Returns a mark at the largest load that held, for each target that a search found it of; nothing of a sweep. */
function limitMarks({ search = [] }: Result, placed: readonly PlacedCurve[]): readonly ChartMark[] {
  const limits = placed.flatMap(({ panel, cells }) =>
    search
      .filter(({ target, status }) => target === cells[0]?.target && status === "found")
      .flatMap(({ target, held, by }) => (held === null ? [] : [{ panel, target, x: held, by }])),
  );
  return [...groupBy(limits, ({ panel, x }) => `${panel} ${x}`).values()].flatMap((alike) =>
    alike.slice(0, 1).map(({ panel, x, by }): ChartMark => {
      const names = alike.map(({ target }) => target).join(", ");
      const whose = placed.length === 1 ? describeLoad({ [by]: x }) : `${names} ${formatCount(x)}`;
      return { panel, x, label: `limit: ${whose}`, short: placed.length === 1 ? "limit" : `limit of ${names}` };
    }),
  );
}

/** Says what the marks of a search mean; empty for a sweep. */
function searchNote({ search = [] }: Result, marks: readonly ChartMark[]): string {
  return search.length === 0 ? "" : `×: did not hold${marks.length === 0 ? "" : "; limit: the largest load that held"}`;
}

/** Returns throughput against load; nothing where that is what was asked for, in an open loop whose every rate was answered. */
export function throughputChart(sweep: Sweep): readonly ChartRow[] {
  const { axis, better, values } = THROUGHPUT;
  const isShort = ({ level, measurements }: Cell): boolean => measurements.some((one) => !keepsRate(level, one));
  if (!sweep.cells.some(isShort)) return [];
  const figures = [{ name: "", values: whole(values), key: "throughput_per_s" }];
  return drawLines(sweep, { id: "throughput", title: "Throughput", about: better, axis, figures });
}

/** Returns p50, p90 and p99 of the latency of ok responses against load, for very many targets a chart for p50 and one for p99. */
export function latencyCharts(sweep: Sweep): readonly ChartRow[] {
  const { curves, cells } = sweep;
  const draw = (id: string, title: string, percentiles: readonly string[]): readonly ChartRow[] => {
    const keys = percentiles.map((key) => `latency_${key}_ms`);
    const { axis, better, values } = drawnFigures(keys, cells);
    const figures = percentiles.map((name, at): LineFigure => {
      return { name, values: whole((cell) => values(cell, at)), key: keys[at] ?? "" };
    });
    return drawLines(sweep, { id, title, about: `ok responses, ${better}`, axis, hasLogScale: true, figures });
  };
  return curvePanels(curves).panels.length > 1
    ? [...draw("latency", "Median latency", ["p50"]), ...draw("latency-p99", "p99 of latency", ["p99"])]
    : draw("latency", "Latency percentiles", ["p50", "p90", "p99"]);
}

const FEWEST_CURVES = 3;

/** The share of requests that were refused against load: who begins to refuse first, and who refuses the most. */
export function refusedChart(sweep: Sweep): readonly ChartRow[] {
  const { result, curves } = sweep;
  const percents = (cell: Cell): readonly number[] => {
    const refused = totalOf(cell, (one) => countRefused(one, result.scenario));
    return countFinished(cell) === 0 ? [] : [(refused / countFinished(cell)) * 100];
  };
  if (curves.length < FEWEST_CURVES) return [];
  return drawLines(sweep, {
    id: "refused",
    title: "Refused requests",
    about: "share of the requests that came to an end, lower is better",
    notes: [refusalNote(sweep)],
    axis: { label: "refused requests", unit: "%" },
    figures: [{ name: "", values: percents }],
  });
}

/** Says by which statuses requests were refused. */
export function refusalNote({ result: { scenario }, cells }: Sweep): string {
  const measurements = cells.flatMap((cell) => cell.measurements);
  return `refused: answered with ${refusalStatuses(measurements, scenario).map(plainLine).join(" or ")}`;
}

/** One target of a matrix: a row for each load, with its cells by rising number of requests. */
export type MatrixTarget = ReturnType<typeof collectMatrix>[number];

/** Returns the targets of a matrix in the order of the scenario; none where there are not several numbers of requests. */
export function collectMatrix(result: Result) {
  const cells = collectCells(result).filter(({ level }) => level.requests !== undefined);
  if (requestsOf(cells).length < 2) return [];
  const loads = loadsOf(cells);
  return [...cellsByTarget(cells)].map(([name, ofTarget]) => ({
    name,
    rows: groupAscending(ofTarget, ({ level }) => loadValue(level)).map(({ key, items }) => ({
      load: describeLoad(items[0]?.level ?? {}),
      // Alike for the same load in all targets.
      colorIndex: loads.indexOf(key),
      cells: items.toSorted((a, b) => (a.level.requests ?? 0) - (b.level.requests ?? 0)),
    })),
  }));
}

/** Returns the numbers of requests that occur in some cells, each once, rising. */
export function requestsOf(cells: readonly Cell[]): readonly number[] {
  return [...new Set(cells.flatMap(({ level }) => level.requests ?? []))].toSorted((a, b) => a - b);
}

/** What a matrix has a table and a chart of: rows of FIGURES. */
export const MATRIX_FIGURES = [
  ["throughput_per_s", "matrix-throughput", "Throughput", ""],
  ["latency_p50_ms", "matrix-latency", "Median latency", "ok responses"],
  ["latency_p99_ms", "matrix-latency-p99", "p99 of latency", "ok responses"],
  ["received_bytes_per_s", "matrix-transfer", "Transfer rate", "bytes received, head and body"],
  ["target_cpu_cores", "matrix-cpu", "CPU of the target", "all its processes, 100 % is one core"],
] as const satisfies readonly (readonly [figure: string, id: string, title: string, about: string])[];

/** Numbers of requests are mostly chosen by their ratios. */
const LOG_FROM_RATIO = 10;

/** The figures of a matrix against its numbers of requests: a panel per target, a line per load; no transfer rate of answers of one size. */
export function matrixCharts({ result }: Sweep): readonly ChartRow[] {
  const targets = collectMatrix(result);
  const cells = targets.flatMap(({ rows }) => rows.flatMap((row) => row.cells));
  const requests = requestsOf(cells);
  const xScale = Math.max(...requests) >= LOG_FROM_RATIO * Math.min(...requests) ? "log" : "linear";
  return MATRIX_FIGURES.flatMap(([key, id, title, about]): readonly ChartRow[] => {
    const { axis, better, values } = drawnFigures([key], cells);
    const of = whole(values);
    const all = cells.flatMap(of);
    if (!all.some((value) => value > 0) || (id === "matrix-transfer" && !hasSizesThatVary(cells))) return [];
    return [
      {
        id,
        title: `${title} against number of requests`,
        about: [about, better].filter((words) => words !== "").join(", "),
        x: { label: "requests", scale: xScale, ticks: requests },
        y: { ...axis, scale: key.startsWith("latency") ? chooseScale(all) : "linear" },
        panels: targets.map(({ name }) => name),
        series: targets.flatMap(({ rows }, panel) =>
          rows.map(({ load: name, colorIndex, cells: line }) => ({
            name,
            colorIndex,
            panel,
            points: line.map((cell) => trialPoint(cell.level.requests ?? 0, of(cell))),
          })),
        ),
      },
    ];
  });
}

/** Sizes of responses that differ by less, as a ratio less one, are one size: bytes per second are throughput in another unit then. */
const ONE_SIZE = 0.02;

function hasSizesThatVary(cells: readonly Cell[]): boolean {
  const sizes = cells.flatMap(({ measurements }) =>
    measurements.flatMap(({ bytes: { received }, requests: { ok, non2xx, mismatched = 0 } }) => {
      const answers = ok + non2xx + mismatched;
      return received === undefined || answers === 0 ? [] : [received / answers];
    }),
  );
  return Math.max(...sizes) > (1 + ONE_SIZE) * Math.min(...sizes);
}
