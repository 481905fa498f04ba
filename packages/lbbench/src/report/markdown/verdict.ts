import { describeSearches } from "../describe-search.js";
import { escapeMarkdown } from "../escape-markdown.js";
import { describeComparisons, describePeaks, describeVerdict } from "../headline.js";
import type { Section } from "./section.js";

/** The verdict in a sentence, then what the run says of each target. */
export const verdict: Section = (result) => {
  const lines = [...describeSearches(result), ...describeComparisons(result), ...describePeaks(result)].map(
    (line) => `- ${escapeMarkdown(line)}`,
  );
  return [
    `## Verdict: ${result.verdict.status}`,
    escapeMarkdown(describeVerdict(result)),
    ...(lines.length > 0 ? [lines.join("\n")] : []),
  ];
};
