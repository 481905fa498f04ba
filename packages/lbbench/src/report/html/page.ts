import { SCRIPT, SCRIPT_HASH, STYLE, STYLE_HASH } from "#report-page";
import type { Result } from "../../model/result.js";
import type { Block, ReportSection } from "../document/block.js";
import { createDocument } from "../document/report-document.js";
import { escapeInJson } from "../../stats/not-printed.js";
import { formatCount, formatTotal } from "../../stats/format-number.js";
import { modelOf, type ReportModel } from "../report-model.js";
import { renderInlines, renderSection } from "./blocks.js";
import { markup, type Markup, renderContent, trusted } from "./markup.js";

/** A page of a run that goes on: it may connect to its own server, and has `#live` and `#live-panel` for it. */
interface LivePage {
  /** Where the page listens for server-sent events, relative to its own address, whose path holds the secret: `events?steps=3`. */
  readonly eventsUrl: string;
  readonly running?: Running | undefined;
}

/**
 * Returns a result as one HTML document that needs no network: the same content as the Markdown report, charts drawn by its script, and
 * the whole result to download. Without the script everything can be read, charts as tables.
 */
export function renderHtml(source: Result | ReportModel, { live }: { readonly live?: LivePage } = {}): string {
  const model = modelOf(source);
  const { result } = model;
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
${mainContent(model, running)}
</main>
<script>${trusted(SCRIPT)}</script>
</body>
</html>
`;
  return renderContent(page);
}

/** How far a run is that goes on: steps that are done, and all there are, or of a search (`isBound`) the most there can be. */
export interface Running {
  readonly done: number;
  readonly total: number | null;
  readonly isBound: boolean;
}

/**
 * Returns what stands inside `<main id="report">`, with `#chart-definitions` and `#result` as JSON. A server can push it into an open page.
 *
 * @param running of a run that goes on: it has no verdict yet.
 */
export function renderMain(result: Result, running?: Running): string {
  return renderContent(mainContent(modelOf(result), running));
}

/** Returns the same as markup, for the page around it. */
function mainContent(model: ReportModel, running?: Running): Markup {
  const whole = createDocument(model);
  const { title, introduction } = whole;
  const sections = running === undefined ? whole.sections : whole.sections.map(withoutVerdict(running));
  const blocks: readonly Block[] = sections.flatMap((section) => section.blocks);
  return markup`<div class="intro">
<h1>${title}</h1>
<p>${renderInlines(introduction)}</p>
</div>
<nav class="contents" aria-label="Parts of the report">
<ul>${sections.map((section) => markup`<li><a href="#${section.id}">${section.title}</a></li>`)}</ul>
</nav>
${sections.map(renderSection)}
${embedJson(
  "chart-definitions",
  blocks.flatMap((block) => (block.kind === "charts" ? block.charts : [])),
)}
${embedJson("result", model.hidden)}`;
}

const withoutVerdict =
  ({ done, total, isBound }: Running) =>
  (section: ReportSection): ReportSection => {
    if (section.id !== "verdict") return section;
    const far = `${formatCount(done)}${formatTotal(total, isBound)}`;
    const text = ["The run goes on. Its verdict comes at the end."];
    const blocks = section.blocks.filter(({ kind }) => kind !== "verdict");
    return { ...section, title: `Running, ${far}`, blocks: [{ kind: "paragraph", text }, ...blocks] };
  };

/** A value as a script that holds JSON and is never executed; nothing in the value can end the script. */
function embedJson(id: "chart-definitions" | "result" | "live", value: unknown): Markup {
  // What could end a script, or begin a comment in one.
  const json = escapeInJson(JSON.stringify(value)).replaceAll("<", String.raw`\u003c`);
  return trusted(`<script type="application/json" id="${id}">${json}</script>`);
}

/** The page runs its own script and style and loads nothing; while a run goes on it may talk to the server that it came from. */
function contentPolicy(isLive: boolean): string {
  return [
    "default-src 'none'",
    `script-src '${SCRIPT_HASH}'`,
    `style-src '${STYLE_HASH}'`,
    "img-src data:",
    `connect-src ${isLive ? "'self'" : "'none'"}`,
    "base-uri 'none'",
    "form-action 'none'",
  ].join("; ");
}
