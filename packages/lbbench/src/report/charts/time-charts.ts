/** Charts along time: second by second, of a sweep and of a ramp, and in finer slices around faults and of policies. */
import { readFigures, type Seen } from "../../judge/found.js";
import type { Fault } from "../../model/fault.js";
import type { FindingCode } from "../../model/finding.js";
import type { Measurement, Slices, TimelineSecond } from "../../model/measurement.js";
import { FAILURES } from "../../model/outcomes.js";
import type { Result } from "../../model/result.js";
import { defined } from "../../stats/defined.js";
import { median, medianIfAny, range, sum } from "../../stats/descriptive.js";
import { formatDeed, formatFault, harms } from "../../stats/faults.js";
import { countOf, formatCount, formatDuration } from "../../stats/format-number.js";
import { groupAscending } from "../../stats/group-by.js";
import { cellPercentileMs, mergeCells } from "../../stats/latency-cells.js";
import { loadValue } from "../../stats/load.js";
import { perSecond, type RampSecond, wholeSeconds } from "../../stats/ramp-seconds.js";
import { type Cell, collectRamps, type TargetRamp } from "../cells.js";
import { describeLoad } from "../describe-level.js";
import { toldFaults } from "../faults.js";
import { backendKinds, type BackendKind } from "../policies.js";
import { chooseScale, secondAxis } from "./axes.js";
import type { ChartAxis, ChartMark, ChartRow, LineDash, RowSeries } from "./chart-definition.js";
import { LATENCY, tellTrials, type Sweep, THROUGHPUT } from "./curves.js";

/** A line along time. */
interface Line<Moment> {
  readonly name: string;
  readonly colorIndex?: number;
  /** Dashed is what mostly does not happen. */
  readonly dash?: LineDash;
  readonly of: (moment: Moment) => number | null;
}

/** Draws lines of the same moments in a panel. */
function drawLines<Moment extends { readonly second: number }>(
  moments: readonly Moment[],
  panel: number,
  lines: readonly Line<Moment>[],
): readonly RowSeries[] {
  return lines.map(({ name, colorIndex = 0, dash = "solid", of }) => {
    const values = moments.map(of);
    // A line along the bottom, where nothing of the kind happens, would only hide others.
    const isIdle = (at: number): boolean =>
      dash === "dashed" && values.slice(Math.max(0, at - 1), at + 2).every((value) => (value ?? 0) === 0);
    const points = moments.map(({ second }, at) => ({ x: second, y: isIdle(at) ? null : (values[at] ?? null) }));
    return { name, dense: true, colorIndex, dash, panel, points };
  });
}

const valuesOf = (series: readonly RowSeries[]): readonly number[] =>
  series.flatMap(({ points }) => points.flatMap(({ y }) => y ?? []));

const hasValues = ({ series }: ChartRow): boolean => valuesOf(series).length > 0;

const tellMedian = (cells: readonly Cell[]): string => tellTrials(cells, "median of", " in each second");

const FEWEST_SECONDS = 3;

const MOST_TARGETS = 6;

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
  const ofTrials = tellMedian(courses.map(({ cell }) => cell));
  const frame = {
    x: secondAxis(range(seconds.map(({ second }) => second)).high),
    panels: levels.map(({ items }) => describeLoad(items[0]?.cell.level ?? {})),
  };
  const draw = (lines: readonly Line<(typeof seconds)[number]>[]): readonly RowSeries[] =>
    courses.flatMap(({ name, colorIndex, panel, seconds: own }) =>
      drawLines(own, panel, lines).map((line) => ({ ...line, name: `${name}${line.name}`, colorIndex })),
    );
  const latencies = draw([
    { name: ", p99", of: ({ p99 }) => p99 },
    { name: ", max", dash: "dotted", of: ({ max }) => max },
  ]);
  const rows: readonly ChartRow[] = [
    {
      ...frame,
      id: "throughput-over-time",
      title: "Throughput in each second",
      about: [`${THROUGHPUT.better}, and even is good`, part, ofTrials],
      y: { ...THROUGHPUT.axis, scale: "linear" },
      series: draw([{ name: "", of: ({ ok }) => ok }]),
    },
    {
      ...frame,
      id: "latency-over-time",
      title: "Latency in each second",
      about: [`ok responses, ${LATENCY.better}`, part, ofTrials && `${ofTrials}, max of all`],
      y: { ...LATENCY.axis, scale: chooseScale(valuesOf(latencies)) },
      series: latencies,
    },
  ];
  return rows.filter(hasValues);
}

