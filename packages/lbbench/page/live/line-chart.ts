import { Chart, Legend, LinearScale, LineController, LineElement, PointElement } from "chart.js";
import type { TimelineSecond } from "../../src/model/measurement.js";
import { pageStyle } from "../chart/page-style.js";
import { isDark, onSchemeChange } from "../color-scheme.js";

/** A line over the seconds. */
export interface SecondsLine {
  readonly name: string;
  /** Into the colours of the page. */
  readonly colorIndex: number;
  readonly isDashed?: boolean;
  /** Whether it has the axis on the right. */
  readonly isRight?: boolean;
  readonly value: (second: TimelineSecond) => number | null;
}

/** A chart that grows by a second at a time. */
export interface LineChart {
  readonly draw: (seconds: readonly TimelineSecond[]) => void;
  readonly destroy: () => void;
}

/** The axis is at least so long, so that the first points do not fly apart. */
const FEWEST_SECONDS = 5;

Chart.register(LineController, LineElement, PointElement, LinearScale, Legend);

/** Draws lines over the seconds of a step; a line without any value is left out. */
export function createLineChart(canvas: HTMLCanvasElement, lines: readonly SecondsLine[]): LineChart {
  const chart = new Chart(canvas, {
    type: "line",
    data: { datasets: [] },
    options: { animation: false, maintainAspectRatio: false, parsing: false, normalized: true, events: [] },
  });
  let drawn: readonly TimelineSecond[] = [];
  const draw = (seconds: readonly TimelineSecond[]): void => {
    drawn = seconds;
    const style = pageStyle(isDark(), canvas.clientWidth);
    const font = { family: style.fontFamily, size: style.tickSize };
    const shown = lines.filter(({ value }) => seconds.some((second) => value(second) !== null));
    const first = seconds[0]?.second ?? 0;
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
        data: seconds.map((second) => ({ x: second.second, y: value(second) })),
        borderColor: color,
        backgroundColor: color,
        borderWidth: 2,
        borderDash: isDashed === true ? [6, 4] : [],
        pointRadius: seconds.length < 2 ? 3 : 0,
        yAxisID: isRight === true ? "right" : "y",
      };
    });
    chart.options.scales = {
      x: {
        type: "linear",
        min: first,
        max: Math.max(first + FEWEST_SECONDS, seconds.at(-1)?.second ?? 0),
        ...axis("second", true),
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
