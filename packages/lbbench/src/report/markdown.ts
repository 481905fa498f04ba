import type { Result } from "../model/result.js";
import type { ChartStyle, RenderOptions } from "../plugin.js";
import type { ChartDefinition } from "./charts/chart-definition.js";
import { type Block, code, type FindingKind, type Inline, type Inlines, strong, type Table } from "./document/block.js";
import { createDocument } from "./document/report-document.js";
import { codeBlock, escapeBlockStart, escapeRun, inlineCode } from "./escape-markdown.js";
import { modelOf, type ReportModel } from "./report-model.js";
import { type XyChart, xyCharts } from "./mermaid/xy-charts.js";
import { plainLine } from "./plain-line.js";
import { markdownTable } from "markdown-table";

/** Returns a result as Markdown for GitHub, verdict first and secrets hidden; it ends with a line break. */
export function renderMarkdown(source: Result | ReportModel, options: RenderOptions): string {
  const { title, introduction, sections } = createDocument(modelOf(source));
  const chosen = sections.filter(({ id }) => id !== "charts" || options.charts !== "none");
  const texts = [
    `# ${renderInlines(title)}`,
    renderParagraph(introduction),
    ...chosen.flatMap((section) => [
      `## ${renderInlines(section.title)}`,
      ...renderBlocks(section.blocks, options.charts),
    ]),
  ];
  return `${texts.join("\n\n")}\n`;
}

/**
 * Renders blocks as Markdown for GitHub, each a text of its own.
 *
 * @param charts how charts are shown, where there are any.
 */
export function renderBlocks(blocks: readonly Block[], charts: ChartStyle = "none"): readonly string[] {
  return blocks.flatMap((block) => renderBlock(block, charts));
}

function renderBlock(block: Block, charts: ChartStyle): readonly string[] {
  switch (block.kind) {
    case "heading":
      return [`### ${renderInlines(block.text)}`];
    case "paragraph":
    case "verdict":
      return [renderParagraph(block.text)];
    case "list":
      return [block.items.map((item) => `- ${renderParagraph(item)}`).join("\n")];
    case "code":
      return [codeBlock(block.text, "text")];
    case "findings":
      return block.groups.flatMap(({ head, kinds }) => [
        `### ${renderInlines(head)}`,
        kinds.map(renderKind).join("\n"),
      ]);
    case "charts":
      return renderCharts(block.charts, charts);
    case "folded":
      // Tables are wide, and not for reading.
      if (block.blocks.some(({ kind }) => kind === "table"))
        return [renderParagraph(`${block.summary}: see the HTML report, or the format csv.`)];
      return [
        `<details>\n<summary>${renderInlines(block.summary)}</summary>`,
        ...block.blocks.flatMap((one) => renderBlock(one, charts)),
        "</details>",
      ];
    case "facts":
      return [block.facts.map(([name, value]) => `- ${renderInlines([strong(name), ": ", value].flat())}`).join("\n")];
    case "table":
      return [...(block.lead === undefined ? [] : [renderParagraph(block.lead)]), renderTable(block)];
  }
}

function renderParagraph(text: Inlines): string {
  return escapeBlockStart(renderInlines(text));
}

/** So many charts are open, the others a click away. */
const OPEN = { png: 4, mermaid: 2 } as const;

/** More Mermaid blocks make the page of a job summary slow. */
const MOST_BLOCKS = 10;

/** Renders charts as links to their pictures, or as Mermaid blocks; nothing where charts are left out. */
function renderCharts(charts: readonly ChartDefinition[], style: ChartStyle): readonly string[] {
  if (style === "none") return [];
  const left: string[] = [];
  let room = MOST_BLOCKS;
  const texts = charts.flatMap((definition): readonly (readonly string[])[] => {
    const { id, title, subtitle, alt } = definition;
    // The PNG reporter draws it into the same folder; what is seen is said in words.
    if (style === "png") return [[`![${renderInlines(`${title}. ${alt}`)}](${id}.png)`]];
    const blocks = xyCharts(definition);
    if (blocks === undefined || blocks.length > room) {
      left.push(title);
      return [];
    }
    room -= blocks.length;
    const head = renderInlines([strong(title), `: ${subtitle}`]);
    return blocks.length === 0 ? [] : [[head, ...blocks.flatMap(renderDrawing)]];
  });
  const [open, folded] = [texts.slice(0, OPEN[style]), texts.slice(OPEN[style])];
  // Pictures stand under one another in one paragraph.
  const shown = (parts: typeof texts): readonly string[] =>
    style === "png" ? [parts.flat().join("\n")] : parts.flat();
  const summary = folded.length === 1 ? "One more chart" : `${folded.length} more charts`;
  return [
    ...shown(open),
    ...(folded.length === 0 ? [] : [`<details>\n<summary>${summary}</summary>`, ...shown(folded), "</details>"]),
    ...(left.length === 0 ? [] : [renderInlines(`Not drawn here: ${left.join(", ")}. The HTML report has it all.`)]),
  ];
}

/** What the lines of a block are stands before it: Mermaid draws no legend. */
function renderDrawing({ panel, code, legend }: XyChart): readonly string[] {
  const lines = legend.map(({ square, name }) => `${square} ${name}`).join(" · ");
  const text = renderInlines(panel === "" ? lines : [strong(panel), `: ${lines}`]);
  return [escapeBlockStart(text), codeBlock(code, "mermaid")];
}

function renderKind({ code: name, title, texts, cause, remedy }: FindingKind): string {
  const head = `- ${renderInlines([strong(title), " (", code(name), ")"])}`;
  const seen =
    texts.length === 1
      ? [`${head}: ${renderInlines(texts[0] ?? "")}`]
      : [`${head}:`, ...texts.map((text) => `  - ${renderParagraph(text)}`)];
  const advice = remedy === undefined ? "" : ` What to do: ${renderInlines(remedy)}`;
  return [...seen, `  - Cause: ${renderInlines(cause)}${advice}`].join("\n");
}

/** Renders a table, columns padded so that it reads well as plain text too. */
function renderTable({ columns, rows }: Pick<Table, "columns" | "rows">): string {
  const texts = [columns.map(({ head }) => head), ...rows.map((row) => row.map(({ text }) => text))];
  const rendered = texts.map((row) => row.map((text) => renderInlines(text, true)));
  return markdownTable(rendered, { align: columns.map(({ align }) => align) });
}

/**
 * Renders what stands in a line, every text in it escaped.
 *
 * @param isInTable whether in a cell of a table: a bar ends it even inside code, where a backslash before it may itself be meant.
 */
export function renderInlines(text: Inlines, isInTable = false): string {
  const render = (run: Inline): string => {
    if (typeof run === "string") return escapeRun(run);
    if (run.kind === "strong") return `**${escapeRun(plainLine(run.text))}**`;
    return isInTable && run.text.includes("|") ? escapeRun(plainLine(run.text)) : inlineCode(run.text);
  };
  return [text].flat().map(render).join("").trim();
}
