import type { ServerResponse } from "node:http";
import type { LiveHtml, LivePanel, LiveSeconds } from "./live-messages.js";

/** The report as it was drawn. */
export interface LiveMain extends LiveHtml {
  /** Steps that are in it. */
  readonly steps: number;
}

/** Where a stream takes what it sends; it asks when it can send, so that what is outdated is never sent. */
export interface LiveSource {
  readonly panel: () => LivePanel;
  /** Seconds of the steps from one on, that under way last; `index` tells steps apart. */
  readonly seconds: (fromIndex: number) => readonly LiveSeconds[];
  /** The last report that was drawn; `null` before any was. */
  readonly main: () => LiveMain | null;
  /** What is to be said at the end; `null` until then. */
  readonly ending: () => Ending | null;
}

/** One page that listens. */
export type EventStream = ReturnType<typeof startEventStream>;

/** How it ends: with the report, or without because something went wrong. */
export type Ending =
  | { readonly event: "done"; readonly main: LiveMain; /** The report as a file. */ readonly file: string }
  | { readonly event: "ended" };

/** How long a page waits before it connects again. */
const RETRY_MS = 500;

/**
 * Begins to send a page the state of a run, by server-sent events: `panel`, `seconds` (new ones of each step), `main`, and at the end
 * `done` or `ended`. While the page does not read, nothing is kept for it.
 *
 * @param seenSteps steps in the report that the page has already.
 */
export function startEventStream(response: ServerResponse, source: LiveSource, seenSteps: number) {
  let mainSteps = seenSteps;
  let step = -1;
  let second = -1;
  let isWaiting = false;
  const isGone = (): boolean => response.writableEnded || response.destroyed;
  // Of a page that went away while something was being written; that it did is told by `close`.
  response.on("error", () => {});
  response.write(`retry: ${RETRY_MS}\n\n`);
  const send = (event: string, data: unknown, id?: number): void => {
    response.write(`${id === undefined ? "" : `id: ${id}\n`}event: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
  };
  const sendSeconds = (): void => {
    for (const told of source.seconds(step)) {
      const isBegun = told.index === step;
      const seconds = isBegun ? told.seconds.filter((one) => one.second > second) : told.seconds;
      if (isBegun && seconds.length === 0) continue;
      step = told.index;
      second = seconds.at(-1)?.second ?? -1;
      send("seconds", { ...told, seconds });
    }
  };
  const push = (): void => {
    if (isGone()) return;
    const ending = source.ending();
    isWaiting = ending === null && response.writableNeedDrain;
    if (isWaiting) return;
    send("panel", source.panel());
    if (ending !== null) {
      send(ending.event, ending.event === "done" ? { html: ending.main.html, file: ending.file } : {});
      response.end();
      return;
    }
    sendSeconds();
    const main = source.main();
    if (main !== null && main.steps > mainSteps) {
      mainSteps = main.steps;
      send("main", { html: main.html }, mainSteps);
    }
  };
  response.on("drain", () => {
    if (isWaiting) push();
  });
  push();
  return {
    /** Sends what is new, now or as soon as the page has read what was sent before; the end at once, and then closes. */
    push,
    /** Sends a comment, so that nothing on the way takes the connection for dead. */
    beat: (): void => {
      if (!isGone() && !response.writableNeedDrain) response.write(":\n\n");
    },
  };
}
