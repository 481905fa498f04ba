/**
 * Bars at every load, a panel per target: what became of requests, what the processes of each role used, and what each backend got. And bars
 * side by side, of the options of a grid and of policies.
 */
import type { Measurement } from "../../model/measurement.js";
import { TOLD_FAILURES } from "../../model/outcomes.js";
import { type StepUsage, usageOf } from "../../judge/bottleneck.js";
import { expectedShares } from "../../stats/backend-shares.js";
import { groupBy } from "../../stats/group-by.js";
import { isOpenLoop, loadOf, loadValue } from "../../stats/load.js";
import { failedRequests } from "../../stats/request-counts.js";
import { sumShares } from "../backend-shares.js";
import { type Cell, countFailed, countFinished, countRefused, cpuOf, loopOf, ROLES, totalOf } from "../cells.js";
import { drawnFigures, shownFigure } from "../figures.js";
import { formatCount, formatDuration } from "../../stats/format-number.js";
import type { AxisName, ChartPoint, ChartRow, ChartRule, RowSeries } from "./chart-definition.js";
import { gapNotes } from "./chart-words.js";
import { type Curve, gridPlaces, loadCategory, loadsOf, type Sweep, THROUGHPUT, trialPoint } from "./curves.js";
import { refusalNote } from "./line-charts.js";

interface Part {
  readonly name: string;
  readonly colorIndex: number;
  readonly stack: string;
  /** Of every trial, or one of all together. */
  readonly values: (cell: Cell) => readonly number[];
}

/** Its panels are named after the curves unless told otherwise. */
interface BarChart extends Pick<ChartRow, "id" | "title" | "about" | "notes" | "panels"> {
  readonly axis: AxisName;
  readonly parts: readonly Part[];
  readonly curves: readonly Curve[];
  /** Lines in front of the bars. */
  readonly lines?: (curve: Curve) => readonly RowSeries[];
}

function drawBars({ categories, loads }: Sweep, chart: BarChart): ChartRow {
  const { axis, parts, curves, notes = [], lines = () => [], ...words } = chart;
  // As in a search.
  const isUntried = curves.some(({ cells }) => loadsOf(cells).length < loads.length);
  return {
    panels: curves.map(({ name }) => name),
    ...words,
    notes: [...notes, isUntried ? "empty places: levels that were not tried" : ""],
    x: categories,
    y: { ...axis, scale: "linear" },
    series: curves.flatMap((curve, panel) => [
      ...lines(curve).map((line) => ({ ...line, panel })),
      ...parts.map(({ values, ...part }) => ({
        ...part,
        shape: "bar" as const,
        panel,
        points: curve.cells.map((cell) => trialPoint(loadCategory(cell), values(cell))),
      })),
    ]),
  };
}

const isMeasured = ({ measurements }: Cell): boolean => measurements.length > 0;

/** Beyond so many curves, those of which nothing failed have no panel. */
const MOST_WITH_FAULTLESS = 6;

/** Returns the share of requests that failed, by class; none when nothing failed. */
export function errorsChart(sweep: Sweep): readonly ChartRow[] {
  const { curves: all } = sweep;
  // A bar that was not measured says nothing of failures.
  const isFaulty = ({ cells }: Curve): boolean => cells.some((cell) => !isMeasured(cell) || countFailed(cell) > 0);
  const curves = all.length > MOST_WITH_FAULTLESS ? all.filter(isFaulty) : all;
  const cells = curves.flatMap((curve) => curve.cells);
  if (cells.every((cell) => countFailed(cell) === 0)) return [];
  const parts = TOLD_FAILURES.map(({ key, label: name }, colorIndex): Part => {
    const count = (cell: Cell): number => totalOf(cell, ({ requests }) => requests[key] ?? 0);
    return { name, colorIndex, stack: "failed", values: (cell) => shareOf(100 * count(cell), countFinished(cell)) };
  });
  return [
    drawBars(sweep, {
      id: "errors",
      title: "Failed requests by class",
      about: "share of the requests that came to an end, all trials together",
      axis: drawnFigures(["failed_share"], cells).axis,
      notes: [
        curves.length < all.length ? `nothing failed of the ${formatCount(all.length - curves.length)} others` : "",
        ...gapNotes(
          curves.filter((curve) => curve.cells.some(isMeasured)),
          isMeasured,
        ),
      ],
      curves,
      panels: curves.map(({ name, cells: own }) => {
        if (!own.some(isMeasured)) return `${name}: no measurement`;
        return own.some((cell) => countFailed(cell) > 0) ? name : `${name}: nothing failed`;
      }),
      parts: parts.filter(({ values }) => cells.some((cell) => values(cell).some((value) => value > 0))),
    }),
  ];
}

function shareOf(part: number, whole: number): readonly number[] {
  return whole === 0 ? [] : [part / whole];
}

