import { describe, expect, test } from "vitest";
import { judgeResult } from "../judge/judge-result.js";
import { anEnvironment, aResult, aScenario } from "../test-support/fixtures.js";
import { markdownReporter, renderMarkdown } from "./markdown.js";
import type { Result, StepResult } from "../model/result.js";
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
    const [first, second] = [
      await markdownReporter.render(aSweep(), { charts: "png" }),
      await markdownReporter.render(aSweep(), { charts: "png" }),
    ];
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
    const foreign = outsideCode.replaceAll(/^(?:<\/?details>|<summary>\d+ more charts<\/summary>)$/gm, "");
    expect(foreign).not.toMatch(/(?<!\\)<[a-z/!]/i);
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

test("what was asked for and does not hold is not called a fault of the numbers", () => {
  const scenario = { ...aSweep().scenario, margin: 0.05 };
  const result = { ...aSweep({ trials: 5, connections: [1] }), scenario };
  const markdown = renderMarkdown({ ...result, verdict: judgeResult(result) }, { charts: "png" });
  expect(markdown).toContain("### Failed: what was asked for does not hold\n\n- **Worse than the reference**");
  expect(markdown).not.toContain("### Errors");
});

test("what does not hold by figures that an error leaves in doubt has not failed", () => {
  const scenario = { ...aSweep().scenario, margin: 0.05 };
  const sound = aSweep({ trials: 5, connections: [1] });
  const steps = sound.steps.map((step) => ({
    ...step,
    findings: [
      { code: "FD_LIMIT", severity: "info", args: {} },
      { code: "REQUESTS_LOST", severity: "error", args: {} },
    ] as const,
  }));
  const result = {
    ...sound,
    scenario,
    steps: [
      ...sound.steps,
      ...steps.slice(0, 1).map((step) => ({ ...step, level: { connections: 7, durationMs: 1 } })),
    ],
  };
  const markdown = renderMarkdown({ ...result, verdict: judgeResult(result) }, { charts: "png" });
  expect(markdown).toContain("## Verdict: inconclusive");
  expect(markdown).toContain("### Not settled: by its figures what was asked for does not hold");
  expect(markdown).not.toContain("### Failed");
});

test("an outlier is marked, not removed, and the mark explained", () => {
  const slow = (step: StepResult): StepResult =>
    step.trial === 4 && step.level.connections === 50 && step.measurement !== undefined
      ? { ...step, measurement: { ...step.measurement, throughput: 12 } }
      : step;
  const result = aSweep({ targets: ["single"], connections: [50, 100], trials: 8, change: slow });
  const markdown = renderMarkdown(result, { charts: "png" });
  expect(markdown).toMatch(/\| +50 \| +8 \| [\d,]+ \([\d,.]+ to [\d,]+\) \\\* \|/);
  expect(markdown).toMatch(/\| +100 \| +8 \| +[\d,]+ \([\d,.]+ to [\d,]+\) \|/);
  expect(markdown).toMatch(/^\\\* An outlier .*Tukey.* Requests\/s at 50 connections: 12\.0 \(trial 4\)\.$/m);
  expect(renderMarkdown(aSweep({ trials: 8 }), { charts: "png" })).not.toContain("outlier");
});

test("the spread says what its interval is, for the trials there are", () => {
  const lost = (step: StepResult): StepResult =>
    step.level.connections === 50 && step.trial > 4 ? failed(step) : step;
  const spread = (trials: number, change = (step: StepResult) => step): string =>
    /^Spread over the trials.*$/m.exec(
      renderMarkdown(aSweep({ targets: ["single"], connections: [50, 100], trials, change }), { charts: "png" }),
    )?.[0] ?? "";
  expect(spread(5)).toMatch(/in brackets the lowest and the highest trial\.$/);
  expect(spread(6)).toMatch(/in brackets the 95 % interval of the median \(by bootstrap: .*\)\.$/);
  expect(spread(6, lost)).toMatch(
    /\(by bootstrap: .*\), or the lowest and the highest trial where there are fewer than 6\.$/,
  );
});

describe("the comparison", () => {
  const sectionOf = (result: Result): string => {
    const markdown = renderMarkdown(result, { charts: "png" });
    return markdown.slice(markdown.indexOf("## Comparison"), markdown.indexOf("## Results"));
  };
  const withMargin = (result: Result, margin: number): Result => ({
    ...result,
    scenario: { ...result.scenario, margin },
  });

  test("shows changes with their interval, and what they mean", () => {
    const section = sectionOf(aSweep({ trials: 5, connections: [1] }));
    expect(section).toMatch(/\| Requests\/s \| +692 \| +545 \| +-21\.3 % \(-[\d.]+ to -[\d.]+\) \| slower +\|/);
    expect(section).not.toContain("Worse");
  });

  test("does not let too few trials look like a draw", () => {
    const section = sectionOf(aSweep({ trials: 4 }));
    expect(section.match(/\| ~ \(too few trials\) \|/g)).toHaveLength(18);
    expect(section).toContain("takes at least 5 on each side here, --trials 6");
  });

  test("with a margin says where it is worse, and leaves the outcome to the verdict", () => {
    const section = sectionOf(withMargin(aSweep({ trials: 5, connections: [1, 250] }), 0.05));
    expect(section).toMatch(/^## Comparison\n\n- single → balanced: /);
    expect(section).toMatch(/\| slower +\| \*\*yes\*\* \|/);
    expect(section).toContain("Worse: throughput lower or a latency higher by more than 5 %, or the share of failed");
    expect(section).toContain("corrected for the number of levels");
  });

  test("with a margin says why it is not known", () => {
    const section = sectionOf(withMargin(aSweep({ connections: [1] }), 0.05));
    expect(section).toContain("one trial cannot be told from noise, --trials 6 can.");
  });
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
