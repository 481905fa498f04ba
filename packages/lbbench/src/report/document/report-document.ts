import type { Result } from "../../model/result.js";
import { backendShares } from "./backend-shares.js";
import type { ReportDocument } from "./block.js";
import { charts } from "./charts.js";
import { comparison } from "./comparison.js";
import { environment } from "./environment.js";
import { findings } from "./findings.js";
import { glossary } from "./glossary.js";
import { introduce } from "./introduction.js";
import { repeat } from "./repeat.js";
import type { Section } from "./section.js";
import { settings } from "./settings.js";
import { shortenTargets } from "./shorten-targets.js";
import { targetTables } from "./target-tables.js";
import { verdict } from "./verdict.js";

const SECTIONS: readonly Section[] = [
  verdict,
  findings,
  charts,
  comparison,
  targetTables,
  backendShares,
  environment,
  settings,
  repeat,
  glossary,
];

/** Those that name targets in full: the settings say what each of them is, and charts shorten names by the room that they have. */
const WITH_FULL_NAMES: ReadonlySet<Section> = new Set([charts, settings]);

/**
 * Returns a result as a report in data, verdict first; Markdown and HTML are made of it. Its texts are plain, and come from anywhere;
 * long names of targets stand in full in the introduction and in the settings, elsewhere shortened.
 */
export function createDocument(result: Result): ReportDocument {
  const short = shortenTargets(result);
  return {
    ...introduce(result),
    sections: SECTIONS.flatMap((section) => section(WITH_FULL_NAMES.has(section) ? result : short) ?? []),
  };
}
