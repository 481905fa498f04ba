import { readdir } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { temporaryFolder } from "@lbbench/test-support/temporary-folder.js";
import type { FakeRun } from "../testing/fake-engine.js";
import { createFakeEngine } from "../testing/fake-engine.js";
import { createFakeServer } from "../testing/fake-server.js";
import { readResult } from "../store/read-result.js";
import type { Load } from "../plugin.js";
import { resume } from "./resume.js";
import { search, type SearchInput, type SweepOptions } from "./sweep.js";

const INPUT: SearchInput = {
  targets: [{ name: "one", server: "fake" }],
  engine: "fake",
  duration: "2s",
  warmup: "0",
  formats: ["md"],
};

function optionsFor(see: (load: Load) => FakeRun): SweepOptions {
  return { plugins: { servers: [createFakeServer()], engines: [createFakeEngine({ see })] } };
}

/** A target that refuses a request when there are more connections than that. */
const upTo = (limit: number): SweepOptions =>
  optionsFor(({ level: { connections = 0 } }) => (connections > limit ? { requests: { non2xx: 1 } } : {}));

describe("search", () => {
  it("finds the largest number of connections that holds, and leaves every step and a report", async () => {
    const out = temporaryFolder();
    const { result } = await search({ ...INPUT, out, search: { beyond: 1.25 } }, upTo(45));
    expect(result.search).toMatchObject([
      { target: "one", status: "found", held: 45, broken: 46, beyond: { value: 56, broken: 3 } },
    ]);
    expect(result).toMatchObject({ complete: true, verdict: { status: "pass" } });
    expect(result.scenario).toMatchObject({
      name: "max",
      trials: 3,
      timeoutMs: 1500,
      levels: [{ connections: 1, durationMs: 2000 }],
      thresholds: [{ source: "errors<=0" }],
      search: { by: "connections", needed: 2 },
    });
    expect((await readResult(out)).result).toEqual(result);
    expect((await readdir(out)).toSorted()).toEqual(["report.md", "result.json"]);
  });

  it("goes by the thresholds that it is given, and by failed requests unless one is about errors", async () => {
    // 100 connections are the first with a mean of 20 ms.
    const slow = optionsFor(() => ({ capacity: 5000 }));
    const { result } = await search({ ...INPUT, thresholds: ["mean<20ms"] }, slow);
    expect(result.scenario.thresholds.map(({ source }) => source)).toEqual(["errors<=0", "mean<20ms"]);
    expect(result.search?.[0]?.held).toBeGreaterThan(95);
    expect(result.search?.[0]?.held).toBeLessThan(100);
    const allowed = await search({ ...INPUT, thresholds: ["errors<1%"], search: { most: 60 } }, upTo(45));
    expect(allowed.result.search).toMatchObject([{ status: "unbounded", held: 60 }]);
  });

  it("goes on after an interruption to the same end", async () => {
    const out = temporaryFolder();
    const controller = new AbortController();
    const onEvent: SweepOptions["onEvent"] = (event) => {
      if (event.type === "step" && event.index === 15) controller.abort();
    };
    const { result: begun } = await search({ ...INPUT, out }, { ...upTo(45), signal: controller.signal, onEvent });
    const verdict = { status: "inconclusive" };
    expect(begun).toMatchObject({ complete: false, search: [{ status: "unfinished" }], verdict });
    const { result } = await resume(out, upTo(45));
    const { result: whole } = await search(INPUT, upTo(45));
    expect(result).toMatchObject({ complete: true, verdict: { status: "pass" } });
    expect(result.search).toEqual(whole.search);
    expect(result.steps).toMatchObject(whole.steps.map(({ level, trial }) => ({ level, trial })));
  });
});
