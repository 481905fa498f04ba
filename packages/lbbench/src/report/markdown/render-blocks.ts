import type { ChartStyle } from "../../plugin.js";
import type { Block, Inlines, ListItem } from "../document/block.js";
import { codeBlock, escapeBlockStart } from "../escape-markdown.js";
import { renderCharts } from "./render-charts.js";
import { renderFindings } from "./render-findings.js";
import { renderInlines } from "./render-inlines.js";
import { renderFacts, renderTable } from "./render-table.js";

/**
 * Renders blocks as Markdown for GitHub, each a text of its own: between them goes an empty line. What other formats fold stands
 * below a line that says what it is.
 *
 * @param charts how charts are shown, where there are any.
 */
export function renderBlocks(blocks: readonly Block[], charts: ChartStyle = "none"): readonly string[] {
  return blocks.flatMap((block) => renderBlock(block, charts));
}

function renderBlock(block: Block, charts: ChartStyle): readonly string[] {
  switch (block.kind) {
    case "heading":
      return [`${"#".repeat(block.level)} ${renderInlines(block.text)}`];
    case "paragraph":
    case "verdict":
      return [renderParagraph(block.text)];
    case "list":
      return [block.items.flatMap(renderItem).join("\n")];
    case "code":
      return [codeBlock(block.text, block.language)];
    case "findings":
      return renderFindings(block.groups);
    case "charts":
      return renderCharts(block.charts, charts);
    case "folded":
      return [renderParagraph(`${block.summary}:`), ...renderBlocks(block.blocks, charts)];
    case "facts":
      return [renderFacts(block)];
    case "table":
      return [...(block.lead === undefined ? [] : [renderParagraph(block.lead)]), renderTable(block)];
  }
}

/** Renders what begins a line. */
function renderParagraph(text: Inlines): string {
  return escapeBlockStart(renderInlines(text));
}

function renderItem({ text, items = [] }: ListItem): readonly string[] {
  return [`- ${renderParagraph(text)}`, ...items.map((item) => `  - ${renderParagraph(item)}`)];
}
