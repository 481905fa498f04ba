import type { FindingCode } from "../../model/finding.js";
import { FAILURES } from "../../model/outcomes.js";
import type { Result } from "../../model/result.js";
import { countOf } from "../../stats/count-of.js";
import { loadValue } from "../../stats/load.js";
import { perSecond, type RampSecond } from "../../stats/ramp-seconds.js";
import { formatCount, formatRate, formatTime } from "../format-number.js";
import { collectRamps, type TargetRamp } from "../cells.js";
import { chooseScale, secondAxis, namedAxis } from "./axes.js";
import type { ChartAxis, ChartDefinition, ChartMark, ChartPoint, ChartSeries } from "./chart-definition.js";
import { chartSubtitle } from "./chart-words.js";
import { panelPerCurve } from "./curves.js";

/** A line of the chart: what it is of a second, as a count. */
export interface Line {
  readonly name: string;
  readonly colorIndex: number;
  readonly dash: "solid" | "dashed";
  readonly count: (second: RampSecond) => number;
}

const OK: Line = { name: "ok", colorIndex: 0, dash: "solid", count: ({ ok }) => ok };

/** Colours after that of `ok`, in the order of the classes; what is not told apart comes last. */
const FAILURE_LINES: readonly Line[] = [
  ...FAILURES.map(({ key, label }, index): Line => ({
    name: label,
    colorIndex: index + 1,
    dash: "dashed",
    count: ({ failures }) => failures[key] ?? 0,
  })),
  {
    name: "failed, not told how",
    colorIndex: 1,
    dash: "dashed",
    count: ({ failed, failures }) => (Object.keys(failures).length === 0 ? failed : 0),
  },
];

/** Returns the ways in which requests of some ramps failed, each with its colour; none when nothing failed. */
function occurringFailures(ramps: readonly TargetRamp[]): readonly Line[] {
  return FAILURE_LINES.filter(({ count }) => ramps.some(({ seconds }) => seconds.some((one) => count(one) > 0)));
}

/** Returns ok responses and failures by second while users come, a panel per target; none for other loads. */
export function rampThroughputChart(result: Result): readonly ChartDefinition[] {
  const ramps = collectRamps(result);
  if (ramps.every(({ seconds }) => seconds.every(({ ok, failed }) => ok + failed === 0))) return [];
  const occurring = occurringFailures(ramps);
  const panelled = panelPerCurve(ramps.map(({ cell }) => cell.target));
  return [
    {
      id: "throughput",
      title: `${occurring.length === 0 ? "Throughput" : "Ok responses and failures"} by second as users rise to ${formatCount(mostUsers(ramps))}`,
      subtitle: rampSubtitle(result, ramps, panelled.about("ok responses: higher is better")),
      alt: `Requests per second, second by second. ${ramps.map(describeCourse).join(" ")}`,
      x: secondAxis(lastSecond(ramps)),
      y: { label: "requests per second", scale: "linear" },
      right: USERS_AXIS,
      panels: panelled.panels,
      series: ramps.flatMap((ramp, panel) => [
        ...[OK, ...occurring].map((line) => ({
          name: line.name,
          shape: "line" as const,
          dense: true,
          colorIndex: line.colorIndex,
          dash: line.dash,
          panel,
          points: line === OK ? ratesOf(ramp, line) : withoutIdleZeros(ratesOf(ramp, line)),
        })),
        usersSeries(ramp, panel),
      ]),
      ...rampMarks(result, ramps),
    },
  ];
}

function ratesOf({ seconds }: TargetRamp, { count }: Line): readonly ChartPoint[] {
  return pointsOf(seconds, (second) => perSecond(second, count(second)));
}

/** A line along the bottom, where nothing of the kind happens, would only hide others. */
function withoutIdleZeros(points: readonly ChartPoint[]): readonly ChartPoint[] {
  return points.map((point, index) =>
    [points[index - 1], point, points[index + 1]].some((near) => (near?.y ?? 0) > 0) ? point : { ...point, y: null },
  );
}

function describeCourse({ cell, seconds }: TargetRamp): string {
  const [first, ...others] = seconds;
  if (first === undefined) return `${cell.target}: no measurement.`;
  const best = others.reduce((a, b) => (perSecond(b, b.ok) > perSecond(a, a.ok) ? b : a), first);
  const failing = seconds.find(({ failed }) => failed > 0);
  const failures =
    failing === undefined
      ? "nothing failed"
      : `requests failed from second ${formatCount(failing.second)} on, with ${countOf(failing.users, "user")}`;
  return `${cell.target}: at most ${formatRate(perSecond(best, best.ok))} ok responses, in second ${formatCount(best.second)}; ${failures}.`;
}

