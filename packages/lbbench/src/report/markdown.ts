import type { Result } from "../model/result.js";
import type { RenderOptions, Reporter } from "../plugin.js";
import { createDocument } from "./document/report-document.js";
import { renderBlocks } from "./markdown/render-blocks.js";
import { escapeBlockStart } from "./escape-markdown.js";
import { hideSecrets } from "./hide-secrets.js";
import { renderInlines } from "./markdown/render-inlines.js";

/** Writes `report.md`; its pictures are those that the PNG reporter draws into the same folder. */
export const markdownReporter: Reporter = {
  format: "md",
  render: (result, options) => [{ name: "report.md", content: renderMarkdown(result, options) }],
};

/** Returns a result as Markdown for GitHub, verdict first and secrets hidden; it ends with a line break. */
export function renderMarkdown(result: Result, options: RenderOptions): string {
  const { title, introduction, sections } = createDocument(hideSecrets(result));
  const chosen = sections.filter(({ id }) => id !== "charts" || options.charts !== "none");
  const texts = [
    `# ${renderInlines(title)}`,
    escapeBlockStart(renderInlines(introduction)),
    ...chosen.flatMap((section) => [
      `## ${renderInlines(section.title)}`,
      ...renderBlocks(section.blocks, options.charts),
    ]),
  ];
  return `${texts.join("\n\n")}\n`;
}
