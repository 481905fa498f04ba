import type { LatencySummary, Measurement } from "../../model/measurement.js";
import type { Result } from "../../model/result.js";
import { groupAscending } from "../../stats/group-by.js";
import { loadValue } from "../../stats/load.js";
import { type Cell, cellsByTarget, collectCells, cpuOf } from "../cells.js";
import { describeLoad } from "../describe-level.js";
import { formatRate, formatTime, pickByteUnit } from "../../stats/format-number.js";
import { chooseScale, namedAxis } from "./axes.js";
import type { ChartRow } from "./chart-definition.js";
import { trialPoint, trialValues } from "./curves.js";

/** Numbers of requests are mostly chosen by their ratios. */
const LOG_FROM_RATIO = 10;

/**
 * Returns throughput, latency, transfer rate and CPU of a matrix against its numbers of requests: a panel per target, a line per
 * load. None where there are not several numbers of requests; a figure that nothing tells has no chart, and the transfer rate none
 * where all responses are of one size.
 */
export function matrixCharts(result: Result): readonly ChartRow[] {
  const targets = collectMatrix(result);
  const cells = targets.flatMap(({ rows }) => rows.flatMap((row) => row.cells));
  const requests = requestsOf(cells);
  const xScale = Math.max(...requests) >= LOG_FROM_RATIO * Math.min(...requests) ? "log" : "linear";
  return MATRIX_FIGURES.flatMap((figure): readonly ChartRow[] => {
    const raw = cells.flatMap(figure.values);
    if (figure.isDrawn?.(cells) === false || !raw.some((value) => value > 0)) return [];
    const divisor = figure.divisor?.(raw) ?? 1;
    return [
      {
        id: figure.id,
        title: `${figure.title} against number of requests`,
        about: figure.about,
        x: { ...namedAxis("requests", xScale), ticks: requests },
        y: namedAxis(figure.label(raw), figure.hasLogScale === true ? chooseScale(raw) : "linear"),
        panels: targets.map(({ name }) => name),
        series: targets.flatMap(({ rows }, panel) =>
          rows.map(({ load, colorIndex, cells: line }) => ({
            name: load,
            colorIndex,
            panel,
            points: line.map((cell) =>
              trialPoint(
                cell.level.requests ?? 0,
                figure.values(cell).map((value) => value / divisor),
              ),
            ),
          })),
        ),
      },
    ];
  });
}

/** One target of a matrix: numbers of requests by loads. */
export interface MatrixTarget {
  readonly name: string;
  /** By rising load. */
  readonly rows: readonly MatrixRow[];
}

/** The cells of one target with the same load, by rising number of requests. */
export interface MatrixRow {
  /** `50 connections`. */
  readonly load: string;
  /** Alike for the same load in all targets. */
  readonly colorIndex: number;
  readonly cells: readonly Cell[];
}

/** Returns the targets of a matrix in the order of the scenario; none where there are not several numbers of requests. */
export function collectMatrix(result: Result): readonly MatrixTarget[] {
  const cells = collectCells(result).filter(({ level }) => level.requests !== undefined);
  if (requestsOf(cells).length < 2) return [];
  const loads = [...new Set(cells.map(({ level }) => loadValue(level)))].toSorted((a, b) => a - b);
  return [...cellsByTarget(cells)].map(([name, ofTarget]) => ({
    name,
    rows: groupAscending(ofTarget, ({ level }) => loadValue(level)).map(({ key, items }) => ({
      load: items
        .slice(0, 1)
        .map(({ level }) => describeLoad(level))
        .join(""),
      colorIndex: loads.indexOf(key),
      cells: items.toSorted((a, b) => (a.level.requests ?? 0) - (b.level.requests ?? 0)),
    })),
  }));
}

/** Returns the numbers of requests that occur in some cells, each once, rising. */
export function requestsOf(cells: readonly Cell[]): readonly number[] {
  return [...new Set(cells.flatMap(({ level }) => level.requests ?? []))].toSorted((a, b) => a - b);
}

/** What a matrix has a table and a chart of. */
export interface MatrixFigure {
  readonly id: string;
  readonly title: string;
  readonly about: string;
  /** Of every trial of a cell that has it. */
  readonly values: (cell: Cell) => readonly number[];
  readonly label: (values: readonly number[]) => string;
  /** What a value is divided by to be in the unit of the label. */
  readonly divisor?: (values: readonly number[]) => number;
  /** Chosen by what the values span; absent: always linear. */
  readonly hasLogScale?: true;
  readonly format: (value: number) => string;
  /** Drawn only where it tells something that other charts do not. */
  readonly isDrawn?: (cells: readonly Cell[]) => boolean;
}

const LATENCY = { about: "ok responses, lower is better", hasLogScale: true, format: formatTime } as const;

/** The figures of a matrix: throughput, latency, bytes per second and processor time of the target, each of every trial of a cell. */
export const MATRIX_FIGURES: readonly MatrixFigure[] = [
  {
    id: "matrix-throughput",
    title: "Throughput",
    about: "higher is better",
    values: of(({ throughput }) => throughput),
    label: () => "ok responses per second",
    format: formatRate,
  },
  { ...LATENCY, id: "matrix-latency", title: "Median latency", values: latency("p50"), label: () => "p50 (ms)" },
  {
    ...LATENCY,
    id: "matrix-latency-p99",
    title: "p99 of latency",
    values: latency("p99"),
    label: () => "p99 (ms)",
  },
  {
    id: "matrix-transfer",
    title: "Transfer rate",
    about: "bytes received, head and body",
    values: of(({ bytes, elapsedMs }) =>
      bytes.received === undefined || elapsedMs <= 0 ? undefined : (1000 * bytes.received) / elapsedMs,
    ),
    label: (values) => `received (${pickByteUnit(values).name}/s)`,
    divisor: (values) => pickByteUnit(values).bytes,
    isDrawn: hasSizesThatVary,
    format: formatRate,
  },
  {
    id: "matrix-cpu",
    title: "CPU of the target",
    about: "all its processes, 100 % is one core",
    values: cpuPercents,
    label: () => "CPU (% of one core)",
    format: formatRate,
  },
];

/** Sizes of responses that differ by less, as a ratio less one, are one size. */
const ONE_SIZE = 0.02;

/** Where all responses of all targets are of one size, bytes per second are throughput in another unit. */
function hasSizesThatVary(cells: readonly Cell[]): boolean {
  const sizeOf = of(({ bytes: { received }, requests: { ok, non2xx, mismatched = 0 } }) =>
    received === undefined || ok + non2xx + mismatched === 0 ? undefined : received / (ok + non2xx + mismatched),
  );
  const sizes = cells.flatMap(sizeOf);
  return Math.max(...sizes) > (1 + ONE_SIZE) * Math.min(...sizes);
}

function of(figure: (measurement: Measurement) => number | undefined): MatrixFigure["values"] {
  return (cell) => trialValues(cell, figure);
}

function latency(key: keyof LatencySummary): MatrixFigure["values"] {
  return of((measurement) => measurement.latency?.[key]);
}

function cpuPercents({ usages }: Cell): readonly number[] {
  return usages.flatMap((usage) => {
    const roles = (["balancer", "backend"] as const).flatMap((role) => cpuOf(usage, role) ?? []);
    return roles.length === 0 ? [] : [100 * roles.reduce((sum, cpu) => sum + cpu, 0)];
  });
}
