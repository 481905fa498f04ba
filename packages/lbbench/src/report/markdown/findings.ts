import type { Finding, FindingCode, Severity, Verdict } from "../../model/finding.js";
import { groupBy } from "../../stats/group-by.js";
import { escapeMarkdown, inlineCode } from "../escape-markdown.js";
import { describeFinding } from "../finding-text.js";
import type { Section } from "./section.js";

/** Errors that say nothing against the numbers: what was asked of the target does not hold. */
const FAILED: ReadonlySet<FindingCode> = new Set(["NOTHING_HELD", "THRESHOLD_FAILED", "WORSE_THAN_REFERENCE"]);

/** By the status of the verdict: next to false numbers nothing has failed for certain. */
const failedHead = (status: Verdict["status"]): string =>
  status === "inconclusive"
    ? "Not settled: by its figures what was asked for does not hold, but other findings leave them in doubt"
    : "Failed: what was asked for does not hold";

const SEVERITIES: readonly { readonly severity: Severity; readonly head: string }[] = [
  { severity: "error", head: "Errors: these numbers are false, or of the wrong thing" },
  { severity: "warning", head: "Warnings: these numbers mean less than they seem" },
  { severity: "info", head: "Worth knowing" },
];

/** What was noticed, the worst first; findings of the same kind share their cause, and what to do once for all that it is said of. */
export const findings: Section = ({ verdict }) => {
  if (verdict.findings.length === 0) {
    return [];
  }
  const [failed, others] = [true, false].map((wanted) =>
    verdict.findings.filter(({ code }) => FAILED.has(code) === wanted),
  );
  const parts = SEVERITIES.flatMap(({ severity, head }) =>
    renderPart(head, others?.filter((finding) => finding.severity === severity) ?? []),
  );
  return ["## Findings", ...renderPart(failedHead(verdict.status), failed ?? []), ...parts];
};

function renderPart(head: string, those: readonly Finding[]): readonly string[] {
  return those.length === 0
    ? []
    : [`### ${head}`, [...groupBy(those, ({ code }) => code).values()].map(renderKind).join("\n")];
}

function renderKind(those: readonly Finding[]): string {
  const [first] = those;
  if (first === undefined) {
    return "";
  }
  const { title, cause } = describeFinding(first);
  const texts = those.map((finding) => escapeMarkdown(describeFinding(finding).text));
  const remedy = [...new Set(those.map((finding) => describeFinding(finding).remedy))].join(" ");
  const head = `- **${escapeMarkdown(title)}** (${inlineCode(first.code)})`;
  const seen =
    texts.length === 1 ? [`${head}: ${texts.join("")}`] : [`${head}:`, ...texts.map((text) => `  - ${text}`)];
  return [...seen, `  - Cause: ${escapeMarkdown(cause)}`, `  - What to do: ${escapeMarkdown(remedy)}`].join("\n");
}
