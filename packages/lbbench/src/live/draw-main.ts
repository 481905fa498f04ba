import type { Result } from "../model/result.js";
import type { LiveMain } from "./event-stream.js";

/** Draws the report of a run, while that goes on no more often than it is worth. */
export interface MainDrawer {
  /** The last report that was drawn; `null` before any was. */
  readonly last: () => LiveMain | null;
  /** Draws the report of a result, unless that would take too much of the time of the run. Throws what drawing throws. */
  readonly draw: (result: Result) => void;
  /** Returns the report of a result, drawn now if it was not. Throws what drawing throws. */
  readonly drawNow: (result: Result) => LiveMain;
}

/** Time that passes between two reports, as a multiple of what the one before took to draw: less than a twentieth is spent on it. */
const PAUSE = 20;

/**
 * @param render returns what stands in `<main>`.
 * @param now the time, in ms; only differences count.
 */
export function createMainDrawer(render: (result: Result) => string, now: () => number): MainDrawer {
  let last: { readonly result: Result; readonly main: LiveMain } | null = null;
  let notBefore = Number.NEGATIVE_INFINITY;
  const drawNow = (result: Result): LiveMain => {
    if (last?.result === result) return last.main;
    const startedAt = now();
    const main = { steps: result.steps.length, html: render(result) };
    last = { result, main };
    notBefore = now() + (now() - startedAt) * PAUSE;
    return main;
  };
  return {
    last: () => last?.main ?? null,
    draw: (result) => {
      if (now() >= notBefore) drawNow(result);
    },
    drawNow,
  };
}
