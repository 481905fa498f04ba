import { code, strong } from "../document/blocks.js";
import type { FindingGroup, FindingKind } from "../document/block.js";
import { escapeBlockStart } from "../escape-markdown.js";
import { renderInlines } from "./render-inlines.js";

/** Renders findings: a heading for what they mean, and below it a point for each code. */
export function renderFindings(groups: readonly FindingGroup[]): readonly string[] {
  return groups.flatMap(({ head, kinds }) => [`### ${renderInlines(head)}`, kinds.map(renderKind).join("\n")]);
}

function renderKind({ code: name, title, texts, cause, remedy }: FindingKind): string {
  const head = `- ${renderInlines([strong(title), " (", code(name), ")"])}`;
  const seen =
    texts.length === 1
      ? [`${head}: ${renderInlines(texts[0] ?? "")}`]
      : [`${head}:`, ...texts.map((text) => `  - ${escapeBlockStart(renderInlines(text))}`)];
  const advice = remedy === undefined ? [] : [`  - What to do: ${renderInlines(remedy)}`];
  return [...seen, `  - Cause: ${renderInlines(cause)}`, ...advice].join("\n");
}
