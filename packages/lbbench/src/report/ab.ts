import type { Result } from "../model/result.js";
import type { Reporter } from "../plugin.js";
import { renderAbBlock } from "./ab/ab-block.js";
import { renderAbTables } from "./ab/ab-tables.js";
import { plainLine } from "./plain-line.js";

/**
 * Writes `ab.txt`, a block for each step in the layout of ApacheBench, and `ab.md`, its figures in tables; docs/formats.md says what
 * they mean.
 */
export const abReporter: Reporter = {
  format: "ab",
  render: (result) => [
    { name: "ab.txt", content: renderAb(result) },
    { name: "ab.md", content: renderAbTables(result) },
  ],
};

function renderAb({ tool, scenario, steps }: Result): string {
  const head = `# Measured by ${plainLine(`${tool.name} ${tool.version}`)}, in the layout of ApacheBench 2.3`;
  return `${[head, ...steps.map((step) => renderAbBlock(scenario, step))].join("\n\n")}\n`;
}