type Figure = "p50" | "p90" | "p99" | "max";

/** The last is drawn first, so that the median lies on top. */
const LINES: readonly { readonly key: Figure; readonly colorIndex: number; readonly dash: ChartSeries["dash"] }[] = [
  { key: "p50", colorIndex: 0, dash: "solid" },
  { key: "p90", colorIndex: 2, dash: "solid" },
  { key: "p99", colorIndex: 1, dash: "solid" },
  { key: "max", colorIndex: 6, dash: "dotted" },
];

/** Returns latency by second while users come, a panel per target; none for other loads, and when nothing was answered. */
export function rampLatencyChart(result: Result): readonly ChartDefinition[] {
  const ramps = collectRamps(result);
  const values = ramps.flatMap(({ seconds }) =>
    seconds.flatMap((second) => LINES.flatMap(({ key }) => second[key] ?? [])),
  );
  if (values.length === 0) return [];
  const scale = chooseScale(values);
  const lines = LINES.filter(({ key }) => ramps.some(({ seconds }) => seconds.some((second) => second[key] !== null)));
  const panelled = panelPerCurve(ramps.map(panelTitle));
  return [
    {
      id: "latency",
      title: `Latency by second as users rise to ${formatCount(mostUsers(ramps))}`,
      subtitle: rampSubtitle(result, ramps, panelled.about("ok responses, lower is better")),
      alt: `Latency of ok responses in milliseconds, second by second. ${ramps.map(describeLatency).join(" ")}`,
      x: secondAxis(lastSecond(ramps)),
      y: namedAxis("latency (ms)", scale),
      right: USERS_AXIS,
      panels: panelled.panels,
      series: ramps.flatMap((ramp, panel) => [
        ...lines.map(({ key, colorIndex, dash }) => ({
          name: key,
          shape: "line" as const,
          dense: true,
          colorIndex,
          dash,
          panel,
          points: pointsOf(ramp.seconds, (second) => second[key]),
        })),
        usersSeries(ramp, panel),
      ]),
      ...rampMarks(result, ramps),
    },
  ];
}

function panelTitle({ cell, seconds }: TargetRamp): string {
  return seconds.some(({ p50 }) => p50 !== null) ? cell.target : `${cell.target}: no ok response`;
}

function describeLatency({ cell, seconds }: TargetRamp): string {
  const answered = seconds.filter((second): second is RampSecond & { readonly p50: number } => second.p50 !== null);
  const [first, last] = [answered[0], answered.at(-1)];
  if (first === undefined || last === undefined) return `${cell.target}: no ok response.`;
  const course = `median ${formatTime(first.p50)} with ${countOf(first.users, "user")}, ${formatTime(last.p50)} with ${formatCount(last.users)}`;
  const isCut = last.users < loadValue(cell.level);
  return `${cell.target}: ${course}${isCut ? ", then no ok response" : ""}.`;
}

/** Failures that are a smaller part of the ok responses than this lie along the bottom of the chart of both. */
const HARD_TO_SEE = 0.1;

/**
 * Returns failed requests by second and class on an axis of their own, a panel per target in which something failed; none when
 * nothing failed, and where the chart of throughput, which has them too, shows them as well.
 */
export function rampErrorsChart(result: Result): readonly ChartDefinition[] {
  const all = collectRamps(result);
  const ramps = all.filter(({ seconds }) => seconds.some(({ failed }) => failed > 0));
  const highest = (count: "ok" | "failed", of: readonly TargetRamp[]): number =>
    Math.max(0, ...of.flatMap(({ seconds }) => seconds.map((second) => perSecond(second, second[count]))));
  const isSeen = ramps.every((ramp) => highest("failed", [ramp]) >= HARD_TO_SEE * highest("ok", all));
  if (isSeen) return [];
  const panelled = panelPerCurve(ramps.map(({ cell }) => cell.target));
  return [
    {
      id: "errors",
      title: `Failed requests by second as users rise to ${formatCount(mostUsers(ramps))}`,
      subtitle: rampSubtitle(result, ramps, panelled.about("by class; lower is better")),
      alt: `Failed requests per second, second by second. ${ramps.map(describeWorst).join(" ")}`,
      x: secondAxis(lastSecond(ramps)),
      y: { label: "failed requests per second", scale: "linear" },
      right: USERS_AXIS,
      panels: panelled.panels,
      series: ramps.flatMap((ramp, panel) => [
        ...occurringFailures(ramps).map(({ name, colorIndex, count }): ChartSeries => ({
          name,
          shape: "line",
          dense: true,
          colorIndex,
          dash: "solid",
          panel,
          points: pointsOf(ramp.seconds, (second) => perSecond(second, count(second))),
        })),
        usersSeries(ramp, panel),
      ]),
      ...rampMarks(result, ramps),
    },
  ];
}

