import { describe, expect, it } from "vitest";
import { compareResults } from "../judge/compare-results.js";
import type { ResultComparison } from "../judge/compare-results.js";
import { aRun, MARGINS, steady } from "../judge/test-support/compare-samples.js";
import type { RunShape } from "../judge/test-support/compare-samples.js";
import { anEnvironment } from "../test-support/fixtures.js";
import { renderCompareMarkdown } from "./compare-markdown.js";

function compare(a: RunShape, b: RunShape): ResultComparison {
  return compareResults(
    aRun(a),
    aRun({ ...b, result: { startedAt: "2026-11-06T10:00:00.000Z", ...b.result } }),
    MARGINS,
  );
}

function tableOf(markdown: string): readonly string[] {
  return markdown.split("\n").filter((line) => line.startsWith("|"));
}

const WORSE_AT_100 = {
  connections: [1, 100],
  speed: (trial: number, connections: number) => steady(connections === 100 ? 0.8 : 1)(trial),
};

describe("renderCompareMarkdown", () => {
  it("says where B is worse, with a table that has a row for each level and metric", () => {
    const markdown = renderCompareMarkdown(compare({ connections: [1, 100] }, WORSE_AT_100));
    expect(markdown.split("\n").slice(0, 5)).toEqual([
      "### lbbench compare: fail",
      "",
      "**B is worse than A beyond the margin of 5 %.**",
      "",
      "- single: lower throughput at 100 connections (-20.0 %); higher p50 at 100 connections (+25.0 %); " +
        "higher p99 at 100 connections (+25.0 %).",
    ]);
    expect(tableOf(markdown)).toEqual([
      "| Connections | Metric     |     A |     B |   Change (95 % interval) | Difference | Worse   |",
      "| ----------: | :--------- | ----: | ----: | -----------------------: | :--------- | :------ |",
      expect.stringMatching(
        /^\| {11}1 \| Requests\/s \| 1,035 \| 1,035 \| +\+0\.0 % \(-\d\.\d to \+\d\.\d\) \| ~ \(noise\) +\| no +\|$/,
      ),
      expect.stringMatching(/^\| {13}\| p50 \(ms\)/),
      expect.stringMatching(/^\| {13}\| p99 \(ms\)/),
      expect.stringMatching(
        /^\| {9}100 \| Requests\/s \| 1,035 \| +828 \| -20\.0 % \(-.* to -.*\) \| slower +\| \*\*yes\*\* \|$/,
      ),
      expect.stringMatching(/^\| {13}\| p50 .* slower +\| \*\*yes\*\* \|$/),
      expect.stringMatching(/^\| {13}\| p99 .* slower +\| \*\*yes\*\* \|$/),
    ]);
    expect(markdown).toContain(
      "Worse: throughput lower or a latency higher by more than 5 %, or the share of failed requests higher by more than 0.1 percentage points.\n",
    );
    expect(markdown).toContain("corrected for the number of levels, so it may be ");
    expect(markdown).toContain("A: sample of 2026-11-05 10:00 UTC by lbbench 0.1.0. B: sample of 2026-11-06 10:00 UTC");
  });

  it("lists failed requests where there are some, in points", () => {
    const markdown = renderCompareMarkdown(compare({}, { failed: (trial) => 0.04 + trial / 10_000 }));
    expect(tableOf(markdown).at(-1)).toMatch(
      /Failed \(%\) +\| +0\.0 \| +4\.0 \| \+4\.0 points \(\+4\.0 to \+4\.1\) \| more +\| \*\*yes/,
    );
    expect(markdown).toContain("more failed requests at 50 connections (+4.0 points)");
  });

  it("names improvements, and the target where there are several, once for all its rows", () => {
    const markdown = renderCompareMarkdown(
      compare({ targets: ["single", "balanced"] }, { targets: ["single", "balanced"], speed: steady(1.5) }),
    );
    expect(markdown).toContain("- balanced: higher throughput at 50 connections (+50.0 %); lower p50 at");
    expect(markdown).toContain("**B is not worse than A beyond the margin of 5 %.**");
    const names = tableOf(markdown).map((line) => line.split("|")[1]?.trim());
    expect(names).toEqual(["Target", expect.stringContaining("--"), "single", "", "", "balanced", "", ""]);
    expect(tableOf(markdown)[0]?.split("|")).toHaveLength(8 + 2);
  });

  it("shows which target was compared with which when they have different names", () => {
    const markdown = renderCompareMarkdown(compare({ targets: ["old"] }, { targets: ["new"] }));
    expect(tableOf(markdown)[2]).toContain("| old → new |");
  });

  it("says why it cannot be told, once for each reason", () => {
    const single = renderCompareMarkdown(compare({ trials: 1 }, { trials: 1 }));
    expect(single).toContain("**Whether B is worse than A beyond the margin of 5 % cannot be told.**");
    expect(single).toContain(String.raw`- ${"`~`"} everything: one trial cannot be told from noise, --trials 6 can.`);
    expect(single).not.toContain("interval");
    const noisy = renderCompareMarkdown(compare({}, { speed: steady(0.97) }));
    expect(noisy).toContain("### lbbench compare: inconclusive");
    expect(noisy).toContain(
      "- single: lower throughput, perhaps beyond the margin, at 50 connections (-3.0 %); higher p50",
    );
    expect(noisy).toMatch(
      /- `~` throughput at 50 connections, p50 at 50 connections, p99 at .*: the trials vary too much/,
    );
  });

  it("says in how much of it that could be told, when it could not of every metric", () => {
    const untold: RunShape = { findings: () => [{ code: "FIGURE_NOT_TOLD", severity: "info", args: {} }] };
    expect(renderCompareMarkdown(compare(untold, untold))).toContain(
      "**B is not worse than A beyond the margin of 5 %, where that can be told (2 of 4 comparisons).**",
    );
  });

  it("says at which levels it could not be told at all", () => {
    const speed = (trial: number, connections: number): number => 1 + trial / (connections === 1 ? 100 : 3);
    const shape = { connections: [1, 50], speed };
    expect(renderCompareMarkdown(compare(shape, shape))).toContain(
      "**Whether B is worse than A beyond the margin of 5 % cannot be told at 50 connections.**",
    );
  });

  it("says where B died", () => {
    const findings: RunShape["findings"] = (_, connections) =>
      connections === 50 ? [{ code: "TARGET_DIED", severity: "error", args: {} }] : [];
    const shape = { connections: [1, 50], trials: 3 };
    expect(renderCompareMarkdown(compare(shape, { ...shape, findings }))).toContain(
      "- single: died at 50 connections (in 3 of 3 trials).",
    );
  });

  it("tells a difference within the margin from one beyond it", () => {
    const tight = (factor: number) => (trial: number) => factor * (1 + trial / 10_000);
    const markdown = renderCompareMarkdown(compare({ speed: tight(1) }, { speed: tight(0.97) }));
    expect(markdown).toContain("- single: lower throughput, within the margin, at 50 connections (-3.0 %);");
    expect(markdown).toContain("### lbbench compare: pass");
  });

  it("says what cannot be compared, and what may be part of a difference", () => {
    const markdown = renderCompareMarkdown(
      compare(
        { connections: [1, 50] },
        { result: { environment: anEnvironment({ cores: 2, cpuModel: "Sample CPU", node: "24" }) } },
      ),
    );
    expect(markdown).toContain("### lbbench compare: inconclusive");
    expect(markdown).toContain("- **Not compared**: another machine: cores 8 in A, 2 in B.");
    expect(markdown).toContain("- **Note**: other software: node 20.19.0 in A, 24 in B.");
    expect(markdown).toContain("- **Not compared**: single: only A was measured at 1 connection (3 s).");
    expect(markdown).not.toContain("`~`");
  });

  it("has no table when there is nothing to compare", () => {
    const markdown = renderCompareMarkdown(compare({ targets: ["a", "b"] }, { targets: ["c", "d"] }));
    expect(tableOf(markdown)).toEqual([]);
    expect(markdown).toContain("- **Not compared**: a is a target of A alone");
  });

  it("makes no markup of words from outside", () => {
    const name = "<img src=x>|**b**\n# [c](http://d)";
    const markdown = renderCompareMarkdown(
      compare(
        { targets: [name, "y"], scenario: { name } },
        {
          targets: [name, "y"],
          speed: steady(0.5),
          scenario: { name },
          result: { environment: anEnvironment({ kernel: name }), tool: { name: "lbbench", version: name } },
        },
      ),
    );
    expect(markdown).not.toMatch(/(?<!\\)<img/);
    expect(markdown).not.toMatch(/(?<!\\)\*\*b/);
    expect(markdown).not.toMatch(/(?<!\\)\[c/);
    expect(markdown).not.toContain("\n# ");
    const widths = tableOf(markdown).map((line) => line.match(/(?<!\\)\|/g)?.length);
    expect(new Set(widths)).toEqual(new Set([9]));
  });
});
