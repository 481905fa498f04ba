import type { LivePanel } from "../../src/live/live-messages.js";
import { element } from "../element.js";
import { createSecondsCharts } from "./seconds-charts.js";

/** Who listens to the page is told how far it is no more often than this. */
const ANNOUNCE_MS = 30_000;

/** Fills the section of a live page: the panel above the report. */
export function createLivePanel(section: HTMLElement) {
  const step = element("p", { class: "live-step" }, "The run begins");
  const doing = element("p");
  const bar = element("progress", { max: "1", "aria-label": "Progress of the run" });
  const left = element("p", { class: "live-left" });
  const trouble = element("p", { class: "live-trouble", role: "status" });
  const spoken = element("p", { class: "unseen", role: "status" });
  const figures = element("dl", { class: "live-figures" });
  const boxes = element("div", { class: "live-charts" });
  const head = element("div", { class: "live-head" }, step, doing);
  section.replaceChildren(head, bar, left, trouble, figures, boxes, spoken);
  const charts = createSecondsCharts(boxes);
  const name = document.title;
  let spokenAt = Number.NEGATIVE_INFINITY;
  return {
    show: (panel: LivePanel): void => {
      setText(step, panel.step);
      setText(doing, panel.doing);
      if (panel.share === null) bar.removeAttribute("value");
      else bar.value = panel.share;
      setText(left, panel.progress);
      panel.figures.forEach(([label, figure], at) => {
        if (figures.children.item(at) === null)
          figures.append(element("div", {}, element("dt", {}, label), element("dd")));
        setText(figures.children.item(at)?.lastElementChild, figure);
      });
      document.title = `${panel.share === null ? "" : `${Math.floor(panel.share * 100)} % · `}${name}`;
      if (performance.now() - spokenAt < ANNOUNCE_MS) return;
      spokenAt = performance.now();
      setText(spoken, `${panel.step}. ${panel.progress}`);
    },
    addSeconds: charts.add,
    /** Says that something is the matter for now; the empty text takes it back. */
    setTrouble: (sentence: string): void => setText(trouble, sentence),
    /** Puts a last sentence in the place of all figures. */
    leave: (sentence: string): void => {
      charts.destroy();
      // The element that is spoken stays, because only a change in one that was there is.
      setText(spoken, sentence);
      spoken.className = "live-over";
      section.replaceChildren(spoken);
    },
  };
}

/** A text that stays as it is is not written again, so that nothing is spoken twice and a selection in it stays. */
function setText(target: Element | null | undefined, text: string): void {
  if (target && target.textContent !== text) target.textContent = text;
}