/** What became of the requests in each second, and in an open loop what could not be sent; none where all are ok, or none is. */
export function goodputChart(sweep: Sweep): readonly ChartRow[] {
  const { curves, cells, result } = sweep;
  const refusedOf = (one: Measurement): number => countRefused(one, result.scenario);
  const part = (name: string, colorIndex: number, count: (measurement: Measurement) => number) => {
    const values = (cell: Cell): readonly number[] =>
      shareOf(
        1000 * totalOf(cell, count),
        totalOf(cell, ({ elapsedMs }) => elapsedMs),
      );
    return cells.some((cell) => totalOf(cell, count) > 0) ? [{ name, colorIndex, stack: "requests", values }] : [];
  };
  const ok = part("ok", 2, ({ requests }) => requests.ok);
  const refused = part("refused", 5, refusedOf);
  const failed = part("failed", 1, (one) => failedRequests(one.requests) - refusedOf(one));
  const unsent = part("not sent", 4, ({ schedule }) => schedule?.unsent ?? 0);
  const parts = [...ok, ...refused, ...failed, ...unsent];
  // Without ok responses the shares of the chart of errors say it all.
  if (ok.length === 0 || parts.length === 1) return [];
  return [
    drawBars(sweep, {
      id: "goodput",
      title: `Goodput${refused.length > 0 ? ", refusals" : ""} and failures`,
      about: "what became of requests, all trials together",
      axis: { label: "requests/s" },
      notes: [
        refused.length > 0 ? refusalNote(sweep) : "",
        unsent.length > 0 ? "not sent: due when as many requests as are allowed were in flight" : "",
        ...gapNotes(curves, isMeasured),
      ],
      curves,
      parts,
      lines: (curve) => {
        const points = curve.cells
          .filter(({ level }) => isOpenLoop(loadOf(level).kind))
          .map((cell) => ({ x: loadCategory(cell), y: loadValue(cell.level) }));
        return points.length === 0 ? [] : [{ name: "offered", dense: true, colorIndex: 6, dash: "dashed", points }];
      },
    }),
  ];
}

/** From this difference on a loop tells something that processor time does not: of 1, which is one core or all of the time. */
const TELLING_DIFFERENCE = 0.15;

/** It is more than processor time in a process that waits for a core, and less than that of many processes together. */
function differsFromCpu(usage: StepUsage): boolean {
  return ROLES.some(({ role }) => {
    const [cpu, loop] = [cpuOf(usage, role), loopOf(usage, role)];
    return cpu !== null && loop !== null && Math.abs(cpu - loop) >= TELLING_DIFFERENCE;
  });
}

/** What is drawn of generator, balancer and backends: rows of FIGURES, named after the role and this. */
const ROLE_CHARTS = [
  ["cpu_cores", "cpu", "CPU by role", "100 % is one core kept busy"],
  ["event_loop_share", "event-loop", "Event loop by role", "busiest of a role; 100 %: never idle"],
  ["memory_bytes", "memory", "Memory by role", "largest, all processes of a role"],
] as const satisfies readonly (readonly [figure: string, id: string, title: string, about: string])[];

/** Returns what the processes of each role used; none where no level tells it, and of event loops where processor time says the same. */
export function roleCharts(sweep: Sweep): readonly ChartRow[] {
  const curves = sweep.curves.filter(({ cells }) => cells.some(({ usages }) => usages.length > 0));
  const cells = curves.flatMap((curve) => curve.cells);
  const hasLoops = sweep.result.steps.flatMap((step) => usageOf(step) ?? []).some(differsFromCpu);
  return ROLE_CHARTS.flatMap(([figure, id, title, about]) => {
    const keys = ROLES.map(({ role }) => `${role}_${figure}`);
    const { axis, values } = drawnFigures(keys, cells);
    const parts = ROLES.flatMap(({ role, label: name }, colorIndex): readonly Part[] => {
      const of = (cell: Cell): readonly number[] => values(cell, colorIndex);
      return cells.some((cell) => of(cell).length > 0) ? [{ name, colorIndex, stack: role, values: of }] : [];
    });
    const isDrawn = parts.length > 0 && (id !== "event-loop" || hasLoops);
    return isDrawn ? [drawBars(sweep, { id, title, about, axis, parts, curves })] : [];
  });
}

/** A share that is nearer to the one expected has the same figure in a table. */
const AS_EXPECTED = 0.001;

