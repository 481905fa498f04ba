import type { LiveDone, LiveHtml, LivePanel, LiveSeconds } from "../../src/live/live-messages.js";
import { offerFile } from "../download.js";
import { embeddedJson } from "../element.js";
import { createLivePanel } from "./live-panel-view.js";
import { replaceMain } from "./replace-main.js";

/** Tries to connect again before lbbench is taken for gone; one every half second. */
const MOST_TRIES = 6;

const GONE = "lbbench is gone: it was ended, or cannot be reached. What was measured until then stays here.";
const NEVER_THERE = "This page cannot follow the run: lbbench has ended, or too many pages follow it already.";
const BROKEN_OFF =
  "lbbench has ended without a report; why is said where it was started. What was measured until then stays here.";
const STANDS_ALONE =
  "This page is its report now and needs lbbench no more; it can be downloaded, but not loaded again.";

/** What of a result is looked at here. */
interface ShownResult {
  readonly complete: boolean;
  readonly steps: readonly unknown[];
  readonly scenario: { readonly name: string };
  readonly verdict: { readonly status: string };
}

/**
 * Shows the run while it goes on, in a page that was served for that; nothing in any other. At the end the page is the report, and
 * stands by itself.
 */
export function followRun(): void {
  const settings = embeddedJson(document, "live");
  const section = document.querySelector<HTMLElement>("#live-panel");
  const main = document.querySelector<HTMLElement>("#report");
  if (settings === undefined || section === null || main === null) return;
  const { events } = JSON.parse(settings) as { readonly events: string };
  const panel = createLivePanel(section);
  const source = new EventSource(events);
  // A report of nothing says that nothing can be concluded, which is no news before the first step is done.
  main.hidden = shownResult().steps.length === 0;
  const show = ({ html }: LiveHtml): void => {
    main.hidden = false;
    replaceMain(main, html);
  };
  const leave = (sentence: string, isOver = false): void => {
    source.close();
    main.hidden = false;
    panel.leave(sentence);
    // A copy of the page that is saved now is a report, and waits for nobody.
    document.querySelector("script#live")?.remove();
    const { scenario, verdict } = shownResult();
    document.title = `${scenario.name}: ${isOver ? verdict.status : "not finished"} · lbbench`;
    if (isOver) return;
    for (const place of main.querySelectorAll('#verdict, a[href="#verdict"]')) {
      place.textContent = (place.textContent ?? "").replace(/^Running/, "Not finished");
    }
  };
  hear<LivePanel>(source, "panel", panel.show);
  hear<LiveSeconds>(source, "seconds", panel.addSeconds);
  hear<LiveHtml>(source, "main", show);
  hear<LiveDone>(source, "done", (last) => {
    show(last);
    offerFile("report.html", last.file);
    leave(`${shownResult().complete ? "The run is over." : "The run was interrupted."} ${STANDS_ALONE}`, true);
  });
  hear<object>(source, "ended", () => leave(BROKEN_OFF));
  watchConnection(source, panel.setTrouble, leave);
}

function hear<Data>(source: EventSource, name: string, listen: (data: Data) => void): void {
  source.addEventListener(name, ({ data }: MessageEvent<string>) => listen(JSON.parse(data) as Data));
}

function watchConnection(
  source: EventSource,
  tell: (trouble: string) => void,
  giveUp: (sentence: string) => void,
): void {
  let failures = 0;
  let hasOpened = false;
  source.addEventListener("open", () => {
    [failures, hasOpened] = [0, true];
    tell("");
  });
  source.addEventListener("error", () => {
    failures += 1;
    if (source.readyState === EventSource.CLOSED || failures > MOST_TRIES) giveUp(hasOpened ? GONE : NEVER_THERE);
    else tell("The connection to lbbench is lost; trying again.");
  });
}

function shownResult(): ShownResult {
  return JSON.parse(embeddedJson(document, "result") ?? "null") as ShownResult;
}
