import { Chart, Legend, LinearScale, LineController, LineElement, PointElement, type Plugin } from "chart.js";
import { lastSteps, type LiveSeconds } from "../../src/live/live-messages.js";
import type { TimelineSecond } from "../../src/model/measurement.js";
import type { ChartStyle } from "../../src/report/charts/picture-style.js";
import { pageStyle } from "../chart/page-config.js";
import { isDark, onSchemeChange } from "../color-scheme.js";
import { element } from "../element.js";

/** The charts of the seconds of a run: of the step under way, after those of the steps before. */
export interface SecondsCharts {
  readonly add: (seconds: LiveSeconds) => void;
  readonly destroy: () => void;
}

/** Puts the charts into a box: answers per second, with the users where these come and go, and latency. */
export function createSecondsCharts(box: HTMLElement): SecondsCharts {
  const charts = [
    createLineChart(addPlace(box, "Requests in each second, step after step"), [
      { name: "ok", colorIndex: 0, value: ({ ok }) => ok },
      { name: "failed", colorIndex: 1, isDashed: true, value: ({ failed }) => failed },
      { name: "users", colorIndex: 2, isRight: true, value: ({ users }) => users ?? null },
    ]),
    createLineChart(addPlace(box, "Latency in each second, step after step (ms)"), [
      { name: "p50", colorIndex: 4, value: ({ p50 }) => p50 },
      { name: "p99", colorIndex: 3, isDashed: true, value: ({ p99 }) => p99 },
    ]),
  ];
  let steps: readonly LiveSeconds[] = [];
  return {
    add: (told) => {
      // After a connection that was lost they all come again.
      const before = steps.find(({ index }) => index === told.index)?.seconds ?? [];
      const last = before.at(-1)?.second ?? -1;
      const seconds = [...before, ...told.seconds.filter(({ second }) => second > last)];
      const others = steps.filter(({ index }) => index !== told.index);
      steps = lastSteps([...others, { ...told, seconds }].toSorted((a, b) => a.index - b.index));
      for (const chart of charts) chart.draw(steps);
    },
    destroy: () => {
      for (const chart of charts) chart.destroy();
    },
  };
}

function addPlace(box: HTMLElement, title: string): HTMLCanvasElement {
  // What it shows is told by the figures above it, and at the end by the report.
  const canvas = element("canvas", { role: "img", "aria-label": title });
  box.append(
    element("figure", {}, element("figcaption", {}, title), element("div", { class: "live-chart-box" }, canvas)),
  );
  return canvas;
}

/** A line over the seconds. */
interface SecondsLine {
  readonly name: string;
  /** Into the colours of the page. */
  readonly colorIndex: number;
  readonly isDashed?: boolean;
  /** Whether it has the axis on the right. */
  readonly isRight?: boolean;
  readonly value: (second: TimelineSecond) => number | null;
}

/** A chart that grows by a second at a time. */
interface LineChart {
  readonly draw: (steps: readonly LiveSeconds[]) => void;
  readonly destroy: () => void;
}

/** The axis is at least so long, so that the first points do not fly apart. */
const FEWEST_SECONDS = 5;

Chart.register(LineController, LineElement, PointElement, LinearScale, Legend);

/** A step, and where it stands on the axis: its first second, and the one after its last. */
interface PlacedStep extends LiveSeconds {
  readonly from: number;
  readonly to: number;
}

