import { median } from "../../stats/descriptive.js";
import {
  MATRIX_FIGURES,
  type MatrixFigure,
  type MatrixRow,
  type MatrixTarget,
  requestsOf,
} from "../charts/matrix-charts.js";
import { formatCount } from "../format-number.js";
import { CPU_OF_SHORT_STEPS, isTooShort } from "../cells.js";
import { type Block, createTable, numberColumn, paragraph, type Table } from "./block.js";

/**
 * Returns the figures of one target of a matrix, a table for each that is known: numbers of requests down, loads across; medians over
 * the trials.
 */
export function matrixTables({ rows }: MatrixTarget): readonly Block[] {
  const cells = rows.flatMap((row) => row.cells);
  const short = cells.some(({ usages }) => usages.some(isTooShort));
  return [
    ...MATRIX_FIGURES.flatMap((figure) => tabulate(figure, rows)),
    ...(short ? [paragraph(`CPU ${CPU_OF_SHORT_STEPS}.`)] : []),
  ];
}

function tabulate(figure: MatrixFigure, rows: readonly MatrixRow[]): readonly Table[] {
  const cells = rows.flatMap((row) => row.cells);
  const known = cells.flatMap(figure.values);
  if (known.length === 0) return [];
  const divisor = figure.divisor?.(known) ?? 1;
  const label = figure.label(known);
  // The unit, where the label has one beside the name of the figure.
  const unit = /\(([^)]*)\)$/.exec(label)?.[1] ?? label;
  const what = `${figure.title} (${unit})`;
  return [
    createTable(
      { caption: `${figure.title} by requests and load`, lead: `${what}; requests down, load across:` },
      [
        numberColumn<number>("Requests", (requests) => requests, formatCount),
        ...rows.map(({ load, cells: ofLoad }) =>
          numberColumn<number>(
            load,
            (requests) => {
              const values = ofLoad.filter(({ level }) => level.requests === requests).flatMap(figure.values);
              return values.length === 0 ? null : median(values) / divisor;
            },
            figure.format,
          ),
        ),
      ],
      requestsOf(cells),
    ),
  ];
}
