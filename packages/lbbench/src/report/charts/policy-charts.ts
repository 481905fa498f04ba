/** What policies did over time: the share of requests that each backend got, and how many it had, with the faults marked. */
import type { Slices } from "../../model/measurement.js";
import { formatDuration } from "../../stats/format-number.js";
import { backendKinds, type BackendKind } from "../policies.js";
import { secondAxis } from "./axes.js";
import type { ChartPoint, ChartRow, RowSeries } from "./chart-definition.js";
import { mostTrials, type Sweep, trialPoint } from "./curves.js";
import { markFaults } from "./fault-charts.js";
import { shownFigure } from "../figures.js";

/** Slices that are put together: in less a backend gets too few requests for its share to be steady. */
const PUT_TOGETHER = 2;
/** More points are no clearer in a picture. */
const MOST_POINTS = 320;

/** Returns the charts of a comparison of policies; none of other runs. */
export function policyCharts(sweep: Sweep): readonly ChartRow[] {
  const { policies } = sweep.result.scenario;
  return policies === undefined ? [] : [...missedChart(sweep, policies.withinMs), ...timeCharts(sweep)];
}

/** The part that missed the deadline, which tells 99.9 % from 99 % as no chart of successes would. */
function missedChart({ cells }: Sweep, withinMs: number): readonly ChartRow[] {
  const { values } = shownFigure("within_share");
  if (cells.every((cell) => values(cell).length === 0)) return [];
  return [
    {
      id: "policies-missed",
      title: `Requests not answered within ${formatDuration(withinMs)}`,
      about: "of all that were due, lower is better",
      x: { label: "", scale: "category", ticks: cells.map(({ target }) => target) },
      y: { label: "late or failed", unit: "% of requests", scale: "linear" },
      series: [
        {
          name: "late or failed",
          shape: "bar",
          points: cells.map((cell) =>
            trialPoint(
              cell.target,
              values(cell).map((share) => 100 * (1 - share)),
            ),
          ),
        },
      ],
    },
  ];
}

/** A panel for each policy, a line for each kind of backend. */
function timeCharts({ result, cells }: Sweep): readonly ChartRow[] {
  const { faults = [], policies } = result.scenario;
  const drawn = cells.flatMap((cell) => {
    const trials = cell.measurements.flatMap(({ slices }) => slices ?? []);
    const target = result.scenario.targets.find(({ name }) => name === cell.target);
    return trials.length === 0 ? [] : [{ cell, trials, kinds: backendKinds(target, faults) }];
  });
  const [first] = drawn;
  if (policies === undefined || first === undefined) return [];
  const ms = first.trials[0]?.ms ?? 0;
  const { durationMs = Math.max(...drawn.flatMap(({ trials }) => trials.map(({ sent }) => sent.length * ms))) } =
    first.cell.level;
  const size = Math.max(PUT_TOGETHER, Math.ceil(durationMs / ms / MOST_POINTS));
  const trials = mostTrials(cells);
  const frame = {
    x: secondAxis(Math.round(durationMs / 1000)),
    panels: drawn.map(({ cell }) => cell.target),
    marks: drawn.flatMap(({ cell }, panel) => markFaults(cell, faults, panel)),
  };
  const draw = (of: (slices: readonly Slices[], kind: BackendKind, from: number, to: number) => number | null) =>
    drawn.flatMap(({ trials: own, kinds }, panel) =>
      kinds.map((kind, colorIndex): RowSeries => ({
        name: kind.label,
        colorIndex,
        panel,
        dense: true,
        points: Array.from({ length: Math.floor(durationMs / ms / size) }, (_, at): ChartPoint => {
          const [from, to] = [at * size, (at + 1) * size];
          return { x: Number(((((from + to) / 2) * ms) / 1000).toFixed(3)), y: of(own, kind, from, to) };
        }),
      })),
    );
  const about = [`every ${formatDuration(size * ms)}`, trials > 1 ? `mean of ${trials} trials` : ""];
  const charts: readonly ChartRow[] = [
    {
      ...frame,
      id: "policies-shares",
      title: "Share of requests over time",
      about,
      y: { label: "requests", unit: "% of the balancer's", scale: "linear" },
      series: draw(shareIn),
    },
    {
      ...frame,
      id: "policies-in-flight",
      title: "Requests in flight over time",
      about,
      y: { label: "requests in flight at a backend", scale: "linear" },
      series: draw(inFlightIn),
    },
  ];
  return charts.filter(({ series }) => series.some(({ points }) => points.some(({ y }) => y !== null)));
}

const sum = (values: readonly number[]): number => values.reduce((all, one) => all + one, 0);

/** The share that a backend of a kind got, in percent; `null` where that is not counted, and of no request. */
function shareIn(trials: readonly Slices[], { names }: BackendKind, from: number, to: number): number | null {
  const counts = trials.flatMap(({ backends = {} }) => Object.entries(backends));
  const countOf = (of: (name: string) => boolean): number =>
    sum(counts.flatMap(([name, own]) => (of(name) ? own.slice(from, to) : [])));
  const all = countOf(() => true);
  return all === 0 ? null : (100 * countOf((name) => names.includes(name))) / all / names.length;
}

/** The mean of what backends of a kind had; `null` where that is not counted. */
function inFlightIn(trials: readonly Slices[], { names }: BackendKind, from: number, to: number): number | null {
  const looks = trials.flatMap(({ inFlight = {} }) =>
    names.flatMap((name) => (inFlight[name] ?? []).slice(from, to).flatMap((count) => count ?? [])),
  );
  return looks.length === 0 ? null : sum(looks) / looks.length;
}
