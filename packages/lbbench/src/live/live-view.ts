import { randomBytes } from "node:crypto";
import { performance } from "node:perf_hooks";
import type { Result } from "../model/result.js";
import type { Running } from "../report/html/page.js";
import type { SweepListener } from "../run/sweep-event.js";
import type { Ending, LiveMain } from "./event-stream.js";
import { livePanel, liveSeconds } from "./live-panel.js";
import { startLiveServer } from "./live-server.js";
import { nextLiveState, NOT_BEGUN } from "./live-state.js";

/** A page that shows a run while it goes on. */
export interface LiveView {
  /** Where it is served, with a secret in its path: `http://127.0.0.1:40123/TOKEN/`. */
  readonly url: string;
  /** To be given to the run; never throws. */
  readonly onEvent: SweepListener;
  /**
   * To be called when the run has ended, however: pages that are open keep the report, and nothing listens any more. Rejects, after
   * that, where the report could not be drawn.
   */
  readonly close: () => Promise<void>;
}

/** How a live view is opened. */
export interface LiveViewOptions {
  /** Port of the loopback; one that is free without this. */
  readonly port?: number;
}

const TOKEN_BYTES = 24;

/** Time that passes between two reports, as a multiple of what the one before took to draw: less than a twentieth is spent on it. */
const PAUSE = 20;

/**
 * Serves a page on 127.0.0.1 that draws a run while it goes on, and becomes its HTML report at the end. It has to be closed.
 * Rejects with the error of the system (`EADDRINUSE`, `EACCES`) when it cannot listen at the port.
 *
 * The report is drawn between steps, while a page is open, and when one is opened; while load is measured there are only a few small
 * messages a second.
 */
export async function openLiveView({ port = 0 }: LiveViewOptions = {}): Promise<LiveView> {
  // Much script and chart code, which a run without a live view has no use for.
  const { renderHtml, renderMain } = await import("../report/html/page.js");
  const now = (): number => performance.now();
  let state = NOT_BEGUN;
  const runningWith = ({ steps }: Result): Running | undefined =>
    state.isOver ? undefined : { done: steps.length, total: state.total, isBound: state.isBound };
  let drawn: { readonly result: Result; readonly main: LiveMain } | undefined;
  let notBefore = Number.NEGATIVE_INFINITY;
  /** Returns what stands in `<main>` for a result, drawn now if it was not. */
  const drawMain = (result: Result): LiveMain => {
    if (drawn?.result === result) return drawn.main;
    const startedAt = now();
    const main = { steps: result.steps.length, html: renderMain(result, runningWith(result)) };
    drawn = { result, main };
    notBefore = now() + (now() - startedAt) * PAUSE;
    return main;
  };
  const drawPage = (result: Result): string =>
    renderHtml(result, { live: { eventsUrl: `events?steps=${result.steps.length}`, running: runningWith(result) } });
  let last: Ending | undefined;
  let problem: Error | undefined;
  let closed: Promise<void> | undefined;
  let isClosing = false;
  const guarded = <Drawn>(draw: () => Drawn): Drawn | null => {
    try {
      return draw();
    } catch (error) {
      // A report that cannot be drawn does not end the measurement.
      problem = new Error("The live page could not be drawn", { cause: error });
      return null;
    }
  };
  const ending = (): Ending | null => {
    const { result, isOver } = state;
    if (!isOver || result === null) return isClosing ? { event: "ended" } : null;
    return (last ??= guarded(() => ({ event: "done", main: drawMain(result), file: renderHtml(result) })) ?? {
      event: "ended",
    });
  };
  const server = await startLiveServer(
    { port, token: randomBytes(TOKEN_BYTES).toString("base64url") },
    {
      page: () => state.result && drawPage(state.result),
      // A step may have ended after the page was made and before it listens, when nothing was drawn yet.
      onListen: (seenSteps) => {
        const { result } = state;
        if (result !== null && result.steps.length > seenSteps) guarded(() => drawMain(result));
      },
      panel: () => livePanel(state, now()),
      seconds: (fromIndex) => liveSeconds(state, fromIndex),
      main: () => drawn?.main ?? null,
      ending,
    },
  );
  const close = async (): Promise<void> => {
    isClosing = true;
    await server.close();
    if (problem !== undefined) throw problem;
  };
  return {
    url: server.url,
    onEvent: (event) => {
      state = nextLiveState(state, event, now());
      if (server.listeners() === 0) return;
      if (event.type === "partial" && now() >= notBefore) guarded(() => drawMain(event.result));
      server.push();
    },
    close: () => (closed ??= close()),
  };
}
