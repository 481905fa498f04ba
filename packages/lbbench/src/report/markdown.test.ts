import { describe, expect, test } from "vitest";
import { anEnvironment, aResult, aScenario } from "../test-support/fixtures.js";
import { markdownReporter, renderMarkdown } from "./markdown.js";
import { aSweep, failed, withFailures } from "./test-support/sample-results.js";

const HOSTILE = ["<img src=x onerror=alert(1)>", "a|b", "`x`", "two\nlines", "[x](javascript:x)", "# head"];

function tableRows(markdown: string): readonly string[] {
  return markdown.split("\n").filter((line) => line.startsWith("|"));
}

/** Number of cells of a row, by the bars that are not escaped. */
function countCells(row: string): number {
  return row.replaceAll(/\\./g, "").split("|").length - 2;
}

describe("a whole report", () => {
  test("of two targets reads as recorded", () => {
    const result = aSweep({
      connections: [1, 100],
      trials: 5,
      change: (step) => (step.level.connections === 100 && step.target === "single" ? withFailures(step, 0.02) : step),
    });
    expect(renderMarkdown(result, { charts: "png" })).toMatchSnapshot();
  });

  test("is one file, the same each time", async () => {
    const [first, second] = [await markdownReporter.render(aSweep()), await markdownReporter.render(aSweep())];
    expect(first.map(({ name }) => name)).toEqual(["report.md"]);
    expect(first).toEqual(second);
  });

  test("says the verdict before anything else", () => {
    const headings = renderMarkdown(aSweep(), { charts: "png" }).match(/^#+ .*$/gm) ?? [];
    expect(headings.slice(0, 2)).toEqual(["# sample", "## Verdict: pass"]);
  });

  test("has no pictures where none are drawn", () => {
    expect(renderMarkdown(aSweep(), { charts: "none" })).not.toContain(".png");
  });
});

describe("words from outside", () => {
  const hostile = aSweep({ targets: HOSTILE, connections: [1, 50] });
  const markdown = renderMarkdown(
    {
      ...hostile,
      command: "lbbench sweep '```\n# x'",
      environment: anEnvironment({ cpuModel: "<b>CPU</b> | x" }),
      scenario: { ...hostile.scenario, name: "<script>alert(1)</script>" },
      verdict: {
        status: "inconclusive",
        findings: [
          {
            code: "TARGET_DIED",
            severity: "error",
            args: { target: "<b>", connections: 1, message: "a\n\n<i>\u001b[0m" },
          },
        ],
      },
    },
    { charts: "png" },
  );

  test("never become HTML", () => {
    const outsideCode = markdown.replaceAll(/(`+)[^`].*?\1/gs, "");
    expect(outsideCode).not.toMatch(/(?<!\\)<[a-z/!]/i);
  });

  test("never break a table", () => {
    const blocks = markdown.split("\n\n").filter((block) => block.startsWith("|"));
    expect(blocks.length).toBeGreaterThan(0);
    for (const block of blocks) {
      expect(new Set(tableRows(block).map(countCells)).size).toBe(1);
      expect(tableRows(block)).toHaveLength(block.trim().split("\n").length);
    }
  });

  test("never become a heading", () => {
    expect(markdown.match(/^# .*$/gm)).toEqual([String.raw`# \<script\>alert(1)\</script\>`, "# x'"]);
    expect(markdown).toContain("````sh\nlbbench sweep '```\n# x'\n````");
  });

  test("carry no control characters", () => {
    expect(markdown).not.toContain("\u001b");
  });
});

describe("steps that failed", () => {
  const markdown = renderMarkdown(
    aSweep({ change: (step) => (step.level.connections === 100 && step.target === "balanced" ? failed(step) : step) }),
    { charts: "png" },
  );

  test("stand in the table without figures, and below it with their error", () => {
    expect(tableRows(markdown).filter((row) => /\| failed +\|/.test(row))).toHaveLength(1);
    expect(markdown).toContain("- 100 connections: failed with TARGET_DIED: exited with code 1");
  });

  test("do not put a column of states into the table of a target without any", () => {
    const single = markdown.slice(markdown.indexOf("### single"), markdown.indexOf("### balanced\n"));
    expect(single).not.toContain("State");
  });
});

test("failures get a table by class, and only where there are any", () => {
  const failing = renderMarkdown(
    aSweep({ change: (step) => (step.level.connections === 500 ? withFailures(step, 0.1) : step) }),
    { charts: "png" },
  );
  expect(failing.match(/How requests failed:/g)).toHaveLength(2);
  expect(failing).toMatch(/\| +500 \| 1,000 \| +15\.0 \| +100 \| +0 \| +0 \| +50 \|/);
  expect(renderMarkdown(aSweep(), { charts: "png" })).not.toContain("How requests failed:");
});

test("a single target is compared with nothing", () => {
  const markdown = renderMarkdown(aSweep({ targets: ["single"] }), { charts: "png" });
  expect(markdown).not.toContain("## Comparison");
  expect(markdown).not.toContain("## Share of requests per backend");
});

test("several trials show their median and how far they spread", () => {
  const markdown = renderMarkdown(aSweep({ trials: 5 }), { charts: "png" });
  expect(markdown).toContain("Spread over the trials");
  expect(markdown).toMatch(/\| +50 \| +5 \| [\d,]+ \([\d,]+ to [\d,]+\) \|/);
  expect(renderMarkdown(aSweep(), { charts: "png" })).not.toContain("Spread over the trials");
});

test("the share of each backend is set against an even one", () => {
  expect(renderMarkdown(aSweep({ connections: [1] }), { charts: "png" })).toMatch(
    /\| backend-4 \| +250 \| +25\.0 \| +\+0\.0 % \|/,
  );
});

test("levels that differ in requests say so", () => {
  const levels = [100, 1000].map((requests) => ({ connections: 10, requests }));
  const markdown = renderMarkdown(aResult({ scenario: aScenario({ levels }) }), { charts: "png" });
  expect(markdown).toMatch(/\| +10 \| +100 requests \|/);
});

test("a result without a step still makes a report", () => {
  const markdown = renderMarkdown(
    aResult({
      steps: [],
      complete: false,
      finishedAt: null,
      command: null,
      verdict: { status: "inconclusive", findings: [] },
    }),
    { charts: "png" },
  );
  expect(markdown).toContain("No step was executed.");
  expect(markdown).not.toContain(".png");
});

test("the command stands in a block of its own", () => {
  expect(renderMarkdown(aSweep(), { charts: "png" })).toContain("```sh\nlbbench sweep --connections 1,50,100\n```");
});

test("no part leaves an empty paragraph", () => {
  for (const result of [aSweep(), aSweep({ trials: 5, connections: [1, 250] }), aResult({ steps: [] })]) {
    expect(renderMarkdown(result, { charts: "png" })).not.toContain("\n\n\n");
  }
});
