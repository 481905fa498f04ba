import type { ResultComparison } from "../judge/compare-results.js";
import { renderCompareMarkdown } from "./compare-markdown.js";
import { renderCompareText } from "./compare-text.js";

/**
 * Renders a comparison of two results, as Markdown for a pull request or as text for a terminal.
 *
 * @param columns width of the terminal, for text alone; 99 by default and at most.
 */
export function renderComparison(comparison: ResultComparison, format: "md" | "text", columns?: number): string {
  return format === "md" ? renderCompareMarkdown(comparison) : renderCompareText(comparison, columns);
}
