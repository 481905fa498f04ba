import { drawReport } from "../draw-report.js";

/** What can have the focus in a report. */
const FOCUSABLE = "a[href], button, summary, [tabindex]";

/**
 * Puts another report in the place of the one that is shown, and leaves the reader where they are: what is in view, what has the focus
 * and what was opened stay as well as they can. Tables and charts remember by themselves how they were set.
 *
 * @param html of our own server, which made text of every word from outside.
 */
export function replaceMain(main: HTMLElement, html: string): void {
  keeping.abort();
  keeping = new AbortController();
  const inView = firstInView(main);
  const focused = [...main.querySelectorAll<HTMLElement>(FOCUSABLE)].findIndex((one) => one === document.activeElement);
  const opened = new Set([...main.querySelectorAll("details[open]")].map(nameDetails));
  const incoming = document.createElement("template");
  incoming.innerHTML = html;
  main.replaceChildren(incoming.content);
  for (const details of main.querySelectorAll("details")) details.open = opened.has(nameDetails(details));
  drawReport(main);
  main.querySelectorAll<HTMLElement>(FOCUSABLE).item(focused)?.focus({ preventScroll: true });
  if (inView !== undefined) keepInView(main, inView);
}

/** For so long after a change the place is kept: charts take their size some frames later. */
const KEEP_MS = 5000;
/** With any of these readers go where they want, and stay there. */
const MOVES = ["wheel", "touchmove", "keydown", "pointerdown"];
let keeping = new AbortController();

/** Scrolls so that an element is as far from the top of the window as it was, also while what is around it takes its size. */
function keepInView(main: HTMLElement, { id, top }: { readonly id: string; readonly top: number }): void {
  const restore = (): void => {
    const now = main.querySelector(`#${CSS.escape(id)}`)?.getBoundingClientRect().top;
    if (now !== undefined && now !== top) scrollBy({ top: now - top, behavior: "instant" });
  };
  const { signal } = keeping;
  const resized = new ResizeObserver(restore);
  const end = (): void => keeping.abort();
  signal.addEventListener("abort", () => resized.disconnect());
  for (const move of MOVES) addEventListener(move, end, { signal, passive: true });
  setTimeout(() => resized.disconnect(), KEEP_MS);
  resized.observe(document.body);
  restore();
}

/** The summary, with the chart or the section that it is in. */
function nameDetails(details: Element): string {
  const place = details.closest<HTMLElement>("[data-chart], [data-part]")?.dataset;
  return [place?.["chart"], place?.["part"], details.querySelector("summary")?.textContent].join(" ");
}

/** The first element that has an id and is in view; nothing where the report begins below the top of the window. */
function firstInView(main: HTMLElement): { readonly id: string; readonly top: number } | undefined {
  if (main.getBoundingClientRect().top >= 0) return undefined;
  const candidates = [...main.querySelectorAll<HTMLElement>("[id]:not(script)")];
  const seen = candidates.find((one) => one.getBoundingClientRect().top >= 0) ?? candidates.at(-1);
  return seen && { id: seen.id, top: seen.getBoundingClientRect().top };
}