/** The share of requests that each backend got, with a line at the share by weight; none where all are even, which a table says. */
export function backendSharesChart(sweep: Sweep): readonly ChartRow[] {
  const balanced = sweep.curves.flatMap((curve) => {
    const names = sumShares(curve.cells).map(({ name }) => name);
    const target = sweep.result.scenario.targets.find(({ name }) => name === curve.cells[0]?.target);
    return names.length < 2 ? [] : [{ curve, names, expected: expectedShares(target, names) }];
  });
  const isOdd = balanced.some(({ curve, names, expected }) => {
    const isNear = (name: string): boolean =>
      shareOfBackend(curve.cells, name).every((share) => Math.abs(share - (expected.get(name) ?? 0)) <= AS_EXPECTED);
    return !isEven(expected) || !names.every(isNear);
  });
  if (!isOdd) return [];
  const all = [...new Set(balanced.flatMap(({ names }) => names))];
  const placeOf = (name: string): number => Math.max(...balanced.map(({ names }) => names.indexOf(name)));
  return [
    {
      ...drawBars(sweep, {
        id: "backend-shares",
        title: "Share of requests per backend",
        about: "all trials together",
        axis: { label: "requests", unit: "% of the balancer's" },
        curves: balanced.map(({ curve }) => curve),
        parts: all.map((name, colorIndex) => ({
          name,
          colorIndex,
          // Backends of different panels share their places.
          stack: `place ${placeOf(name)}`,
          values: (cell) => shareOfBackend([cell], name).map((share) => 100 * share),
        })),
      }),
      rules: balanced.flatMap(({ names, expected }, panel) =>
        [...groupBy(names, (name) => String(expected.get(name)))].map(([share, those]): ChartRule => {
          const label = isEven(expected) ? "even share" : `by weight: ${those.join(", ")}`;
          return { panel, y: 100 * Number(share), label };
        }),
      ),
    },
  ];
}

/** Nothing where the backend had no part, or nothing was counted. */
function shareOfBackend(cells: readonly Cell[], name: string): readonly number[] {
  const shares = sumShares(cells);
  const total = shares.reduce((sum, { requests }) => sum + requests, 0);
  return shares.filter((one) => one.name === name).flatMap(({ requests }) => shareOf(requests, total));
}

function isEven(shares: ReadonlyMap<string, number>): boolean {
  return new Set(shares.values()).size === 1;
}

const FEWEST_TARGETS = 4;

const NOWHERE: ChartPoint = { x: "", y: null };

/**
 * Returns the highest throughput of targets that a grid made, and of a search the largest load that held: bars side by side for the values
 * of one option, at a place for each choice of the others. A target beside the grid is a line across.
 */
export function gridCharts({ result: { scenario, search = [] }, cells, loadName }: Sweep): readonly ChartRow[] {
  const grid = gridPlaces(scenario.targets);
  if (grid === undefined || grid.filter(({ member }) => member !== undefined).length < FEWEST_TARGETS) return [];
  const latency = drawnFigures(["latency_mean_ms"], cells);
  const pointAt = (cell: Cell, { values }: typeof latency): ChartPoint =>
    trialPoint("", cell.cutShort ? [] : values(cell));
  const cellsOf = (target: string): readonly Cell[] => cells.filter((cell) => cell.target === target);
  const heldOf = (target: string): number | null => search.find((one) => one.target === target)?.held ?? null;
  const figures = [
    {
      id: "grid-peak",
      title: "Highest throughput by option",
      about: `of all levels, ${THROUGHPUT.better}`,
      axis: THROUGHPUT.axis,
      pointOf: (target: string) =>
        cellsOf(target)
          .map((cell) => pointAt(cell, THROUGHPUT))
          .reduce((best, point) => ((point.y ?? 0) > (best.y ?? 0) ? point : best), NOWHERE),
    },
    {
      id: "grid-limit",
      title: "Largest load that held, by option",
      about: "found by search, higher is better",
      axis: { label: loadName },
      pointOf: (target: string) => ({ x: "", y: heldOf(target) }),
    },
    {
      id: "grid-limit-latency",
      title: "Mean latency at the largest load that held, by option",
      about: `ok responses, ${latency.better}`,
      axis: latency.axis,
      pointOf: (target: string) => {
        const atLimit = cellsOf(target).find(({ level }) => loadValue(level) === heldOf(target));
        return atLimit === undefined ? NOWHERE : pointAt(atLimit, latency);
      },
    },
  ];
  return figures.flatMap(({ axis, pointOf, ...words }): readonly ChartRow[] => {
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
  });
}

/** The part that missed the deadline of policies, which tells 99.9 % from 99 % as no chart of successes would. */
export function missedChart({ result: { scenario }, cells }: Sweep): readonly ChartRow[] {
  const { values } = shownFigure("within_share");
  if (scenario.policies === undefined || cells.every((cell) => values(cell).length === 0)) return [];
  const missed = (cell: Cell): readonly number[] => values(cell).map((share) => 100 * (1 - share));
  return [
    {
      id: "policies-missed",
      title: `Requests not answered within ${formatDuration(scenario.policies.withinMs)}`,
      about: "of all that were due, lower is better",
      x: { label: "", scale: "category", ticks: cells.map(({ target }) => target) },
      y: { label: "late or failed", unit: "% of requests", scale: "linear" },
      series: [
        { name: "late or failed", shape: "bar", points: cells.map((cell) => trialPoint(cell.target, missed(cell))) },
      ],
    },
  ];
}
