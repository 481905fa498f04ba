/** What happened around faults, in slices of a tenth of a second: ok responses and failures, and p99, with the faults marked. */
import type { Fault } from "../../model/fault.js";
import type { Measurement, Slices } from "../../model/measurement.js";
import { median } from "../../stats/descriptive.js";
import { formatDeed, formatFault, harms } from "../../stats/faults.js";
import { formatCount, formatDuration } from "../../stats/format-number.js";
import { cellPercentileMs, mergeCells } from "../../stats/latency-cells.js";
import type { Cell } from "../cells.js";
import { describeLoad } from "../describe-level.js";
import { toldFaults } from "../faults.js";
import { chooseScale, secondAxis } from "./axes.js";
import type { ChartMark, ChartPoint, ChartRow, RowSeries } from "./chart-definition.js";
import { LATENCY, mostTrials, type Sweep, THROUGHPUT } from "./curves.js";
import { defined } from "../../stats/defined.js";

/** Some slices of all trials of a cell, put together. */
interface Moment {
  /** Its middle. */
  readonly second: number;
  /** Per second, the mean of the trials. */
  readonly ok: number;
  readonly failed: number;
  /** Of all trials; `null` without an ok response. */
  readonly p99: number | null;
}

/** Of fewer ok responses p99 is little more than the longest. 500 requests a second have more of them in two slices, also when some fail. */
const FEWEST_FOR_P99 = 80;
/** Fewer points are no course, however few the responses are. */
const FEWEST_POINTS = 20;
/** More points than these are no clearer in a picture. */
const MOST_POINTS = 320;
/** So many slices may be put together; of longer runs as many as it takes. */
const SIZES = [1, 2, 5, 10, 20, 50, 100, 200, 600];

/** What waited for a backend is answered at once when that goes on. A peak beyond so many times the usual is cut, or all else would look flat. */
const MOST_SHOWN = 2;
/** Part of the points that may be of such peaks; more are the course itself. */
const MOST_CUT = 0.05;

/** How far beyond what is usual, or of p99 the highest, an axis ends at the least, so that the words of the marks hide little. */
const ROOM = { linear: 1.3, log: 3 } as const;

/**
 * Returns what happened around the faults, a panel for each target and level: ok responses and failures, and the p99 of the ok responses.
 * None where nothing was measured in slices.
 */
export function faultCharts({ result, cells }: Sweep): readonly ChartRow[] {
  const sliced = cells.flatMap((cell) => {
    const trials = cell.measurements.flatMap(wholeSlices);
    return trials.length === 0 ? [] : [{ cell, trials }];
  });
  const [first] = sliced;
  const { faults } = result.scenario;
  if (faults === undefined || first === undefined) return [];
  const longest = Math.max(...sliced.flatMap(({ trials }) => trials.map(({ sent }) => sent.length)));
  const fewest = Math.ceil(longest / MOST_POINTS);
  const sizeFor = (least: number): number => SIZES.find((one) => one >= least) ?? Math.ceil(least);
  const ms = first.trials[0]?.ms ?? 0;
  const perSlice = Math.max(...sliced.map(({ trials }) => sum(trials.flatMap(({ ok }) => ok)) / longest));
  const ofRequests = collectPanels(sliced, sizeFor(fewest));
  // A trial that was interrupted early may be shorter than a point of the others.
  if (ofRequests.all.length === 0) return [];
  const telling = Math.min(FEWEST_FOR_P99 / perSlice, longest / FEWEST_POINTS);
  const ofLatency = collectPanels(sliced, sizeFor(Math.max(fewest, telling)));
  const p99s = ofLatency.all.flatMap(({ p99 }) => p99 ?? []);
  const scale = chooseScale(p99s);
  const hasLevels = new Set(sliced.map(({ cell }) => describeLoad(cell.level))).size > 1;
  const most = mostTrials(sliced.map(({ cell }) => cell));
  const frame = {
    x: secondAxis(Math.round((longest * ms) / 1000)),
    panels: sliced.map(({ cell }) => (hasLevels ? `${cell.target}, ${describeLoad(cell.level)}` : cell.target)),
    marks: sliced.flatMap(({ cell }, panel) => markFaults(cell, faults, panel)),
  };
  const about = ({ size }: Panels, ofTrials: string): readonly string[] => [
    `every ${formatDuration(size * ms)}`,
    most > 1 ? `${ofTrials} of ${formatCount(most)} trials` : "",
  ];
  const usual = median(ofRequests.all.map(({ ok }) => ok));
  const cut = MOST_SHOWN * usual;
  const beyond = ofRequests.all.filter(({ ok, failed }) => Math.max(ok, failed) > cut).length;
  const isCut = beyond > 0 && beyond <= MOST_CUT * ofRequests.all.length;
  const hasFailures = ofRequests.all.some(({ failed }) => failed > 0);
  const requests: ChartRow = {
    ...frame,
    id: "faults",
    title: hasFailures ? "Ok responses and failures around the faults" : "Ok responses around the faults",
    about: [
      `ok responses: ${THROUGHPUT.better}`,
      ...about(ofRequests, "mean"),
      isCut ? `peaks above ${formatCount(cut)} are cut` : "",
    ],
    y: {
      label: "requests/s",
      scale: "linear",
      end: ROOM.linear * usual,
      ...defined({ cut: isCut ? cut : undefined }),
    },
    series: [
      ...draw(ofRequests, "ok", 0, ({ ok }) => ok),
      ...(hasFailures ? draw(ofRequests, "failed", 1, ({ failed }) => failed) : []),
    ],
  };
  const latency: ChartRow = {
    ...frame,
    id: "faults-latency",
    title: "Latency around the faults",
    about: [`p99 of ok responses, ${LATENCY.better}`, ...about(ofLatency, "all requests")],
    y: { ...LATENCY.axis, scale, end: ROOM[scale] * Math.max(...p99s) },
    series: draw(ofLatency, "p99", 0, ({ p99 }) => p99),
  };
  return p99s.length === 0 ? [requests] : [requests, latency];
}

