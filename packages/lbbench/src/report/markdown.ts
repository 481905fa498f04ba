import type { Result } from "../model/result.js";
import type { Reporter } from "../plugin.js";
import { backendShares } from "./markdown/backend-shares.js";
import { charts } from "./markdown/charts.js";
import { comparison } from "./markdown/comparison.js";
import { environment } from "./markdown/environment.js";
import { findings } from "./markdown/findings.js";
import { glossary } from "./markdown/glossary.js";
import { introduction } from "./markdown/introduction.js";
import { repeat } from "./markdown/repeat.js";
import type { Section } from "./markdown/section.js";
import { settings } from "./markdown/settings.js";
import { targetTables } from "./markdown/target-tables.js";
import { verdict } from "./markdown/verdict.js";

const SECTIONS: readonly Section[] = [
  introduction,
  verdict,
  findings,
  comparison,
  charts,
  targetTables,
  backendShares,
  environment,
  settings,
  repeat,
  glossary,
];

/** What of the report can be chosen. */
export interface MarkdownOptions {
  /** `png`: links to the pictures of the PNG reporter; `none`: no charts, where there are no such files. */
  readonly charts: "png" | "none";
}

/** Writes `report.md`, with links to the pictures that the PNG reporter draws into the same folder. */
export const markdownReporter: Reporter = writing({ charts: "png" });

/** Writes `report.md` without charts, for a folder that has no pictures. */
export const plainMarkdownReporter: Reporter = writing({ charts: "none" });

function writing(options: MarkdownOptions): Reporter {
  return { format: "md", render: (result) => [{ name: "report.md", content: renderMarkdown(result, options) }] };
}

/** Returns a result as Markdown for GitHub, verdict first; it ends with a line break. */
export function renderMarkdown(result: Result, options: MarkdownOptions): string {
  const chosen = SECTIONS.filter((section) => section !== charts || options.charts === "png");
  return `${chosen.flatMap((section) => section(result)).join("\n\n")}\n`;
}
