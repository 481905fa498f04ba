import type { LatencySummary, Measurement } from "../model/measurement.js";
import { valuesOf } from "./cell-figures.js";
import type { Cell } from "./cells.js";
import { formatRate, formatTime, pickByteUnit } from "./format-number.js";
import { cpuOf } from "./role-usage.js";

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
  const sizes = cells.flatMap(responseSizes);
  return Math.max(...sizes) > (1 + ONE_SIZE) * Math.min(...sizes);
}

/** In bytes, of every trial on average. */
function responseSizes(cell: Cell): readonly number[] {
  if (cell.cutShort) return [];
  return valuesOf(cell, ({ bytes, requests }) => {
    const responses = requests.ok + requests.non2xx + (requests.mismatched ?? 0);
    return bytes.received === undefined || responses === 0 ? undefined : bytes.received / responses;
  });
}

function of(figure: (measurement: Measurement) => number | undefined): MatrixFigure["values"] {
  return (cell) => (cell.cutShort ? [] : valuesOf(cell, figure));
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
