import { lastSteps, type LiveSeconds } from "../../src/live/live-messages.js";
import type { TimelineSecond } from "../../src/model/measurement.js";
import { secondAxis } from "../../src/report/charts/axes.js";
import type { ChartDefinition, ChartSeries } from "../../src/report/charts/chart-definition.js";
import { InteractiveChart } from "../chart/interactive-chart.js";
import { element } from "../element.js";

interface SecondsChart extends Pick<ChartDefinition, "id" | "title" | "y" | "right"> {
  /** Over the seconds, or of the users behind them. */
  readonly lines: readonly (Pick<ChartSeries, "name" | "shape" | "colorIndex" | "dash"> & {
    readonly value: (second: TimelineSecond) => number | null;
  })[];
}

const CHARTS: readonly SecondsChart[] = [
  {
    id: "live-requests",
    title: "Requests in each second, step after step",
    y: { label: "requests/s", scale: "linear" },
    right: { label: "users", scale: "linear" },
    lines: [
      { name: "ok", shape: "line", colorIndex: 0, dash: "solid", value: ({ ok }) => ok },
      { name: "failed", shape: "line", colorIndex: 1, dash: "dashed", value: ({ failed }) => failed },
      { name: "users", shape: "area", colorIndex: 2, dash: "solid", value: ({ users }) => users ?? null },
    ],
  },
  {
    id: "live-latency",
    title: "Latency in each second, step after step",
    y: { label: "latency", unit: "ms", scale: "linear" },
    lines: [
      { name: "p50", shape: "line", colorIndex: 4, dash: "solid", value: ({ p50 }) => p50 },
      { name: "p99", shape: "line", colorIndex: 3, dash: "dashed", value: ({ p99 }) => p99 },
    ],
  },
];

/**
 * Puts the charts of the seconds of a run into a box: answers per second, with the users where these come and go, and latency; of the step
 * under way, after those of the steps before.
 */
export function createSecondsCharts(box: HTMLElement) {
  // What they show is told by the figures above them, and at the end by the report.
  const charts = CHARTS.map((row) => {
    const place = element("div", { class: "chart-box" });
    box.append(element("figure", {}, element("figcaption", {}, row.title), place));
    return { row, chart: new InteractiveChart(place, defineChart(row, [])) };
  });
  let steps: readonly LiveSeconds[] = [];
  return {
    add: (told: LiveSeconds): void => {
      // After a connection that was lost they all come again.
      const before = steps.find(({ index }) => index === told.index)?.seconds ?? [];
      const last = before.at(-1)?.second ?? -1;
      const seconds = [...before, ...told.seconds.filter(({ second }) => second > last)];
      const others = steps.filter(({ index }) => index !== told.index);
      steps = lastSteps([...others, { ...told, seconds }].toSorted((a, b) => a.index - b.index));
      for (const { row, chart } of charts) chart.update(defineChart(row, steps));
    },
    destroy: (): void => {
      for (const { chart } of charts) chart.destroy();
    },
  };
}

/** The axis is at least so long, so that the first points do not fly apart. */
const FEWEST_SECONDS = 5;

/** Characters that a narrow chart has room for in its width, and how many the distance of words from their line takes. */
const ROOM = 56;
const FROM_LINE = 2;

/** Defines a chart of steps, one after the other; a line without any value is left out, and a step's words where there is no room. */
function defineChart({ lines, right, ...frame }: SecondsChart, steps: readonly LiveSeconds[]): ChartDefinition {
  let length = 0;
  const placed = steps.map((step) => {
    const from = length;
    const first = step.seconds[0]?.second ?? 0;
    length += (step.seconds.at(-1)?.second ?? -1) - first + 1;
    return { ...step, from, to: length, seconds: step.seconds.map((one) => ({ x: from + one.second - first, one })) };
  });
  const end = Math.max(FEWEST_SECONDS, length - 1);
  const series = lines.map(({ value, ...line }): ChartSeries => {
    const points = placed.flatMap(({ seconds, to }) => [
      ...seconds.map(({ x, one }) => ({ x, y: value(one) })),
      // Without a value, so that no line leads into the next step.
      { x: to - 0.5, y: null },
    ]);
    return { ...line, dense: true, panel: 0, points };
  });
  const drawn = series.filter(({ points }) => points.some(({ y }) => y !== null));
  const marks = placed.map(({ target, load, from, to }) => {
    const label = [`${target}, ${load}`, load].find(
      (words) => words.length + FROM_LINE <= (ROOM * (to - from)) / (end + 1),
    );
    return { panel: 0, x: Math.max(0, from - 0.5), label: label ?? "" };
  });
  return {
    ...frame,
    subtitle: "",
    alt: "It grows by a point in each second.",
    x: { ...secondAxis(end), label: "seconds of load" },
    right: drawn.some(({ shape }) => shape === "area") ? right : undefined,
    panels: [""],
    series: drawn,
    marks: placed.length < 2 ? undefined : marks,
  };
}