/** Medians of the trials of a cell, but of them all the longest answer, so that a pause in one of them is seen. */
function collectSeconds(measurements: readonly Measurement[]) {
  const trials = measurements.map(wholeSeconds).filter(({ length }) => length > 0);
  const [shortest = []] = trials.toSorted((a, b) => a.length - b.length);
  return shortest.map((_, second) => {
    const those = trials.map((seconds) => seconds[second] as TimelineSecond);
    const maxima = those.flatMap(({ max }) => max ?? []);
    return {
      second,
      ok: median(those.map(({ ok }) => ok)),
      p99: medianIfAny(those.flatMap(({ p99 }) => p99 ?? [])) ?? null,
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
  const users = formatCount(Math.max(...cells.map(({ level }) => loadValue(level))));
  const draw = (
    [id, title, about, y]: readonly [id: string, title: string, about: string, y: ChartAxis],
    lines: readonly Line<RampSecond>[],
    own: readonly TargetRamp[] = ramps,
  ): readonly ChartRow[] => {
    if (lines.length === 0) return [];
    const isAnswered = ({ seconds }: TargetRamp): boolean =>
      id !== "latency" || seconds.some(({ p50 }) => p50 !== null);
    const row: ChartRow = {
      id,
      title: `${title} by second as users rise to ${users}`,
      about: [about, tellMedian(cells)],
      x: secondAxis(Math.max(0, ...own.flatMap(({ seconds }) => seconds.at(-1)?.second ?? []))),
      y,
      right: { label: "users", scale: "linear" },
      panels: own.map((ramp) => `${ramp.cell.target}${isAnswered(ramp) ? "" : ": no ok response"}`),
      series: own.flatMap(({ seconds }, panel) => [
        ...drawLines(seconds, panel, lines),
        // An area of any index is grey.
        { name: "users", shape: "area", panel, points: seconds.map((one) => ({ x: one.second, y: one.users })) },
      ]),
      marks: own.flatMap(({ cell }, panel) => findingMarks(result.verdict.findings, cell.target, panel)),
    };
    return [row];
  };
  const latencies = LATENCY_LINES.filter(({ of }) => all.some((second) => of(second) !== null));
  const scale = chooseScale(latencies.flatMap(({ of }) => all.flatMap((second) => of(second) ?? [])));
  const failures = FAILURE_LINES.filter(({ of }) => all.some((second) => (of(second) ?? 0) > 0));
  const title = failures.length === 0 ? "Throughput" : "Ok responses and failures";
  const isSent = all.some(({ ok, failed }) => ok + failed > 0);
  const failing = ramps.filter(({ seconds }) => seconds.some(({ failed }) => failed > 0));
  const highest = (count: "ok" | "failed", of: readonly TargetRamp[]): number =>
    range([0, ...of.flatMap(({ seconds }) => seconds.map((second) => perSecond(second, second[count])))]).high;
  const isHidden = failing.some((ramp) => highest("failed", [ramp]) < HARD_TO_SEE * highest("ok", ramps));
  const rate = (label: string): ChartAxis => ({ label, scale: "linear" });
  return [
    ...draw(["latency", "Latency", `ok responses, ${LATENCY.better}`, { ...LATENCY.axis, scale }], latencies),
    ...draw(
      ["throughput", title, `ok responses: ${THROUGHPUT.better}`, rate("requests/s")],
      isSent ? [OK, ...failures.map((line) => ({ ...line, dash: "dashed" as const }))] : [],
    ),
    ...draw(
      ["errors", "Failed requests", "by class; lower is better", rate("failed requests/s")],
      isHidden ? failures : [],
      failing,
    ),
  ];
}

const ofFirstBad = ({ firstBad }: Seen): number | undefined => firstBad;

/** What findings of a ramp are called beside the second they name, and with how many users. */
const MARKED: ReadonlyMap<FindingCode, readonly [word: string, users: (seen: Seen) => number | undefined]> = new Map([
  ["KNEE", ["knee", ({ knee, reached = 0, above = 0 }) => (reached > above ? reached : knee)]],
  ["CLIFF", ["cliff", ofFirstBad]],
  ["DEGRADES", ["degrades", ofFirstBad]],
  ["SHEDS", ["sheds", ofFirstBad]],
]);

/** Returns where the verdict says that something happens to a target, in order of time. */
function findingMarks(findings: Result["verdict"]["findings"], target: string, panel: number): readonly ChartMark[] {
  const marks = findings.flatMap(({ code, args }): readonly ChartMark[] => {
    const [word, users] = MARKED.get(code) ?? [];
    const seen = readFigures(args);
    const [{ second }, load] = [seen, users?.(seen)];
    return word !== undefined && seen.target === target && second !== undefined && load !== undefined
      ? [{ panel, x: second, label: `${word} at ${countOf(load, "user")}` }]
      : [];
  });
  return marks.toSorted((a, b) => a.x - b.x);
}

/** Slices that are put together to one point of a line, at the second in their middle. */
type Window = ReturnType<typeof windowsOf>[number];

/** Returns the windows of so many slices; what is left at the end is too short to say anything. */
function windowsOf(slices: number, size: number, ms: number) {
  return Array.from({ length: Math.floor(slices / size) }, (_, at) => {
    const [from, to] = [at * size, (at + 1) * size];
    // Without what binary arithmetic leaves behind.
    return { from, to, second: Number(((((from + to) / 2) * ms) / 1000).toFixed(3)) };
  });
}

/** More points than these are no clearer in a picture. */
const MOST_POINTS = 320;

/** Of fewer ok responses p99 is little more than the longest. 500 requests a second have more of them in two slices, also when some fail. */
const FEWEST_FOR_P99 = 80;
/** Fewer points are no course, however few the responses are. */
const FEWEST_POINTS = 20;
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
  const ms = sliced[0]?.trials[0]?.ms;
  const { faults } = result.scenario;
  if (faults === undefined || ms === undefined) return [];
  const collect = (least: number) => {
    const size = SIZES.find((one) => one >= least) ?? Math.ceil(least);
    const panels = sliced.map(({ trials }) => collectMoments(trials, size));
    return { panels, all: panels.flat(), every: `every ${formatDuration(size * ms)}` };
  };
  const longest = Math.max(...sliced.flatMap(({ trials }) => trials.map(({ sent }) => sent.length)));
  const perSlice = Math.max(...sliced.map(({ trials }) => sum(trials.flatMap(({ ok }) => ok)) / longest));
  const fewest = Math.ceil(longest / MOST_POINTS);
  const requests = collect(fewest);
  // A trial that was interrupted early may be shorter than a point of the others.
  if (requests.all.length === 0) return [];
  const latency = collect(Math.max(fewest, Math.min(FEWEST_FOR_P99 / perSlice, longest / FEWEST_POINTS)));
  const p99s = latency.all.flatMap(({ p99 }) => p99 ?? []);
  const scale = chooseScale(p99s);
  const shown = sliced.map(({ cell }) => cell);
  const hasLevels = new Set(shown.map(({ level }) => describeLoad(level))).size > 1;
  const frame = {
    x: secondAxis(Math.round((longest * ms) / 1000)),
    panels: shown.map(({ target, level }) => (hasLevels ? `${target}, ${describeLoad(level)}` : target)),
    marks: shown.flatMap((cell, panel) => markFaults(cell, faults, panel)),
  };
  const usual = median(requests.all.map(({ ok }) => ok));
  const cut = MOST_SHOWN * usual;
  const beyond = requests.all.filter(({ ok, failed }) => Math.max(ok, failed) > cut).length;
  const isCut = beyond > 0 && beyond <= MOST_CUT * requests.all.length;
  const hasFailures = requests.all.some(({ failed }) => failed > 0);
  const draw = ({ panels }: typeof requests, line: Line<(typeof requests.all)[number]>) =>
    panels.flatMap((moments, panel) => drawLines(moments, panel, [line]));
  const rows: readonly ChartRow[] = [
    {
      ...frame,
      id: "faults",
      title: `Ok responses ${hasFailures ? "and failures " : ""}around the faults`,
      about: [
        `ok responses: ${THROUGHPUT.better}`,
        requests.every,
        tellTrials(shown, "mean of"),
        isCut ? `peaks above ${formatCount(cut)} are cut` : "",
      ],
      y: {
        label: "requests/s",
        scale: "linear",
        end: ROOM.linear * usual,
        ...defined({ cut: isCut ? cut : undefined }),
      },
      series: [
        ...draw(requests, { name: "ok", colorIndex: 0, of: ({ ok }) => ok }),
        ...(hasFailures ? draw(requests, { name: "failed", colorIndex: 1, of: ({ failed }) => failed }) : []),
      ],
    },
    {
      ...frame,
      id: "faults-latency",
      title: "Latency around the faults",
      about: [`p99 of ok responses, ${LATENCY.better}`, latency.every, tellTrials(shown, "all requests of")],
      y: { ...LATENCY.axis, scale, end: ROOM[scale] * Math.max(...p99s) },
      series: draw(latency, { name: "p99", colorIndex: 0, of: ({ p99 }) => p99 }),
    },
  ];
  return rows.filter(hasValues);
}

/** The rest of a last slice is too short to say anything. */
function wholeSlices({ slices, elapsedMs }: Measurement): readonly Slices[] {
  if (slices === undefined) return [];
  const whole = Math.round(elapsedMs / slices.ms);
  return whole === 0 ? [] : [{ ...slices, sent: slices.sent.slice(0, whole) }];
}

/** Slices of all trials of a cell, put together: counts per second, the mean of the trials, and p99 of all requests. */
function collectMoments(trials: readonly Slices[], size: number) {
  const shortest = Math.min(...trials.map(({ sent }) => sent.length));
  const seconds = trials.reduce((all, { ms }) => all + (size * ms) / 1000, 0);
  return windowsOf(shortest, size, trials[0]?.ms ?? 0).map((window) => {
    const { from, to } = window;
    const rate = (of: (slices: Slices) => readonly (readonly number[])[]): number =>
      sum(trials.flatMap((slices) => of(slices).flatMap((counts) => counts.slice(from, to)))) / seconds;
    return {
      ...window,
      ok: rate(({ ok }) => [ok]),
      failed: rate(({ failures }) => Object.values(failures)),
      p99: cellPercentileMs(mergeCells(trials.flatMap(({ latencies }) => latencies.slice(from, to))), 99),
    };
  });
}

/** Where faults took effect, in the middle of the trials. */
function markFaults({ measured }: Cell, faults: readonly Fault[], panel: number): readonly ChartMark[] {
  const told = measured.map((step) => toldFaults(step, faults));
  return faults.flatMap((fault, at) => {
    const effects = told.flatMap((faultsOfStep) => faultsOfStep[at]?.done?.effectMs ?? []);
    if (effects.length === 0) return [];
    const { part: _, ...deed } = fault;
    // The axis says when, and what ends a fault is of the same part.
    const label = formatDeed(harms(fault) ? fault : deed);
    return [{ panel, x: median(effects) / 1000, label, whole: formatFault(fault) }];
  });
}

/** Slices that are put together of policies: in less a backend gets too few requests for its share to be steady. */
const PUT_TOGETHER = 2;

/**
 * Returns the share of requests that each backend got, and how many it had: a panel for each policy, a line for each kind of backend. None
 * where policies are not compared.
 */
export function policyCharts({ result, cells }: Sweep): readonly ChartRow[] {
  const { faults = [], policies, targets } = result.scenario;
  const drawn = cells.flatMap((cell) => {
    const trials = cell.measurements.flatMap(({ slices }) => slices ?? []);
    const target = targets.find(({ name }) => name === cell.target);
    return trials.length === 0 ? [] : [{ cell, trials, kinds: backendKinds(target, faults) }];
  });
  const [first] = drawn;
  if (policies === undefined || first === undefined) return [];
  const ms = first.trials[0]?.ms ?? 0;
  const { durationMs = Math.max(...drawn.flatMap(({ trials }) => trials.map(({ sent }) => sent.length * ms))) } =
    first.cell.level;
  const size = Math.max(PUT_TOGETHER, Math.ceil(durationMs / ms / MOST_POINTS));
  const windows = windowsOf(durationMs / ms, size, ms);
  const draw = (of: (trials: readonly Slices[], kind: BackendKind, window: Window) => number | null) => ({
    about: [`every ${formatDuration(size * ms)}`, tellTrials(cells, "mean of")],
    x: secondAxis(Math.round(durationMs / 1000)),
    panels: drawn.map(({ cell }) => cell.target),
    marks: drawn.flatMap(({ cell }, panel) => markFaults(cell, faults, panel)),
    series: drawn.flatMap(({ trials, kinds }, panel) => {
      const lines = kinds.map((kind, colorIndex): Line<Window> => {
        return { name: kind.label, colorIndex, of: (window) => of(trials, kind, window) };
      });
      return drawLines(windows, panel, lines);
    }),
  });
  const rows: readonly ChartRow[] = [
    {
      ...draw(shareIn),
      id: "policies-shares",
      title: "Share of requests over time",
      y: { label: "requests", unit: "% of the balancer's", scale: "linear" },
    },
    {
      ...draw(inFlightIn),
      id: "policies-in-flight",
      title: "Requests in flight over time",
      y: { label: "requests in flight at a backend", scale: "linear" },
    },
  ];
  return rows.filter(hasValues);
}

/** The share that a backend of a kind got, in percent; `null` where that is not counted, and of no request. */
function shareIn(trials: readonly Slices[], { names }: BackendKind, { from, to }: Window): number | null {
  const counts = trials.flatMap(({ backends = {} }) => Object.entries(backends));
  const count = (of: (name: string) => boolean): number =>
    sum(counts.flatMap(([name, own]) => (of(name) ? own.slice(from, to) : [])));
  const all = count(() => true);
  return all === 0 ? null : (100 * count((name) => names.includes(name))) / all / names.length;
}

/** The mean of what backends of a kind had; `null` where that is not counted. */
function inFlightIn(trials: readonly Slices[], { names }: BackendKind, { from, to }: Window): number | null {
  const looks = trials.flatMap(({ inFlight = {} }) =>
    names.flatMap((name) => (inFlight[name] ?? []).slice(from, to).flatMap((count) => count ?? [])),
  );
  return looks.length === 0 ? null : sum(looks) / looks.length;
}
