import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { expect, it } from "vitest";
import type { Result } from "../../src/model/result.js";
import { renderMarkdown } from "../../src/report/markdown.js";
import { aRampResult } from "../../src/report/test-support/ramp-results.js";
import { aSweep, failed, withFailures } from "../../src/report/test-support/sample-results.js";
import { describeInBrowser } from "../support/browser.js";

const require = createRequire(import.meta.url);
const MERMAID = readFileSync(require.resolve("@mermaid-js/tiny/dist/mermaid.tiny.js"), "utf8");
const HOSTILE = ['a "b" `c`', "]\n line [1]", "%% x", "#quot;;", "<img src=x onerror=window.pwned=1>", "{{x}}"];

/** What Mermaid makes of each block of a report: the drawing, or the error that it throws. */
const DRAW = `async (blocks) => {
  const mermaid = globalThis.mermaid.default ?? globalThis.mermaid;
  mermaid.initialize({ startOnLoad: false, securityLevel: "strict" });
  const drawn = [];
  for (const [index, block] of blocks.entries()) {
    drawn.push(await mermaid.render("chart" + index, block).then(({ svg }) => svg, (error) => "failed: " + error));
  }
  return drawn;
}`;

function blocksOf(result: Result): readonly string[] {
  const fences = renderMarkdown(result, { charts: "mermaid" }).matchAll(/^```mermaid\n([\s\S]*?)\n```$/gm);
  return [...fences].map(([, code = ""]) => code);
}

describeInBrowser("Mermaid", (open) => {
  it.each([
    ["a sweep", aSweep()],
    ["several trials that fail, and a level without a figure", aSweep({ trials: 3, change: (step) => failing(step) })],
    ["eight targets", aSweep({ targets: Array.from({ length: 8 }, (_, index) => `target ${index}`) })],
    ["names that contain its own words", aSweep({ targets: HOSTILE, connections: [1, 50] })],
    ["a ramp", aRampResult()],
  ])("draws every block of %s, with all its lines", async (_, result) => {
    const { page, problems } = await open("<!doctype html><title>Mermaid</title>");
    await page.addScriptTag({ content: MERMAID });
    const blocks = blocksOf(result);
    expect(blocks.length).toBeGreaterThan(1);
    const drawings = await page.evaluate<string[]>(`(${DRAW})(${JSON.stringify(blocks)})`);
    for (const [index, drawing] of drawings.entries()) {
      expect(drawing, blocks[index]).toMatch(/^<svg/);
      expect(drawing, blocks[index]).not.toContain("NaN");
      const asked = blocks[index]?.match(/^ {2}line \[/gm)?.length ?? 0;
      expect(drawing.match(/class="line-plot-\d+"/g)?.length ?? 0, blocks[index]).toBe(asked);
    }
    expect(await page.evaluate("window.pwned")).toBeUndefined();
    expect(problems).toEqual([]);
  });
});

function failing(step: Result["steps"][number]): Result["steps"][number] {
  if (step.level.connections === 1000) return failed(step);
  return step.target === "single" ? withFailures(step, 0.1) : step;
}
