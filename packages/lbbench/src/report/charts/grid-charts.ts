import type { Result } from "../../model/result.js";
import { groupBy } from "../../stats/group-by.js";
import { loadValue } from "../../stats/load.js";
import { type Cell, collectCells } from "../cells.js";
import { loadWords } from "../describe-level.js";
import { formatCount, formatRate, formatTime } from "../format-number.js";
import type { ChartDefinition, ChartPoint, ChartRule, ChartSeries } from "./chart-definition.js";
import { chartSubtitle } from "./chart-words.js";
import { type GridPlace, readTargetGrid } from "./target-grid.js";
import { trialPoint } from "./curves.js";

/** With fewer targets, the charts against load show as much. */
const FEWEST_TARGETS = 4;

/** What is drawn of each target. */
interface Figure {
  readonly id: string;
  readonly title: string;
  readonly about: string;
  readonly label: string;
  readonly format: (value: number) => string;
  /** By target, wherever along the axis; `y` is `null` where there is nothing to be drawn. */
  readonly points: ReadonlyMap<string, ChartPoint>;
}

/**
 * Returns the highest throughput, and of a search the largest load that held and the mean latency there, of targets that a grid made: bars side by side for the
 * values of one option, at a place for each choice of the others. A target beside the grid is a line across. None without a
 * grid of at least 4 targets.
 */
export function gridCharts(result: Result): readonly ChartDefinition[] {
  const grid = readTargetGrid(result.scenario.targets.map(({ name }) => name));
  if (grid === undefined || grid.filter(({ member }) => member !== undefined).length < FEWEST_TARGETS) return [];
  return [peaks(result), ...limits(result)].flatMap((figure) => drawFigure(result, grid, figure));
}

function drawFigure(result: Result, grid: readonly GridPlace[], figure: Figure): readonly ChartDefinition[] {
  const yOf = (target: string): number | null => figure.points.get(target)?.y ?? null;
  if (grid.every(({ target }) => yOf(target) === null)) return [];
  const members = distinct(grid.flatMap(({ member }) => member ?? []));
  const shortened = shortenGroups(distinct(grid.flatMap(({ member, group }) => (member === undefined ? [] : [group]))));
  const series = members.map((name, colorIndex): ChartSeries => {
    const ofMember = grid.filter(({ member }) => member === name);
    return {
      name,
      shape: "bar",
      colorIndex,
      dash: "solid",
      panel: 0,
      points: ofMember.map(({ target, group }) => ({
        y: null,
        ...figure.points.get(target),
        x: shortened.get(group) ?? group,
      })),
    };
  });
  const rules = grid.flatMap(({ target, member }): readonly ChartRule[] => {
    const y = yOf(target);
    return member === undefined && y !== null ? [{ panel: 0, y, label: target }] : [];
  });
  return [
    {
      id: figure.id,
      title: figure.title,
      subtitle: chartSubtitle(result, figure.about, figure.id !== LIMIT),
      alt: `${figure.title}: ${describeEnds(grid, figure)}`,
      x: { label: "", scale: "category", ticks: [...shortened.values()] },
      y: { label: figure.label, scale: "linear" },
      panels: [""],
      series,
      ...(rules.length === 0 ? {} : { rules }),
    },
  ];
}

const PEAK = "grid-peak";
const LIMIT = "grid-limit";

function peaks(result: Result): Figure {
  const byTarget = groupBy(collectCells(result), ({ target }) => target);
  return {
    id: PEAK,
    title: "Highest throughput by option",
    about: "of all levels, higher is better",
    label: "ok responses per second",
    format: formatRate,
    points: new Map([...byTarget].map(([target, cells]) => [target, highestOf(cells)])),
  };
}

function highestOf(cells: readonly Cell[]): ChartPoint {
  const points = cells
    .filter(({ cutShort }) => !cutShort)
    .map(({ measurements }) =>
      trialPoint(
        "",
        measurements.map(({ throughput }) => throughput),
      ),
    );
  return points.reduce((best, point) => ((point.y ?? 0) > (best.y ?? 0) ? point : best), { x: "", y: null });
}

function limits(result: Result): readonly Figure[] {
  const { search = [], scenario } = result;
  if (search.length === 0) return [];
  const { axis } = loadWords(scenario.levels);
  return [
    {
      id: LIMIT,
      title: "Largest load that held, by option",
      about: "found by search, higher is better",
      label: axis,
      format: formatCount,
      points: new Map(search.map(({ target, held }) => [target, { x: "", y: held }])),
    },
    {
      id: "grid-limit-latency",
      title: "Mean latency at the largest load that held, by option",
      about: "ok responses, lower is better",
      label: "mean latency (ms)",
      format: formatTime,
      points: new Map(search.map(({ target, held }) => [target, meanAt(result, target, held)])),
    },
  ];
}

function meanAt(result: Result, target: string, load: number | null): ChartPoint {
  const cell = collectCells(result).find((one) => one.target === target && loadValue(one.level) === load);
  const means = cell?.measurements.flatMap(({ latency }) => latency?.mean ?? []) ?? [];
  return trialPoint("", means);
}

/** Without the name that all have in common, which leaves room for the options. */
function shortenGroups(groups: readonly string[]): ReadonlyMap<string, string> {
  const [first = ""] = groups;
  const base = first.slice(0, first.search(/ [\w.-]+=/) + 1);
  const isShared = base !== "" && groups.every((group) => group.startsWith(base));
  return new Map(groups.map((group) => [group, isShared ? group.slice(base.length) : group]));
}

function describeEnds(grid: readonly GridPlace[], { points, format }: Figure): string {
  const rising = grid
    .flatMap(({ target }) => {
      const y = points.get(target)?.y ?? null;
      return y === null ? [] : [{ target, y }];
    })
    .toSorted((a, b) => a.y - b.y);
  const [least, most] = [rising[0], rising.at(-1)];
  if (least === undefined || most === undefined) return "nothing.";
  return `from ${format(least.y)} (${least.target}) to ${format(most.y)} (${most.target}).`;
}

function distinct(words: readonly string[]): readonly string[] {
  return [...new Set(words)];
}