function describeWorst({ cell, seconds }: TargetRamp): string {
  const failing = seconds.filter(({ failed }) => failed > 0);
  const [first] = failing;
  if (first === undefined) return `${cell.target}: nothing failed.`;
  const worst = failing.reduce((a, b) => (perSecond(b, b.failed) > perSecond(a, a.failed) ? b : a), first);
  return `${cell.target}: in ${formatCount(failing.length)} of ${countOf(seconds.length, "second")}, at most ${formatRate(perSecond(worst, worst.failed))} in second ${formatCount(worst.second)} with ${countOf(worst.users, "user")}.`;
}

/** The axis that users have, on the right. */
const USERS_AXIS: ChartAxis = { label: "users", scale: "linear" };

/** Returns the users of a ramp as the quiet area behind the lines of a panel. */
function usersSeries({ seconds }: TargetRamp, panel: number): ChartSeries {
  return {
    name: "users",
    shape: "area",
    // An area is grey, whatever its index.
    colorIndex: 0,
    dash: "solid",
    panel,
    points: pointsOf(seconds, ({ users }) => users),
  };
}

/** Returns a point for every second. */
export function pointsOf(
  seconds: readonly RampSecond[],
  value: (second: RampSecond) => number | null,
): readonly ChartPoint[] {
  return seconds.map((one) => ({ x: one.second, y: value(one) }));
}

/** Returns the last second of some ramps. */
export function lastSecond(ramps: readonly TargetRamp[]): number {
  return Math.max(0, ...ramps.flatMap(({ seconds }) => seconds.at(-1)?.second ?? []));
}

/** Returns how many users there are in the end. */
function mostUsers(ramps: readonly TargetRamp[]): number {
  return Math.max(0, ...ramps.map(({ cell }) => loadValue(cell.level)));
}

/** Joins the scenario's name, what the chart is about and, with several trials, what is drawn of them. */
function rampSubtitle(result: Result, ramps: readonly TargetRamp[], about: string): string {
  const trials = Math.max(0, ...ramps.map(({ cell }) => cell.measurements.length));
  const median = trials > 1 ? [`median of ${formatCount(trials)} trials in each second`] : [];
  return chartSubtitle(result, [about, ...median].join(" · "), false);
}

/** What findings of a ramp are called beside the second they name, and which arg tells the users. */
const MARKED: ReadonlyMap<FindingCode, { readonly word: string; readonly users: string }> = new Map([
  ["KNEE", { word: "knee", users: "knee" }],
  ["CLIFF", { word: "cliff", users: "firstBad" }],
  ["DEGRADES", { word: "degrades", users: "firstBad" }],
  ["SHEDS", { word: "sheds", users: "firstBad" }],
]);

/** Returns where the verdict says that something happens to a target, a panel each, in the order of the ramps. */
function rampMarks({ verdict }: Result, ramps: readonly TargetRamp[]): Pick<ChartDefinition, "marks"> {
  const marks = ramps.flatMap(({ cell }, panel) =>
    verdict.findings.flatMap(({ code, args }): readonly ChartMark[] => {
      const { word, users } = MARKED.get(code) ?? {};
      const [second, load] = [args["second"], users === undefined ? undefined : args[users]];
      return args["target"] === cell.target && typeof second === "number" && typeof load === "number"
        ? [{ panel, x: second, label: `${word} at ${countOf(load, "user")}` }]
        : [];
    }),
  );
  return marks.length === 0 ? {} : { marks: marks.toSorted((a, b) => a.panel - b.panel || a.x - b.x) };
}
