import { AssertionError } from "node:assert";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { assertMeets, assertNoSlowerThan, assertPasses } from "./assert.js";
import { aRun, judged } from "./judge/test-support/compare-samples.js";
import type { RunShape } from "./judge/test-support/compare-samples.js";

const folder = mkdtempSync(join(tmpdir(), "lbbench-assert-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const pair = (times: number): RunShape => ({
  targets: ["base", "new"],
  speed: (trial, _, target) => (1 + trial / 500) / (target === "new" ? times : 1),
});
const run = judged(aRun({ trials: 5 }));
const slow = judged(aRun(pair(1.4)));
const failing = judged(aRun({ failed: () => 0.01 }));
const cutShort = { ...run, complete: false };

function errorOf(assertion: () => void): AssertionError {
  try {
    assertion();
  } catch (error) {
    if (error instanceof AssertionError) return error;
    throw error;
  }
  throw new Error("expected an AssertionError, and nothing was thrown");
}

describe("the assertions", () => {
  it("let pass what holds", () => {
    expect(() => {
      assertMeets(run, "p99<1s");
      assertMeets({ result: run }, "errors<=0");
      assertNoSlowerThan(slow, "new", { margin: "10%" });
      assertPasses(run);
    }).not.toThrow();
  });

  it.each([
    ["assertMeets", () => assertMeets(slow, "p99<160ms"), "p99<160ms", "new at 50 connections (3 s)"],
    ["assertMeets", () => assertMeets(failing, "errors<=0"), "errors<=0", "errors<=0 missed in"],
    ["assertNoSlowerThan", () => assertNoSlowerThan(slow, "base"), "worse by at most 5 %", "new at 50 connections"],
    ["assertPasses", () => assertPasses({ ...run, verdict: { status: "fail", findings: [] } }), "pass", "fail"],
  ] as const)("throw an AssertionError for what does not: %s", (operator, assertion, expected, actual) => {
    const error = errorOf(assertion);
    expect(error).toMatchObject({ operator, expected });
    expect(error.actual).toContain(actual);
    expect(error.message).toContain("but that is not so");
    expect(error.stack).not.toContain("at check");
  });

  it.each([
    ["assertMeets", () => assertMeets(cutShort, "p99<1s")],
    ["assertNoSlowerThan", () => assertNoSlowerThan({ ...slow, complete: false }, "new")],
    ["assertPasses", () => assertPasses(cutShort)],
  ] as const)("throw one for what cannot be told: %s", (_, assertion) => {
    expect(errorOf(assertion).message).toContain("but that cannot be told");
  });

  it("compare with a result that was written, by its path or that of its folder", () => {
    const base = judged(aRun({ ...pair(1), result: { startedAt: "2026-01-02T00:00:00.000Z" } }));
    writeFileSync(join(folder, "result.json"), JSON.stringify(base));
    const other = slow;
    for (const path of [folder, join(folder, "result.json")]) {
      expect(errorOf(() => assertNoSlowerThan(other, path)).message).toContain("but that is not so");
      expect(() => assertNoSlowerThan(other, path, { margin: "60%" })).not.toThrow();
    }
    expect(() => assertNoSlowerThan(other, join(folder, "nothing.json"))).toThrow("cannot be read: no such file");
    writeFileSync(join(folder, "other.json"), "[]");
    expect(() => assertNoSlowerThan(run, join(folder, "other.json"))).toThrow("other.json says nothing of the sort");
  });
});
