import { readdir } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { temporaryFolder } from "@lbbench/test-support/temporary-folder.js";
import { createFakeEngine, type FakeEngine } from "../testing/fake-engine.js";
import { createFakeServer } from "../testing/fake-server.js";
import { readResult } from "../store/read-result.js";
import { ramp, type RampInput, type SweepOptions } from "./sweep.js";

const INPUT: RampInput = {
  targets: [
    { name: "one", server: "fake" },
    { name: "two", server: "fake" },
  ],
  engine: "fake",
  ramp: { from: 10, to: 100, over: "9s", hold: "2s" },
  formats: ["md"],
};

function optionsFor(engine: FakeEngine = createFakeEngine()): SweepOptions {
  return { plugins: { servers: [createFakeServer()], engines: [engine] } };
}

describe("ramp", () => {
  it("raises the users of every target in every trial, leaves what became of them second by second, and asks the thresholds", async () => {
    const out = temporaryFolder();
    const { result } = await ramp({ ...INPUT, trials: 2, thresholds: ["p99<1ms"], out }, optionsFor());
    expect(result).toMatchObject({ complete: true, scenario: { name: "ramp", reference: "one" } });
    const level = { users: 100, durationMs: 11_000 };
    expect(result.steps).toMatchObject(["one", "two", "two", "one"].map((target) => ({ target, level })));
    expect(result.verdict.findings.map(({ code }) => code)).toContain("THRESHOLD_FAILED");
    for (const { measurement } of result.steps) {
      expect(measurement?.timeline.map(({ users }) => users)).toEqual([19, 29, 39, 49, 59, 69, 79, 89, 99, 100, 100]);
      expect(measurement?.timeline.at(-1)).toMatchObject({ failures: {}, p90: expect.any(Number) });
    }
    expect((await readResult(out)).result).toEqual(result);
    expect(await readdir(out)).toEqual(expect.arrayContaining(["report.md", "result.json"]));
  });

  it("warms up with the users that are there from the start, and no more", async () => {
    const engine = createFakeEngine();
    await ramp({ ...INPUT, targets: [{ name: "one", server: "fake" }], warmup: "300ms" }, optionsFor(engine));
    expect(engine.loads()).toMatchObject([
      { level: { users: 10, durationMs: 300 }, ramp: { from: 10, riseMs: 0 }, atEnd: "drain" },
      { level: { users: 100, durationMs: 11_000 }, ramp: { from: 10, riseMs: 9000, steps: null }, atEnd: "cut" },
    ]);
  });
});
