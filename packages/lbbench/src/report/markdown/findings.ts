import type { Finding, Severity } from "../../model/finding.js";
import { groupBy } from "../../stats/group-by.js";
import { escapeMarkdown, inlineCode } from "../escape-markdown.js";
import { describeFinding } from "../finding-text.js";
import type { Section } from "./section.js";

const SEVERITIES: readonly { readonly severity: Severity; readonly head: string }[] = [
  { severity: "error", head: "Errors: these numbers are false, or of the wrong thing" },
  { severity: "warning", head: "Warnings: these numbers mean less than they seem" },
  { severity: "info", head: "Worth knowing" },
];

/** What was noticed, the worst first; findings of the same kind share cause and remedy. */
export const findings: Section = ({ verdict }) => {
  if (verdict.findings.length === 0) {
    return [];
  }
  const parts = SEVERITIES.flatMap(({ severity, head }) => {
    const those = verdict.findings.filter((finding) => finding.severity === severity);
    return those.length === 0
      ? []
      : [`### ${head}`, [...groupBy(those, ({ code }) => code).values()].map(renderKind).join("\n")];
  });
  return ["## Findings", ...parts];
};

function renderKind(those: readonly Finding[]): string {
  const [first] = those;
  if (first === undefined) {
    return "";
  }
  const { title, cause, remedy } = describeFinding(first);
  const texts = those.map((finding) => escapeMarkdown(describeFinding(finding).text));
  const head = `- **${escapeMarkdown(title)}** (${inlineCode(first.code)})`;
  const seen =
    texts.length === 1 ? [`${head}: ${texts.join("")}`] : [`${head}:`, ...texts.map((text) => `  - ${text}`)];
  return [...seen, `  - Cause: ${escapeMarkdown(cause)}`, `  - What to do: ${escapeMarkdown(remedy)}`].join("\n");
}
