/** Charts second by second: of the steps of a sweep, and of a ramp, whose load rises. */
import type { FindingCode } from "../../model/finding.js";
import type { Measurement, TimelineSecond } from "../../model/measurement.js";
import { FAILURES } from "../../model/outcomes.js";
import type { Result } from "../../model/result.js";
import { median, range } from "../../stats/descriptive.js";
import { groupAscending } from "../../stats/group-by.js";
import { loadValue } from "../../stats/load.js";
import { perSecond, type RampSecond, wholeSeconds } from "../../stats/ramp-seconds.js";
import { collectRamps, type TargetRamp } from "../cells.js";
import { describeLoad } from "../describe-level.js";
import { formatCount, countOf } from "../../stats/format-number.js";
import { chooseScale, secondAxis } from "./axes.js";
import type { ChartAxis, ChartMark, ChartPoint, ChartRow, LineDash, RowSeries } from "./chart-definition.js";
import { LATENCY, mostTrials, type Sweep, THROUGHPUT } from "./curves.js";

interface Line<Second> {
  readonly name: string;
  readonly colorIndex: number;
  readonly dash?: LineDash;
  readonly of: (second: Second) => number | null;
}

function lineOf<Second extends { readonly second: number }>(
  { name, colorIndex, dash = "solid", of }: Line<Second>,
  seconds: readonly Second[],
  panel: number,
): RowSeries & { readonly points: readonly ChartPoint[] } {
  const values = seconds.map(of);
  // A line along the bottom, where nothing of the kind happens, would only hide others.
  const isIdle = (at: number): boolean =>
    dash === "dashed" && values.slice(Math.max(0, at - 1), at + 2).every((value) => (value ?? 0) === 0);
  const points = seconds.map((one, at) => ({ x: one.second, y: isIdle(at) ? null : (values[at] ?? null) }));
  return { name, shape: "line", dense: true, colorIndex, dash, panel, points };
}

const FEWEST_SECONDS = 3;

const MOST_TARGETS = 6;

/** A second of a cell: medians of its trials, but of them all the longest answer, so that a pause in one of them is seen. */
type CellSecond = Pick<TimelineSecond, "second" | "ok" | "p99"> & { readonly max: number | null };

/**
 * Returns throughput, p99 and the longest answer second by second, a panel for each level; none of a search, where a level lasted less
 * than 3 s, or of more than 6 targets.
 */
export function overTimeCharts({ result, main, part }: Sweep): readonly ChartRow[] {
  if (result.scenario.search !== null || main.length > MOST_TARGETS) return [];
  const all = main.flatMap(({ cells, ...curve }) =>
    cells.map((cell) => ({ ...curve, cell, seconds: collectSeconds(cell.measurements) })),
  );
  const levels = groupAscending(
    all.filter(({ seconds }) => seconds.length >= FEWEST_SECONDS),
    ({ cell }) => loadValue(cell.level),
  );
  const courses = levels.flatMap(({ items }, panel) => items.map((one) => ({ ...one, panel })));
  const seconds = courses.flatMap((course) => course.seconds);
  if (seconds.every(({ ok }) => ok === 0)) return [];
  const trials = mostTrials(courses.map(({ cell }) => cell));
  const ofTrials = trials > 1 ? `median of ${formatCount(trials)} trials in each second` : "";
  const frame = {
    x: secondAxis(range(seconds.map(({ second }) => second)).high),
    panels: levels.map(({ items }) => describeLoad(items[0]?.cell.level ?? {})),
  };
  const draw = (lines: readonly Pick<Line<CellSecond>, "name" | "dash" | "of">[]): readonly RowSeries[] =>
    courses.flatMap(({ name, colorIndex, panel, seconds: own }) =>
      lines.map((line) => lineOf({ ...line, name: `${name}${line.name}`, colorIndex }, own, panel)),
    );
  const latencies = draw([
    { name: ", p99", of: ({ p99 }) => p99 },
    { name: ", max", dash: "dotted", of: ({ max }) => max },
  ]);
  const values = latencies.flatMap(({ points }) => points.flatMap(({ y }) => y ?? []));
  const throughput: ChartRow = {
    ...frame,
    id: "throughput-over-time",
    title: "Throughput in each second",
    about: [`${THROUGHPUT.better}, and even is good`, part, ofTrials],
    y: { ...THROUGHPUT.axis, scale: "linear" },
    series: draw([{ name: "", of: ({ ok }) => ok }]),
  };
  const latency: ChartRow = {
    ...frame,
    id: "latency-over-time",
    title: "Latency in each second",
    about: [`ok responses, ${LATENCY.better}`, part, ofTrials && `${ofTrials}, max of all`],
    y: { ...LATENCY.axis, scale: chooseScale(values) },
    series: latencies,
  };
  return values.length === 0 ? [throughput] : [throughput, latency];
}

