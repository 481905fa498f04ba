import type { Measurement, TimelineSecond } from "../../model/measurement.js";
import type { Result } from "../../model/result.js";
import { median } from "../../stats/descriptive.js";
import { groupAscending } from "../../stats/group-by.js";
import { loadValue } from "../../stats/load.js";
import { wholeSeconds } from "../../stats/ramp-seconds.js";
import type { Cell } from "../cells.js";
import { describeLoad } from "../describe-level.js";
import { formatCount, formatRate, formatTime } from "../format-number.js";
import { chooseScale, secondAxis, namedAxis } from "./axes.js";
import type { ChartDefinition, ChartPoint, ChartSeries } from "./chart-definition.js";
import { chartSubtitle } from "./chart-words.js";
import { mainCurves, panelPerCurve } from "./curves.js";

/** Fewer seconds are no course. */
const FEWEST_SECONDS = 3;

/** More targets than these would be too many lines for a panel. */
const MOST_TARGETS = 6;

/** A second of a cell over all its trials. */
interface CellSecond {
  readonly second: number;
  /** Median of the trials. */
  readonly ok: number;
  readonly p99: number | null;
  /** Of all trials, so that a pause in one of them is seen. */
  readonly max: number | null;
}

/** The seconds of a target at a level, in the panel of the level. */
interface Course {
  readonly name: string;
  readonly colorIndex: number;
  readonly panel: number;
  readonly cell: Cell;
  readonly seconds: readonly CellSecond[];
}

interface Line {
  readonly suffix: string;
  readonly dash: ChartSeries["dash"];
  readonly of: (second: CellSecond) => number | null;
}

const OK: Line = { suffix: "", dash: "solid", of: ({ ok }) => ok };
const LATENCIES: readonly Line[] = [
  { suffix: ", p99", dash: "solid", of: ({ p99 }) => p99 },
  { suffix: ", max", dash: "dotted", of: ({ max }) => max },
];

/**
 * Returns throughput, and p99 and the longest answer, second by second, a panel for each level and a line for each target; none of a
 * ramp, which has charts of its own, of a search, where a level lasted less than 3 s, or of more than 6 targets.
 */
export function overTimeCharts(result: Result): readonly ChartDefinition[] {
  const { curves, part } = mainCurves(result);
  if (result.scenario.ramp !== null || result.scenario.search !== null || curves.length > MOST_TARGETS) return [];
  const all = curves.flatMap(({ name, colorIndex, cells }) =>
    cells.map((cell) => ({ name, colorIndex, cell, seconds: collectSeconds(cell.measurements) })),
  );
  const levels = groupAscending(
    all.filter(({ seconds }) => seconds.length >= FEWEST_SECONDS),
    ({ cell }) => loadValue(cell.level),
  );
  const courses = levels.flatMap(({ items }, panel) => items.map((one): Course => ({ ...one, panel })));
  if (courses.every(({ seconds }) => seconds.every(({ ok }) => ok === 0))) return [];
  const panelled = panelPerCurve(levels.flatMap(({ items: [first] }) => (first ? describeLoad(first.cell.level) : [])));
  const trials = Math.max(...courses.map(({ cell }) => cell.measurements.length));
  const ofTrials = (max: string): string =>
    trials > 1 ? `median of ${formatCount(trials)} trials in each second${max}` : "";
  const subtitle = (about: string, max = ""): string =>
    chartSubtitle(
      result,
      panelled.about([about, part, ofTrials(max)].filter((text) => text !== "").join(" · ")),
      false,
    );
  const frame = {
    x: secondAxis(Math.max(...courses.map(({ seconds }) => seconds.length)) - 1),
    panels: panelled.panels,
  };
  const values = courses.flatMap(({ seconds }) => seconds.flatMap(({ p99, max }) => [p99 ?? [], max ?? []].flat()));
  const scale = chooseScale(values);
  return [
    {
      ...frame,
      id: "throughput-over-time",
      title: "Throughput in each second",
      subtitle: subtitle("higher is better, and even is good"),
      alt: `Ok responses in each second. ${courses.map(describeThroughput).join(" ")}`,
      y: { label: "ok responses per second", scale: "linear" },
      series: courses.map((course) => lineOf(course, OK)),
    },
    ...(values.length === 0
      ? []
      : [
          {
            ...frame,
            id: "latency-over-time",
            title: "Latency in each second",
            subtitle: subtitle("ok responses, lower is better", ", max of all"),
            alt: `p99 and the longest latency of ok responses in each second, in milliseconds. ${courses.map(describeWorst).join(" ")}`,
            y: namedAxis("latency (ms)", scale),
            series: courses.flatMap((course) => LATENCIES.map((line) => lineOf(course, line))),
          } as const,
        ]),
  ];
}

function collectSeconds(measurements: readonly Measurement[]): readonly CellSecond[] {
  const trials = measurements.map(wholeSeconds).filter(({ length }) => length > 0);
  const shortest = Math.min(...trials.map(({ length }) => length));
  return Array.from({ length: trials.length === 0 ? 0 : shortest }, (_, second) => {
    const those = trials.map((seconds) => seconds[second] as TimelineSecond);
    const p99s = those.flatMap(({ p99 }) => p99 ?? []);
    const maxima = those.flatMap(({ max }) => max ?? []);
    return {
      second,
      ok: median(those.map(({ ok }) => ok)),
      p99: p99s.length === 0 ? null : median(p99s),
      max: maxima.length === 0 ? null : Math.max(...maxima),
    };
  });
}

function lineOf({ name, colorIndex, panel, seconds }: Course, { suffix, dash, of }: Line): ChartSeries {
  const points = seconds.map((one): ChartPoint => ({ x: one.second, y: of(one) }));
  return { name: `${name}${suffix}`, shape: "line", dense: true, colorIndex, dash, panel, points };
}

function describeThroughput({ name, cell, seconds }: Course): string {
  const rates = seconds.map(({ ok }) => ok);
  return `${name} with ${describeLoad(cell.level)}: ${formatRate(Math.min(...rates))} to ${formatRate(Math.max(...rates))}.`;
}

function describeWorst({ name, cell, seconds }: Course): string {
  const worst = Math.max(0, ...seconds.flatMap(({ max, p99 }) => max ?? p99 ?? []));
  return `${name} with ${describeLoad(cell.level)}: at most ${formatTime(worst)}.`;
}
