import { describe, expect, it } from "vitest";
import { compareResults } from "../judge/compare-results.js";
import { aRun, MARGINS, steady } from "../judge/test-support/compare-samples.js";
import { anEnvironment } from "../test-support/fixtures.js";
import { renderCompareText } from "./compare-text.js";

const SLOWER = compareResults(
  aRun({ connections: [1, 1000] }),
  aRun({ connections: [1, 1000], speed: steady(0.8) }),
  MARGINS,
);

describe("renderCompareText", () => {
  it("says the outcome, where it changed, the table, and what was compared", () => {
    const [outcome, change, , gap, head, first] = renderCompareText(SLOWER).split("\n");
    expect(outcome).toBe("B is worse than A beyond the margin of 5 %.");
    expect(change).toBe(
      "single: lower throughput at 1 / 1,000 connections (-20.0 %); higher p50 at 1 / 1,000 connections",
    );
    expect(gap).toBe("");
    expect(head).toBe("Connections  Metric          A      B    Change (95 % interval)  Difference  Worse");
    expect(first).toMatch(/^ {10}1 {2}Requests\/s {2}1,035 {4}828 {2}-20\.0 % \(-\S+ to -\S+\) {2}slower {6}yes$/);
    expect(renderCompareText(SLOWER)).toMatch(/\.\n$/);
  });

  it("names the target above its table where there are several", () => {
    const shape = { targets: ["single", "balanced"] };
    const text = renderCompareText(compareResults(aRun(shape), aRun(shape), MARGINS));
    expect(text).toMatch(/\n\nsingle\nConnections .*\n\nbalanced\nConnections /s);
  });

  it("keeps to the width of the terminal, sentences wrapped", () => {
    const lines = renderCompareText(SLOWER, 90).split("\n");
    expect(Math.max(...lines.map(({ length }) => length))).toBeLessThanOrEqual(90);
    expect(lines).toContain("  connections (+25.0 %); higher p99 at 1 / 1,000 connections (+25.0 %).");
  });

  it("lets no escape sequence through, and no line break of a name", () => {
    const name = "\u001B[31mred\nline\u202E";
    const shape = { targets: [name, "y"], scenario: { name } };
    const text = renderCompareText(
      compareResults(
        aRun(shape),
        aRun({
          ...shape,
          speed: steady(0.5),
          result: { environment: anEnvironment({ kernel: name, cpuModel: name }) },
        }),
        MARGINS,
      ),
    );
    expect(text).not.toContain("\u001B");
    expect(text).not.toContain("\u202E");
    expect(text).not.toMatch(/^line/m);
    expect(text).toContain("Not compared: another machine: cpuModel Sample CPU in A");
  });
});
