/** Bars at every load, a panel per target: what became of requests, and what the processes of each role used. */
import type { Result } from "../../model/result.js";
import type { Measurement, RequestCounts } from "../../model/measurement.js";
import { TOLD_FAILURES } from "../../model/outcomes.js";
import type { Role, Usage } from "../../model/usage.js";
import { loadOf, loadValue } from "../../stats/load.js";
import { failedRequests } from "../../stats/request-counts.js";
import { type Cell, countFailed, countFinished, countRefused, cpuOf, loopOf, memoryOf, ROLES } from "../cells.js";
import { formatCount, pickByteUnit } from "../../stats/format-number.js";
import type { ChartRow, RowSeries } from "./chart-definition.js";
import { gapNotes, untriedNote } from "./chart-words.js";
import { collectCurves, type Curve, loadCategories, loadCategory, trialPoint } from "./curves.js";
import { refusalNote } from "./line-charts.js";

/** What is a bar, or a piece of one, at every level. */
interface Part {
  readonly name: string;
  readonly colorIndex: number;
  readonly stack: string;
  /** Of every trial, or one of all together. */
  readonly values: (cell: Cell) => readonly number[];
}

/** A chart of bars; what only some have is absent elsewhere. */
interface BarChart extends Pick<ChartRow, "title" | "about"> {
  /** Of the value axis, with the unit. */
  readonly label: string;
  /** In the order in which they stand on one another or side by side. */
  readonly parts: readonly Part[];
  readonly curves: readonly Curve[];
  readonly notes?: readonly string[];
  readonly panelTitle?: (curve: Curve) => string;
  /** Lines in front of the bars. */
  readonly lines?: (curve: Curve) => readonly RowSeries[];
}

const BAR_CHARTS = {
  goodput: goodputBars,
  errors: errorBars,
  cpu: (result: Result) =>
    roleBars(result, cpuOf, PERCENT, {
      title: "CPU by role",
      about: "100 % is one core kept busy",
      label: "CPU (% of one core)",
    }),
  "event-loop": (result: Result) =>
    result.steps.some(({ usage }) => usage !== undefined && differsFromCpu(usage))
      ? roleBars(result, loopOf, PERCENT, {
          title: "Event loop by role",
          about: "busiest of a role; 100 %: never idle",
          label: "event loop (% of time)",
        })
      : undefined,
  memory: (result: Result) => {
    const { name, bytes } = memoryUnit(result);
    return roleBars(result, memoryOf, bytes, {
      title: "Memory by role",
      about: "largest, all processes of a role",
      label: `resident memory (${name})`,
    });
  },
} as const satisfies Readonly<Record<string, (result: Result) => BarChart | undefined>>;

/** Returns charts by their ids, of those that have something to show. */
export function barCharts(result: Result, ids: readonly (keyof typeof BAR_CHARTS)[]): readonly ChartRow[] {
  return ids.flatMap((id) => {
    const chart = BAR_CHARTS[id](result);
    return chart === undefined ? [] : [drawBars(id, chart)];
  });
}

function drawBars(id: string, chart: BarChart): ChartRow {
  const { title, about, label, parts, curves, notes = [], panelTitle = ({ name }) => name, lines = () => [] } = chart;
  return {
    id,
    title,
    about,
    notes: [...notes, untriedNote(curves)],
    x: loadCategories(curves),
    y: { label, scale: "linear" },
    panels: curves.map(panelTitle),
    series: curves.flatMap((curve, panel) => [
      ...lines(curve).map((line) => ({ ...line, panel })),
      ...parts.map(({ name, colorIndex, stack, values }) => ({
        name,
        shape: "bar" as const,
        stack,
        colorIndex,
        panel,
        points: curve.cells.map((cell) => trialPoint(loadCategory(cell), values(cell))),
      })),
    ]),
  };
}

const isMeasured = ({ measurements }: Cell): boolean => measurements.length > 0;

/** Beyond so many curves, those of which nothing failed have no panel. */
const MOST_WITH_FAULTLESS = 6;

/** The share of requests that failed, by class; none when nothing failed. */
function errorBars(result: Result): BarChart | undefined {
  const all = collectCurves(result);
  // Of what was not measured, nobody can say that nothing failed.
  const isFaulty = ({ cells }: Curve): boolean => cells.some((cell) => !isMeasured(cell) || countFailed(cell) > 0);
  const curves = all.length > MOST_WITH_FAULTLESS ? all.filter(isFaulty) : all;
  const cells = curves.flatMap((curve) => curve.cells);
  if (cells.every((cell) => countFailed(cell) === 0)) return undefined;
  const count = (cell: Cell, key: keyof RequestCounts): number =>
    cell.measurements.reduce((sum, { requests }) => sum + (requests[key] ?? 0), 0);
  const measured = curves.filter((curve) => curve.cells.some(isMeasured));
  return {
    title: "Failed requests by class",
    about: "share of the requests that came to an end, all trials together",
    label: "failed requests (%)",
    notes: [
      curves.length < all.length ? `nothing failed of the ${formatCount(all.length - curves.length)} others` : "",
      ...gapNotes(measured, isMeasured),
    ],
    curves,
    panelTitle: (curve) => {
      if (!curve.cells.some(isMeasured)) return `${curve.name}: no measurement`;
      return curve.cells.some((cell) => countFailed(cell) > 0) ? curve.name : `${curve.name}: nothing failed`;
    },
    parts: TOLD_FAILURES.flatMap(({ key, label: name }, colorIndex) =>
      cells.some((cell) => count(cell, key) > 0)
        ? [
            {
              name,
              colorIndex,
              stack: "failed",
              values: (cell) => shareOf(100 * count(cell, key), countFinished(cell)),
            },
          ]
        : [],
    ),
  };
}

