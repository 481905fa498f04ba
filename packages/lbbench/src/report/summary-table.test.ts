import { describe, expect, test } from "vitest";
import { aResult } from "../test-support/fixtures.js";
import { aRampResult } from "./test-support/ramp-results.js";
import type { StepResult } from "../model/result.js";
import { describeFinding } from "./finding-text.js";
import { renderSummary } from "./summary-table.js";
import { textWidth } from "./text-width.js";
import { aSweep, failed, withFailures } from "./test-support/sample-results.js";

test("there is a row for each target and level, then the verdict", () => {
  const lines = renderSummary(aSweep({ targets: ["single"], connections: [1, 50] })).split("\n");
  expect(lines).toEqual([
    "target  conns   ok/s  p50 ms  p99 ms  failed  bottleneck",
    "single      1    720    1.29    4.17       0  backend",
    "single     50  7,324    6.35    20.5       0  backend",
    "",
    "Throughput by level, 1 to 50 connections:",
    "single  ▂█  highest 7,324 ok/s at 50",
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

test("findings take a line each, and what has no room in it goes on below", () => {
  const result = aSweep({ connections: [1] });
  const findings = [
    { code: "SINGLE_TRIAL", severity: "warning", args: {} },
    { code: "TARGET_DIED", severity: "error", args: { target: "single", connections: 1, message: "x\ny".repeat(99) } },
  ] as const;
  const text = renderSummary({ ...result, verdict: { status: "inconclusive", findings } });
  const [first = "", ...others] = (text.split("\n\n").at(-1) ?? "").trimEnd().split(/\n(?! )/);
  expect(first).toMatch(/^warning SINGLE_TRIAL: /);
  expect(others).toEqual([expect.stringMatching(/^error TARGET_DIED: /)]);
  expect(
    others[0]
      ?.split("\n")
      .slice(1)
      .every((line) => /^  \S/.test(line)),
  ).toBe(true);
  expect(text).not.toContain("…");
  expect(text.replaceAll(/\s+/g, " ")).toContain(describeFinding(findings[1]).text.replaceAll(/\s+/g, " "));
});

test("an address that is longer than a line is broken, not cut", () => {
  const result = aSweep({ targets: ["single"], connections: [1] });
  const url = `http://127.0.0.1:8080/${"x".repeat(60)}/end`;
  const finding = {
    code: "TARGET_DIED",
    severity: "error",
    args: { target: url, connections: 1, message: "gone" },
  } as const;
  const text = renderSummary({ ...result, verdict: { status: "fail", findings: [finding] } }, 30);
  expect(text.split("\n").filter((line) => textWidth(line) > 30)).toEqual([]);
  expect(text.replaceAll(/\n {2}/g, "")).toContain(url);
});

describe("how throughput goes", () => {
  const trends = (text: string): readonly string[] => text.split("\n\n")[1]?.split("\n") ?? [];

  test("is drawn for each target with two levels or more, to one scale", () => {
    expect(trends(renderSummary(aSweep()))).toEqual([
      "Throughput by level, 1 to 1,000 connections:",
      "single    ▁▆▆▆▆▆  highest 8,055 ok/s at 250",
      "balanced  ▁▆▇██▇  highest 10,564 ok/s at 500",
    ]);
    expect(trends(renderSummary(aSweep({ targets: ["single"], connections: [1, 50] })))[1]).toMatch(
      /^single  [▁-█]{2}  highest /,
    );
    expect(renderSummary(aSweep({ connections: [50] }))).not.toMatch(/[▁-█]/);
  });

  test("is told by amounts apart in a matrix, and has gaps where nothing was measured", () => {
    const result = aSweep({ targets: ["single"], connections: [1, 10, 100] });
    const more = aSweep({
      targets: ["single"],
      connections: [1, 10, 100],
      change: (step) => (step.level.connections === 10 ? failed(step) : step),
    }).steps.map((step) => ({ ...step, level: { ...step.level, requests: 5000 } }));
    expect(trends(renderSummary({ ...result, steps: [...result.steps, ...more] })).slice(1)).toEqual([
      expect.stringMatching(/^single, 1,000 requests  [▁-█]{3}  highest [\d,]+ ok\/s at 100$/),
      expect.stringMatching(/^single, 5,000 requests  [▁-█] [▁-█]  highest [\d,]+ ok\/s at 100$/),
    ]);
  });

  test("is drawn over the seconds of a ramp", () => {
    expect(trends(renderSummary(aRampResult()))).toEqual([
      "Throughput second by second:",
      expect.stringMatching(/^http +[▁-█]{40}  highest [\d,]+ ok\/s in second \d+$/),
      expect.stringMatching(/^http \+ gRPC +[▁-█]{40}  highest /),
      expect.stringMatching(/^gRPC +[▁-█]{40}  highest [\d,]+ ok\/s in second 34$/),
    ]);
  });
});

test.each([20, 40, 60, 80, 99])("all lines keep to %i columns, whatever the names and figures", (columns) => {
  const targets = ["负载均衡器".repeat(9), "😀 cluster", "x".repeat(99), "single"];
  for (const result of [
    aSweep({ targets }),
    aRampResult({ targets: { [targets[0] ?? ""]: (users) => ({ ok: users * 1e5 }) } }),
  ]) {
    const lines = renderSummary(result, columns).split("\n");
    expect(lines.filter((line) => textWidth(line) > columns)).toEqual([]);
  }
});

test("a narrow terminal keeps the figures that say most, and names that one can tell apart", () => {
  const lines = renderSummary(aSweep({ targets: ["single", "负载均衡器-1"], connections: [1, 50, 100] }), 40).split(
    "\n",
  );
  expect(lines.slice(0, 2)).toEqual(["target        conns   ok/s  failed", "single            1    720       0"]);
  expect(lines[7]).toBe("No room for: p50 ms, p99 ms, bottleneck");
});

test.each([20, 25, 30, 40])("failures are shown in a terminal of %i columns, where there are any", (columns) => {
  const change = (step: StepResult): StepResult => withFailures(step, 0.3);
  const targets = ["http://127.0.0.1:46123", "balanced"];
  const sweep = renderSummary(aSweep({ targets, connections: [1, 50], change }), columns).split("\n");
  expect(sweep[0]).toMatch(/\bfailed$/);
  expect(sweep[1]).toMatch(/ 450$/);
  const ramp = aRampResult({ targets: { [targets[0] ?? ""]: () => ({ ok: 70, failed: 30 }) } });
  expect(renderSummary(ramp, columns).split("\n")[0]).toMatch(/\bfailed %/);
});

test("names in other scripts stand in line", () => {
  const lines = renderSummary(aSweep({ targets: ["plain", "东京"], connections: [1] })).split("\n");
  expect(lines.slice(0, 3).map((line) => line.slice(0, 13))).toEqual([
    "target  conns",
    "plain       1",
    "东京        1  ",
  ]);
});

test("the verdict may be painted, and only that", () => {
  const paint = (text: string, status: string): string => `<${status}:${text}>`;
  const result = aSweep({ targets: ["pass"], connections: [1] });
  expect(renderSummary(result, 99, paint)).toContain("\nVerdict: <pass:pass>. The run went through.");
  expect(renderSummary(result, 99, paint).match(/</g)).toHaveLength(1);
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

test("says from which level on requests fail, unless a finding does", () => {
  const result = aSweep({
    targets: ["single"],
    connections: [50, 100],
    change: (step) => (step.level.connections === 100 ? withFailures(step, 0.2) : step),
  });
  const sentence =
    "single: requests begin to fail between 50 and 100 connections; none failed up to 50 connections, 30.0 % at 100 (unexpected status, resets).";
  const readSummary = (code: "SHEDS" | "DEGRADES", target: string): string => {
    const findings = [{ code, severity: "info", args: { target, kind: "connections", firstBad: 100 } }] as const;
    return renderSummary({ ...result, verdict: { status: "pass", findings } }).replaceAll(/\n +/g, " ");
  };
  expect(readSummary("DEGRADES", "single")).toContain(sentence);
  expect(readSummary("SHEDS", "other")).toContain(sentence);
  expect(readSummary("SHEDS", "single")).not.toContain("begin to fail");
});
