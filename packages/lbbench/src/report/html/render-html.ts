import { SCRIPT, STYLE } from "#report-page";
import type { Result } from "../../model/result.js";
import { contentPolicy } from "./content-policy.js";
import { embedJson } from "./embed-json.js";
import { markup, renderContent, trusted } from "./markup.js";
import { mainContent, type Running } from "./render-main.js";

/** Of a page that shows a run while it goes on. */
export interface LivePage {
  /** Where the page listens for server-sent events, relative to its own address, whose path holds the secret: `events?steps=3`. */
  readonly eventsUrl: string;
  /** Absent at the end of the run. */
  readonly running?: Running | undefined;
}

/** What else can be said of a page. */
export interface RenderHtmlOptions {
  /**
   * Makes a page that shows a run while it goes on: it may connect to its own server, holds `{"events": eventsUrl}` as JSON in
   * `#live`, and has an empty `<section id="live-panel">` before its `<main id="report">`.
   */
  readonly live?: LivePage;
}

/**
 * Returns a result as one HTML document that needs no network: the same content as the Markdown report, charts as data that the
 * page's script draws, and the whole result to download. Without the script everything can be read, charts as tables.
 */
export function renderHtml(result: Result, { live }: RenderHtmlOptions = {}): string {
  const running = live?.running;
  const status =
    running === undefined ? `${result.finishedAt === null ? "so far " : ""}${result.verdict.status}` : "running";
  const title = `${result.scenario.name}: ${status}`;
  const page = markup`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${contentPolicy(live !== undefined)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="generator" content="${result.tool.name} ${result.tool.version}">
<title>${title} · lbbench</title>
<style>${trusted(STYLE)}</style>
</head>
<body>
<a class="skip" href="#report">Skip to the report</a>
<header class="bar">
<span class="brand">lbbench</span>
<div id="tools"><button type="button" id="download-result" hidden>Download result.json</button></div>
</header>
${
  live === undefined
    ? null
    : markup`<section id="live-panel" aria-label="The run so far"></section>
${embedJson("live", { events: live.eventsUrl })}
`
}<main id="report" tabindex="-1">
${mainContent(result, running)}
</main>
<script>${trusted(SCRIPT)}</script>
</body>
</html>
`;
  return renderContent(page);
}