/** Nothing of nothing. */
function shareOf(part: number, whole: number): readonly number[] {
  return whole === 0 ? [] : [part / whole];
}

/**
 * What became of the requests in each second: ok, refused by a status that says so, failed in another way, and, of an open
 * loop, what could not be sent, beside the load that was offered; none where all are ok, or none is.
 */
function goodputBars(result: Result): BarChart | undefined {
  const { scenario } = result;
  const curves = collectCurves(result);
  const cells = curves.flatMap((curve) => curve.cells);
  const part = (name: string, colorIndex: number, count: (measurement: Measurement) => number) => {
    const total = ({ measurements }: Cell): number => measurements.reduce((sum, one) => sum + count(one), 0);
    const seconds = ({ measurements }: Cell): number =>
      measurements.reduce((sum, one) => sum + one.elapsedMs, 0) / 1000;
    const values = (cell: Cell): readonly number[] => shareOf(total(cell), seconds(cell));
    return cells.some((cell) => total(cell) > 0) ? [{ name, colorIndex, stack: "requests", values }] : [];
  };
  const ok = part("ok", 2, ({ requests }) => requests.ok);
  const refused = part("refused", 5, (one) => countRefused(one, scenario));
  const failed = part("failed", 1, (one) => failedRequests(one.requests) - countRefused(one, scenario));
  const unsent = part("not sent", 4, ({ schedule }) => schedule?.unsent ?? 0);
  const parts = [...ok, ...refused, ...failed, ...unsent];
  // Without ok responses the shares of the chart of errors say it all.
  if (ok.length === 0 || parts.length === 1) return undefined;
  return {
    title: `Goodput${refused.length > 0 ? ", refusals" : ""} and failures`,
    about: "what became of requests, all trials together",
    label: "requests per second",
    notes: [
      refused.length > 0 ? refusalNote(result) : "",
      unsent.length > 0 ? "not sent: due when as many requests as are allowed were in flight" : "",
      ...gapNotes(curves, isMeasured),
    ],
    curves,
    parts,
    lines: (curve) => {
      const points = curve.cells
        .filter(({ level }) => loadOf(level).kind === "rate")
        .map((cell) => ({ x: loadCategory(cell), y: loadValue(cell.level) }));
      return points.length === 0 ? [] : [{ name: "offered", dense: true, colorIndex: 6, dash: "dashed", points }];
    },
  };
}

const PERCENT = 0.01;

/** A figure of generator, balancer and backends, in units of so much; none where no level has it. */
function roleBars(
  result: Result,
  figure: (usage: Usage, role: Role) => number | null,
  unit: number,
  words: Pick<BarChart, "title" | "about" | "label">,
): BarChart | undefined {
  const curves = collectCurves(result).filter(({ cells }) => cells.some(({ usages }) => usages.length > 0));
  const cells = curves.flatMap((curve) => curve.cells);
  const parts = ROLES.map(({ role, label: name }, colorIndex): Part => {
    const values = ({ usages }: Cell): readonly number[] => usages.flatMap((usage) => figure(usage, role) ?? []);
    return { name, colorIndex, stack: role, values: (cell) => values(cell).map((value) => value / unit) };
  }).filter(({ values }) => cells.some((cell) => values(cell).length > 0));
  return parts.length === 0 ? undefined : { ...words, parts, curves };
}

function memoryUnit({ steps }: Result): ReturnType<typeof pickByteUnit> {
  return pickByteUnit(
    steps.flatMap(({ usage }) => (usage === undefined ? [] : ROLES.flatMap(({ role }) => memoryOf(usage, role) ?? []))),
  );
}

/** From this difference on a loop tells something that processor time does not: of 1, which is one core or all of the time. */
const TELLING_DIFFERENCE = 0.15;

/** It is more than processor time in a process that waits for a core, and less than that of many processes together. */
function differsFromCpu(usage: Usage): boolean {
  return ROLES.some(({ role }) => {
    const [cpu, loop] = [cpuOf(usage, role), loopOf(usage, role)];
    return cpu !== null && loop !== null && Math.abs(cpu - loop) >= TELLING_DIFFERENCE;
  });
}