/** The rest of a last slice is too short to say anything. */
function wholeSlices({ slices, elapsedMs }: Measurement): readonly Slices[] {
  if (slices === undefined) return [];
  const whole = Math.round(elapsedMs / slices.ms);
  return whole === 0 ? [] : [{ ...slices, sent: slices.sent.slice(0, whole) }];
}

interface Panels {
  /** Slices that are put together. */
  readonly size: number;
  readonly panels: readonly (readonly Moment[])[];
  readonly all: readonly Moment[];
}

function collectPanels(sliced: readonly { readonly trials: readonly Slices[] }[], size: number): Panels {
  const panels = sliced.map(({ trials }) => collectMoments(trials, size));
  return { size, panels, all: panels.flat() };
}

function draw(
  { panels }: Panels,
  name: string,
  colorIndex: number,
  of: (moment: Moment) => number | null,
): readonly RowSeries[] {
  return panels.map((moments, panel) => ({
    name,
    colorIndex,
    panel,
    dense: true,
    points: moments.map((one): ChartPoint => ({ x: one.second, y: of(one) })),
  }));
}

function sum(counts: readonly number[]): number {
  return counts.reduce((all, count) => all + count, 0);
}

function collectMoments(trials: readonly Slices[], size: number): readonly Moment[] {
  const shortest = Math.min(...trials.map(({ sent }) => sent.length));
  return Array.from({ length: Math.floor(shortest / size) }, (_, index) => {
    const [from, to] = [index * size, (index + 1) * size];
    const seconds = trials.reduce((all, { ms }) => all + (size * ms) / 1000, 0);
    const perSecond = (of: (slices: Slices) => readonly (readonly number[])[]): number =>
      sum(trials.flatMap((slices) => of(slices).flatMap((counts) => counts.slice(from, to)))) / seconds;
    return {
      // Without what binary arithmetic leaves behind.
      second: Number(((((from + to) / 2) * (trials[0]?.ms ?? 0)) / 1000).toFixed(3)),
      ok: perSecond(({ ok }) => [ok]),
      failed: perSecond(({ failures }) => Object.values(failures)),
      p99: cellPercentileMs(mergeCells(trials.flatMap(({ latencies }) => latencies.slice(from, to))), 99),
    };
  });
}

/** Where faults took effect, in the middle of the trials. */
export function markFaults({ measured }: Cell, faults: readonly Fault[], panel: number): readonly ChartMark[] {
  const told = measured.map((step) => toldFaults(step, faults));
  return faults.flatMap((fault, at) => {
    const own = told.flatMap((faultsOfStep) => faultsOfStep[at] ?? []);
    const effects = own.flatMap(({ done }) => done?.effectMs ?? []);
    if (effects.length === 0) return [];
    const { part: _, ...deed } = fault;
    // The axis says when, and what ends a fault is of the same part.
    const label = formatDeed(harms(fault) ? fault : deed);
    return [{ panel, x: median(effects) / 1000, label, whole: formatFault(fault) }];
  });
}
