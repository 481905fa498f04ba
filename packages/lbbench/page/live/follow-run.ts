import type { LiveDone, LiveHtml, LivePanel, LiveSeconds } from "../../src/live/live-messages.js";
import type { Result } from "../../src/model/result.js";
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
  let [failures, hasOpened] = [0, false];
  source.addEventListener("open", () => {
    [failures, hasOpened] = [0, true];
    panel.setTrouble("");
  });
  source.addEventListener("error", () => {
    failures += 1;
    if (source.readyState === EventSource.CLOSED || failures > MOST_TRIES) leave(hasOpened ? GONE : NEVER_THERE);
    else panel.setTrouble("The connection to lbbench is lost; trying again.");
  });
}

function hear<Data>(source: EventSource, name: string, listen: (data: Data) => void): void {
  source.addEventListener(name, ({ data }: MessageEvent<string>) => listen(JSON.parse(data) as Data));
}

function shownResult(): Result {
  return JSON.parse(embeddedJson(document, "result") ?? "null") as Result;
}