/** Draws lines over the seconds of steps, one step after the other; a line without any value is left out. */
function createLineChart(canvas: HTMLCanvasElement, lines: readonly SecondsLine[]): LineChart {
  let drawn: readonly LiveSeconds[] = [];
  let placed: readonly PlacedStep[] = [];
  const styleNow = (): ChartStyle => pageStyle(isDark(), canvas.clientWidth);
  const chart = new Chart(canvas, {
    type: "line",
    data: { datasets: [] },
    options: { animation: false, maintainAspectRatio: false, parsing: false, normalized: true, events: [] },
    plugins: [stepsPlugin(() => placed, styleNow)],
  });
  const draw = (steps: readonly LiveSeconds[]): void => {
    drawn = steps;
    placed = placeSteps(steps);
    const style = styleNow();
    const font = { family: style.fontFamily, size: style.tickSize };
    const seconds = steps.flatMap((step) => step.seconds);
    const shown = lines.filter(({ value }) => seconds.some((second) => value(second) !== null));
    const axis = (title: string, isGrid: boolean): object => ({
      beginAtZero: true,
      border: { color: style.border },
      grid: { color: style.grid, drawOnChartArea: isGrid },
      ticks: { color: style.faintText, font, maxTicksLimit: 6 },
      title: { display: title !== "", text: title, color: style.faintText, font },
    });
    chart.data.datasets = shown.map(({ name, colorIndex, isDashed, isRight, value }) => {
      const color = style.palette[colorIndex] ?? style.text;
      return {
        label: name,
        data: placed.flatMap((step) => pointsOf(step, value)),
        borderColor: color,
        backgroundColor: color,
        borderWidth: 2,
        borderDash: isDashed === true ? [6, 4] : [],
        pointRadius: placed.flatMap((step) => pointsOf(step, value).map(() => (step.seconds.length < 2 ? 3 : 0))),
        yAxisID: isRight === true ? "right" : "y",
      };
    });
    chart.options.scales = {
      x: {
        type: "linear",
        min: 0,
        max: Math.max(FEWEST_SECONDS, (placed.at(-1)?.to ?? 0) - 1),
        ...axis("seconds of load", true),
        beginAtZero: false,
      },
      y: { type: "linear", ...axis("", true) },
      ...(shown.some(({ isRight }) => isRight === true)
        ? { right: { type: "linear" as const, position: "right" as const, ...axis("users", false) } }
        : {}),
    };
    chart.options.plugins = {
      legend: { labels: { color: style.text, font, usePointStyle: true, pointStyle: "line", pointStyleWidth: 36 } },
    };
    chart.update("none");
  };
  onSchemeChange(() => {
    if (canvas.isConnected) draw(drawn);
  });
  draw([]);
  return { draw, destroy: () => chart.destroy() };
}

function placeSteps(steps: readonly LiveSeconds[]): readonly PlacedStep[] {
  let to = 0;
  return steps.map((step) => {
    const from = to;
    to += (step.seconds.at(-1)?.second ?? -1) - (step.seconds[0]?.second ?? 0) + 1;
    return { ...step, from, to };
  });
}

/** The last has no value, so that no line leads into the next step. */
function pointsOf({ seconds, from, to }: PlacedStep, value: SecondsLine["value"]): readonly { x: number; y: number }[] {
  const first = seconds[0]?.second ?? 0;
  const points = seconds.map((second) => ({ x: from + second.second - first, y: value(second) ?? Number.NaN }));
  return [...points, { x: to - 0.5, y: Number.NaN }];
}

const LABEL_MARGIN = 4;

/** Draws where each step begins, and there its target and load, or the load alone, as far as there is room. */
function stepsPlugin(steps: () => readonly PlacedStep[], style: () => ChartStyle): Plugin {
  return {
    id: "steps",
    beforeDatasetsDraw: ({ ctx, chartArea: { top, bottom, right }, scales }) => {
      const { border, faintText, tickSize, fontFamily } = style();
      const at = (second: number): number => scales["x"]?.getPixelForValue(second) ?? 0;
      ctx.save();
      ctx.font = `${tickSize}px ${fontFamily}`;
      ctx.textBaseline = "top";
      ctx.strokeStyle = border;
      ctx.fillStyle = faintText;
      for (const { target, load, from, to } of steps()) {
        if (steps().length < 2 || to === from) continue;
        const left = from === 0 ? at(0) : at(from - 0.5);
        const room = Math.min(right, at(to - 0.5)) - left - 2 * LABEL_MARGIN;
        ctx.beginPath();
        ctx.moveTo(left, top);
        ctx.lineTo(left, bottom);
        ctx.stroke();
        const label = [`${target}, ${load}`, load].find((text) => ctx.measureText(text).width <= room);
        if (label !== undefined) ctx.fillText(label, left + LABEL_MARGIN, top);
      }
      ctx.restore();
    },
  };
}
