import type { Inline, Inlines } from "../document/block.js";
import { escapeRun, inlineCode } from "../escape-markdown.js";
import { plainLine } from "../plain-line.js";

/** Renders what stands in a line, every text in it escaped. */
export function renderInlines(text: Inlines): string {
  const runs = typeof text === "string" ? [text] : text;
  return runs.map(renderInline).join("").trim();
}

/** Renders the same for a cell of a table: a bar ends a cell even inside code, where a backslash before it may itself be meant. */
export function renderCellText(text: Inlines): string {
  const runs = typeof text === "string" ? [text] : text;
  return runs
    .map((run) => (isCodeWithBar(run) ? escapeRun(plainLine(run.text)) : renderInline(run)))
    .join("")
    .trim();
}

function renderInline(run: Inline): string {
  if (typeof run === "string") return escapeRun(run);
  switch (run.kind) {
    case "strong":
      return `**${escapeRun(plainLine(run.text))}**`;
    case "code":
      return inlineCode(run.text);
    case "link":
      return `[${escapeRun(plainLine(run.text))}](<${encodeURI(plainLine(run.url)).replaceAll(/[<>]/g, encodeURIComponent)}>)`;
  }
}

function isCodeWithBar(run: Inline): run is Exclude<Inline, string> {
  return typeof run !== "string" && run.kind === "code" && run.text.includes("|");
}
