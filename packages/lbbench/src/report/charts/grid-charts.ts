import { groupBy } from "../../stats/group-by.js";
import { loadValue } from "../../stats/load.js";
import type { Cell } from "../cells.js";
import { drawnFigures } from "../figures.js";
import type { AxisName, ChartPoint, ChartRow } from "./chart-definition.js";
import { type GridPlace, gridPlaces, type Sweep, THROUGHPUT, trialPoint } from "./curves.js";

const FEWEST_TARGETS = 4;

type Figure = Pick<ChartRow, "id" | "title" | "about"> & {
  readonly axis: AxisName;
  readonly pointOf: (target: string) => ChartPoint;
};

const NOWHERE: ChartPoint = { x: "", y: null };

/**
 * Returns the highest throughput of targets that a grid made, and of a search the largest load that held: bars side by side for the values
 * of one option, at a place for each choice of the others. A target beside the grid is a line across.
 */
export function gridCharts({ result: { scenario, search = [] }, cells, loadName }: Sweep): readonly ChartRow[] {
  const grid = gridPlaces(scenario.targets);
  if (grid === undefined || grid.filter(({ member }) => member !== undefined).length < FEWEST_TARGETS) return [];
  const latency = drawnFigures(["latency_mean_ms"], cells);
  const pointAt = (cell: Cell, { values: [of] }: typeof latency): ChartPoint =>
    trialPoint("", cell.cutShort ? [] : (of?.(cell) ?? []));
  const cellsOf = (target: string): readonly Cell[] => cells.filter((cell) => cell.target === target);
  const heldOf = (target: string): number | null => search.find((one) => one.target === target)?.held ?? null;
  const figures: readonly Figure[] = [
    {
      id: "grid-peak",
      title: "Highest throughput by option",
      about: `of all levels, ${THROUGHPUT.better}`,
      axis: THROUGHPUT.axis,
      pointOf: (target) =>
        cellsOf(target)
          .map((cell) => pointAt(cell, THROUGHPUT))
          .reduce((best, point) => ((point.y ?? 0) > (best.y ?? 0) ? point : best), NOWHERE),
    },
    {
      id: "grid-limit",
      title: "Largest load that held, by option",
      about: "found by search, higher is better",
      axis: { label: loadName },
      pointOf: (target) => ({ x: "", y: heldOf(target) }),
    },
    {
      id: "grid-limit-latency",
      title: "Mean latency at the largest load that held, by option",
      about: `ok responses, ${latency.better}`,
      axis: latency.axis,
      pointOf: (target) => {
        const atLimit = cellsOf(target).find(({ level }) => loadValue(level) === heldOf(target));
        return atLimit === undefined ? NOWHERE : pointAt(atLimit, latency);
      },
    },
  ];
  return figures.flatMap((figure) => drawFigure(grid, figure));
}

function drawFigure(grid: readonly GridPlace[], { axis, pointOf, ...words }: Figure): readonly ChartRow[] {
  const drawn = grid.map((place) => ({ ...place, point: pointOf(place.target) }));
  if (drawn.every(({ point }) => point.y === null)) return [];
  const inGrid = drawn.filter(({ member }) => member !== undefined);
  const ticks = [...new Set(inGrid.map(({ shortGroup }) => shortGroup))];
  return [
    {
      ...words,
      x: { label: "", scale: "category", ticks },
      y: { ...axis, scale: "linear" },
      series: [...groupBy(inGrid, ({ member = "" }) => member)].map(([name, those], colorIndex) => ({
        name,
        shape: "bar",
        colorIndex,
        points: those.map(({ point, shortGroup }) => ({ ...point, x: shortGroup })),
      })),
      rules: drawn.flatMap(({ target, member, point: { y } }) =>
        member === undefined && y !== null ? [{ panel: 0, y, label: target }] : [],
      ),
    },
  ];
}
