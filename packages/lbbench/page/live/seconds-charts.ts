import { MOST_SECONDS, type LiveSeconds } from "../../src/live/live-messages.js";
import type { TimelineSecond } from "../../src/model/measurement.js";
import { element } from "../element.js";
import { createLineChart } from "./line-chart.js";

/** The charts of the seconds of the step under way. */
export interface SecondsCharts {
  readonly add: (seconds: LiveSeconds) => void;
  readonly destroy: () => void;
}

/** Puts the charts into a box: answers per second, with the users where these come and go, and latency. */
export function createSecondsCharts(box: HTMLElement): SecondsCharts {
  const charts = [
    createLineChart(addPlace(box, "Requests in each second of this step"), [
      { name: "ok", colorIndex: 0, value: ({ ok }) => ok },
      { name: "failed", colorIndex: 1, isDashed: true, value: ({ failed }) => failed },
      { name: "users", colorIndex: 2, isRight: true, value: ({ users }) => users ?? null },
    ]),
    createLineChart(addPlace(box, "Latency in each second of this step (ms)"), [
      { name: "p50", colorIndex: 4, value: ({ p50 }) => p50 },
      { name: "p99", colorIndex: 3, isDashed: true, value: ({ p99 }) => p99 },
    ]),
  ];
  let step = -1;
  let seconds: readonly TimelineSecond[] = [];
  return {
    add: ({ index, seconds: told }) => {
      if (index !== step) seconds = [];
      step = index;
      // After a connection that was lost they all come again.
      const last = seconds.at(-1)?.second ?? -1;
      seconds = [...seconds, ...told.filter(({ second }) => second > last)].slice(-MOST_SECONDS);
      for (const chart of charts) chart.draw(seconds);
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
