import type { LivePanel, LiveSeconds } from "../../src/live/live-messages.js";
import {
  formatCount,
  formatDuration,
  formatPercent,
  formatRate,
  formatTime,
  formatTotal,
} from "../../src/report/format-number.js";
import { element } from "../element.js";
import { createSecondsCharts } from "./seconds-charts.js";

/** The panel above the report. */
export interface LivePanelView {
  readonly show: (panel: LivePanel) => void;
  readonly addSeconds: (seconds: LiveSeconds) => void;
  /** Says that something is the matter for now; the empty text takes it back. */
  readonly setTrouble: (sentence: string) => void;
  /** Puts a last sentence in the place of all figures. */
  readonly leave: (sentence: string) => void;
}

/** What stands where there is no figure. */
const NO_FIGURE = "–";

/** Who listens to the page is told how far it is no more often than this. */
const ANNOUNCE_MS = 30_000;

const ROLES = [
  ["generator", "CPU generator"],
  ["balancer", "CPU balancer"],
  ["backend", "CPU backends"],
] as const;

/** Fills the section of a live page. */
export function createLivePanel(section: HTMLElement): LivePanelView {
  const step = element("p", { class: "live-step" }, "The run begins");
  const doing = element("p", { class: "live-doing" });
  const bar = element("progress", { max: "1", "aria-label": "Progress of the run" });
  const left = element("p", { class: "live-left" });
  const trouble = element("p", { class: "live-trouble", role: "status" });
  const spoken = element("p", { class: "unseen", role: "status" });
  const figures = element("dl", { class: "live-figures" });
  const rate = addFigure(figures, "ok per second");
  const p99 = addFigure(figures, "p99 (ms)");
  const failed = addFigure(figures, "failed");
  const cpu = ROLES.map(([role, label]) => ({ role, figure: addFigure(figures, label) }));
  const boxes = element("div", { class: "live-charts" });
  section.replaceChildren(
    element("div", { class: "live-head" }, step, doing),
    bar,
    left,
    trouble,
    figures,
    boxes,
    spoken,
  );
  const charts = createSecondsCharts(boxes);
  const name = document.title;
  let spokenAt = Number.NEGATIVE_INFINITY;
  return {
    show: (panel) => {
      setText(step, panel.step ?? "The run begins");
      setText(doing, panel.doing);
      if (panel.share === null) bar.removeAttribute("value");
      else bar.value = panel.share;
      setText(left, describeProgress(panel));
      setText(rate, panel.rate === null ? NO_FIGURE : formatRate(panel.rate));
      setText(p99, panel.p99 === null ? NO_FIGURE : formatTime(panel.p99));
      setText(failed, describeFailed(panel));
      for (const { role, figure } of cpu) {
        const used = panel.cpu[role];
        setText(figure, used === undefined ? NO_FIGURE : `${formatPercent(used)} %`);
      }
      const percent = panel.share === null ? "" : `${Math.floor(panel.share * 100)} % · `;
      document.title = `${percent}${name}`;
      if (performance.now() - spokenAt < ANNOUNCE_MS || panel.step === null) return;
      spokenAt = performance.now();
      setText(spoken, `${panel.step}. ${describeProgress(panel)}`);
    },
    addSeconds: charts.add,
    setTrouble: (sentence) => setText(trouble, sentence),
    leave: (sentence) => {
      charts.destroy();
      // The element that is spoken stays, because only a change in one that was there is.
      setText(spoken, sentence);
      spoken.className = "live-over";
      section.replaceChildren(spoken);
    },
  };
}

function addFigure(list: HTMLElement, label: string): HTMLElement {
  const figure = element("dd", {}, NO_FIGURE);
  list.append(element("div", {}, element("dt", {}, label), figure));
  return figure;
}

function describeProgress({ done, total, isBound, timeLeftMs }: LivePanel): string {
  const progress = `${formatCount(done)}${formatTotal(total, isBound)} ${(total ?? done) === 1 ? "step" : "steps"} done`;
  if (timeLeftMs === null) return progress;
  return `${progress}, ${isBound ? "at most" : "about"} ${formatDuration(Math.ceil(timeLeftMs / 1000) * 1000)} left`;
}

function describeFailed({ answered, failed }: LivePanel): string {
  if (answered === null || failed === null) return NO_FIGURE;
  return failed === 0 ? "0" : `${formatCount(failed)} (${formatPercent(failed / answered)} %)`;
}

/** A text that stays as it is is not written again, so that nothing is spoken twice and a selection in it stays. */
function setText(target: HTMLElement, text: string): void {
  if (target.textContent !== text) target.textContent = text;
}
