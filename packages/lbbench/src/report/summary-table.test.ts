import { describe, expect, test } from "vitest";
import { aResult } from "../test-support/fixtures.js";
import { renderSummary } from "./summary-table.js";
import { aSweep, failed, withFailures } from "./test-support/sample-results.js";

test("there is a row for each target and level, then the verdict", () => {
  const lines = renderSummary(aSweep({ targets: ["single"], connections: [1, 50] })).split("\n");
  expect(lines).toEqual([
    "target  conns   ok/s  p50 ms  p99 ms  failed  bottleneck",
    "single      1    720    1.29    4.17       0  backend",
    "single     50  7,324    6.35    20.5       0  backend",
    "",
    "Verdict: pass. The run went through. Nothing was found that makes the numbers unusable.",
    "",
  ]);
});

test("sentences are wrapped between words to the width of the terminal", () => {
  const result = aSweep({ targets: ["single"], connections: [1] });
  const sentence = "Verdict: pass. The run went through. Nothing was found that makes the numbers unusable.";
  const lines = renderSummary(result, 60).split("\n").slice(3, -1);
  expect(Math.max(...lines.map(({ length }) => length))).toBeLessThanOrEqual(60);
  expect(lines.map((line) => line.trim()).join(" ")).toBe(sentence);
});

test("findings take a line each", () => {
  const result = aSweep({ connections: [1] });
  const findings = [
    { code: "SINGLE_TRIAL", severity: "warning", args: {} },
    { code: "TARGET_DIED", severity: "error", args: { target: "single", connections: 1, message: "x\ny".repeat(99) } },
  ] as const;
  const text = renderSummary({ ...result, verdict: { status: "inconclusive", findings } });
  expect(text.split("\n").filter((line) => /^(warning|error) /.test(line))).toHaveLength(2);
});

describe("whatever comes from outside", () => {
  const text = renderSummary(
    aSweep({
      targets: ["\u001b[31mred\nline", "x".repeat(300)],
      connections: [1, 1_000_000],
      trials: 3,
      change: (step) => (step.trial === 1 ? failed(step) : withFailures(step, 0.5)),
    }),
  );

  test("no line is wider than 99 columns", () => {
    expect(Math.max(...text.split("\n").map(({ length }) => length))).toBeLessThanOrEqual(99);
  });

  test("no escape sequence gets through", () => {
    expect(text).not.toContain("\u001b");
  });

  test("a step that failed says so in its row", () => {
    expect(text).toContain("1 of 3 failed");
  });
});

test("a result without a step says so", () => {
  expect(renderSummary(aResult({ steps: [] }))).toContain("No step was executed.");
});
