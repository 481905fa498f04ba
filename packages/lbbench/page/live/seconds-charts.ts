import { lastSteps, type LiveSeconds } from "../../src/live/live-messages.js";
import { element } from "../element.js";
import { createLineChart } from "./line-chart.js";

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