function collectSeconds(measurements: readonly Measurement[]): readonly CellSecond[] {
  const trials = measurements.map(wholeSeconds).filter(({ length }) => length > 0);
  const shortest = trials.length === 0 ? 0 : Math.min(...trials.map(({ length }) => length));
  return Array.from({ length: shortest }, (_, second) => {
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

const OK: Line<RampSecond> = { name: "ok", colorIndex: 0, of: (second) => perSecond(second, second.ok) };

/** Colours after that of `ok`, in the order of the classes; failures without a class come last. */
const FAILURE_LINES: readonly Line<RampSecond>[] = [
  ...FAILURES.map(({ key, label: name }, index) => ({
    name,
    colorIndex: index + 1,
    of: (second: RampSecond) => perSecond(second, second.failures[key] ?? 0),
  })),
  {
    name: "failed, not told how",
    colorIndex: 1,
    of: (second) => perSecond(second, Object.keys(second.failures).length === 0 ? second.failed : 0),
  },
];

/** The last is drawn first, so that the median lies on top. */
const LATENCY_LINES: readonly Line<RampSecond>[] = [
  { name: "p50", colorIndex: 0, of: ({ p50 }) => p50 },
  { name: "p90", colorIndex: 2, of: ({ p90 }) => p90 },
  { name: "p99", colorIndex: 1, of: ({ p99 }) => p99 },
  { name: "max", colorIndex: 6, dash: "dotted", of: ({ max }) => max },
];

/** Failures that are a smaller part of the ok responses than this lie along the bottom of the chart of both. */
const HARD_TO_SEE = 0.1;

/** What happens second by second while users come; failures have a chart of their own where they are too few to be seen in that of both. */
export function rampCharts(result: Result): readonly ChartRow[] {
  const ramps = collectRamps(result);
  const cells = ramps.map(({ cell }) => cell);
  const all = ramps.flatMap(({ seconds }) => seconds);
  const users = Math.max(...cells.map(({ level }) => loadValue(level)));
  const ofTrials = mostTrials(cells) > 1 ? `median of ${formatCount(mostTrials(cells))} trials in each second` : "";
  const draw = (
    { title, about, ...row }: Pick<ChartRow, "id" | "title" | "about" | "y">,
    lines: readonly Line<RampSecond>[],
    own: readonly TargetRamp[] = ramps,
    panelTitle: (ramp: TargetRamp) => string = ({ cell }) => cell.target,
  ): readonly ChartRow[] => {
    if (lines.length === 0) return [];
    const drawn: ChartRow = {
      ...row,
      title: `${title} by second as users rise to ${formatCount(users)}`,
      about: [...[about].flat(), ofTrials],
      x: secondAxis(Math.max(0, ...own.flatMap(({ seconds }) => seconds.at(-1)?.second ?? []))),
      right: { label: "users", scale: "linear" },
      panels: own.map(panelTitle),
      series: own.flatMap(({ seconds }, panel) => [
        ...lines.map((line) => lineOf(line, seconds, panel)),
        // An area of any index is grey.
        { name: "users", shape: "area", panel, points: seconds.map((one) => ({ x: one.second, y: one.users })) },
      ]),
      marks: own.flatMap(({ cell }, panel) => findingMarks(result.verdict.findings, cell.target, panel)),
    };
    return [drawn];
  };
  const latencies = LATENCY_LINES.filter(({ of }) => all.some((second) => of(second) !== null));
  const scale = chooseScale(latencies.flatMap(({ of }) => all.flatMap((second) => of(second) ?? [])));
  const nameAnswered = ({ cell, seconds }: TargetRamp): string =>
    seconds.some(({ p50 }) => p50 !== null) ? cell.target : `${cell.target}: no ok response`;
  const failures = FAILURE_LINES.filter(({ of }) => all.some((second) => (of(second) ?? 0) > 0));
  const title = failures.length === 0 ? "Throughput" : "Ok responses and failures";
  const isSent = all.some(({ ok, failed }) => ok + failed > 0);
  const failing = ramps.filter(({ seconds }) => seconds.some(({ failed }) => failed > 0));
  const highest = (count: "ok" | "failed", of: readonly TargetRamp[]): number =>
    Math.max(0, ...of.flatMap(({ seconds }) => seconds.map((second) => perSecond(second, second[count]))));
  const isHidden = failing.some((ramp) => highest("failed", [ramp]) < HARD_TO_SEE * highest("ok", ramps));
  const rate = (label: string): ChartAxis => ({ label, scale: "linear" });
  return [
    ...draw(
      { id: "latency", title: "Latency", about: `ok responses, ${LATENCY.better}`, y: { ...LATENCY.axis, scale } },
      latencies,
      ramps,
      nameAnswered,
    ),
    ...draw(
      { id: "throughput", title, about: `ok responses: ${THROUGHPUT.better}`, y: rate("requests/s") },
      isSent ? [OK, ...failures.map((line) => ({ ...line, dash: "dashed" as const }))] : [],
    ),
    ...draw(
      {
        id: "errors",
        title: "Failed requests",
        about: "by class; lower is better",
        y: rate("failed requests/s"),
      },
      isHidden ? failures : [],
      failing,
    ),
  ];
}

/** What findings of a ramp are called beside the second they name, and which arg tells the users. */
const MARKED: ReadonlyMap<FindingCode, readonly [word: string, users: string]> = new Map([
  ["KNEE", ["knee", "knee"]],
  ["CLIFF", ["cliff", "firstBad"]],
  ["DEGRADES", ["degrades", "firstBad"]],
  ["SHEDS", ["sheds", "firstBad"]],
]);

/** Returns where the verdict says that something happens to a target, in order of time. */
function findingMarks(findings: Result["verdict"]["findings"], target: string, panel: number): readonly ChartMark[] {
  const marks = findings.flatMap(({ code, args }): readonly ChartMark[] => {
    const [word, users = ""] = MARKED.get(code) ?? [];
    const [second, load] = [args["second"], args[users]];
    return word !== undefined && args["target"] === target && typeof second === "number" && typeof load === "number"
      ? [{ panel, x: second, label: `${word} at ${countOf(load, "user")}` }]
      : [];
  });
  return marks.toSorted((a, b) => a.x - b.x);
}
