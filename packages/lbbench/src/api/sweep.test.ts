import { mkdirSync, readFileSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { temporaryFolder } from "@lbbench/test-support/temporary-folder.js";
import { ConfigError } from "../config/config-error.js";
import type { SweepInput } from "../config/sweep-input.js";
import type { Engine } from "../plugin.js";
import type { SweepEvent } from "../run/sweep-event.js";
import { StartError } from "../system/program.js";
import { readResult } from "../store/read-result.js";
import { createFakeEngine, type FakeEngineOptions } from "../testing/fake-engine.js";
import { createFakeServer, type FakeServerOptions } from "../testing/fake-server.js";
import { defaultReportFolder, sweep, type SweepOptions, type SweepOutcome } from "./sweep.js";

let out: string;
beforeEach(() => {
  out = temporaryFolder();
});

const TWO_TARGETS: SweepInput = {
  targets: [
    { name: "one", server: "fake" },
    { name: "two", server: "fake", options: { backends: 4 } },
  ],
  engine: "fake",
  connections: [1, 10, 100],
  duration: "3s",
  warmup: "0",
  trials: 2,
  formats: ["md"],
};

interface Behaviour {
  readonly server?: FakeServerOptions;
  readonly engine?: FakeEngineOptions;
  /** Called with every event and what stops the sweep. */
  readonly onEvent?: (event: SweepEvent, controller: AbortController) => void;
}

function faked(input: SweepInput, { server: serving, engine, onEvent }: Behaviour = {}) {
  const server = createFakeServer(serving);
  const controller = new AbortController();
  const events: SweepEvent[] = [];
  const options: SweepOptions = {
    plugins: { servers: [server], engines: [createFakeEngine(engine)] },
    signal: controller.signal,
    onEvent: (event) => {
      events.push(event);
      onEvent?.(event, controller);
    },
  };
  return { server, events, run: () => sweep({ ...TWO_TARGETS, out, ...input }, options) };
}

function brief({ result }: SweepOutcome): readonly string[] {
  return result.steps.map(({ target, level, trial, state }) => `${trial} ${level.connections} ${target} ${state}`);
}

const codesOf = ({ result }: SweepOutcome): readonly string[] => result.verdict.findings.map(({ code }) => code);

describe("a sweep", () => {
  it("executes every step once, targets of a level next to one another, with a target that lives for a trial", async () => {
    const { run, server } = faked({});
    const outcome = await run();
    const first = ["1 1 one", "1 1 two", "1 10 two", "1 10 one", "1 100 one", "1 100 two"];
    const second = ["2 1 two", "2 1 one", "2 10 one", "2 10 two", "2 100 two", "2 100 one"];
    expect(brief(outcome)).toEqual([...first, ...second].map((step) => `${step} completed`));
    expect(outcome.result).toMatchObject({ complete: true, command: null, verdict: { status: "pass" } });
    expect(codesOf(outcome)).toEqual(["NO_WARMUP", "UNTESTED", "PEAK", "PEAK"]);
    expect(server.running()).toBe(0);
    expect(server.starts()).toBe(4);
  });

  it("tells what it does in the order in which it happens", async () => {
    const { run, events } = faked({ connections: [1], trials: 1, warmup: "1s" });
    await run();
    const step = "step, warming up, measuring, progress, progress, step-done, partial";
    expect(events.map((event) => (event.type === "phase" ? event.phase : event.type)).join(", ")).toBe(
      `start, partial, check, check, ${step}, ${step}, done`,
    );
    expect(events[0]).toMatchObject({ total: 2, scenario: { engine: { name: "fake" } } });
    const partial = events.flatMap((event) => (event.type === "partial" ? event.result : []));
    expect(partial.map(({ steps, complete, finishedAt }) => [steps.length, complete, finishedAt])).toEqual([
      [0, false, null],
      [1, false, null],
      [2, false, null],
    ]);
    expect(events.flatMap((event) => (event.type === "progress" ? [event.share] : []))).toEqual([0.5, 1, 0.5, 1]);
  });

  it("lasts as long as it did, although the clock is set back meanwhile", async () => {
    vi.useFakeTimers({ toFake: ["Date"], now: Date.UTC(2026, 6, 1) });
    onTestFinished(() => void vi.useRealTimers());
    const onEvent: Behaviour["onEvent"] = ({ type }) => void (type === "step" && vi.setSystemTime(0));
    const beganMs = performance.now();
    const { startedAt, finishedAt } = (await faked({ trials: 1 }, { onEvent }).run()).result;
    const lastedMs = Date.parse(finishedAt ?? "") - Date.parse(startedAt);
    expect(lastedMs).toBeGreaterThanOrEqual(0);
    expect(lastedMs).toBeLessThanOrEqual(performance.now() - beganMs);
  });

  it("has written the steps done so far whenever another one is done, and leaves a report at the end", async () => {
    const written: unknown[] = [];
    const onEvent: Behaviour["onEvent"] = ({ type }) => {
      if (type !== "step-done") return;
      const { steps, complete, finishedAt } = JSON.parse(readFileSync(join(out, "result.json"), "utf8"));
      written.push({ steps: steps.length, complete, finishedAt });
    };
    const { result, files, folder, problems } = await faked({ trials: 1 }, { onEvent }).run();
    expect(written).toEqual([1, 2, 3, 4, 5, 6].map((steps) => ({ steps, complete: false, finishedAt: null })));
    expect((await readResult(out)).result).toEqual(result);
    expect({ problems, folder }).toEqual({ problems: [], folder: out });
    expect(files.toSorted()).toEqual(["report.md", "result.json"].map((name) => join(out, name)));
    expect((await readdir(out)).toSorted()).toEqual(["report.md", "result.json"]);
  });

  it("measures no higher level where a stop rule was met, says so, and is complete", async () => {
    const see: FakeEngineOptions["see"] = ({ level }) =>
      level.connections === 10 ? { requests: { non2xx: 1000 } } : {};
    const { run, events } = faked({ stopOn: ["errors>10%"] }, { engine: { see } });
    const outcome = await run();
    expect(brief(outcome).filter((step) => step.includes(" 100 "))).toEqual([]);
    expect(outcome.result).toMatchObject({ complete: true, steps: { length: 8 }, verdict: { status: "pass" } });
    const found = outcome.result.verdict.findings.filter(({ code }) => code === "STOPPED_EARLY");
    expect(found.map(({ args }) => [args["target"], args["connections"], args["skipped"]])).toEqual([
      ["two", 10, 1],
      ["one", 10, 1],
    ]);
    expect(events.flatMap((event) => ("total" in event ? [event.total] : []))).toEqual([12, 10, 8]);
  });

  it("ends with what it has when it is aborted in the middle of a step", async () => {
    const onEvent: Behaviour["onEvent"] = (event, controller) => {
      if (event.type === "progress" && event.step.level.connections === 10) controller.abort();
    };
    const { run, server, events } = faked({}, { onEvent });
    const outcome = await run();
    expect(brief(outcome)).toEqual(["1 1 one completed", "1 1 two completed", "1 10 two aborted"]);
    expect(outcome.result).toMatchObject({ complete: false, finishedAt: expect.any(String) });
    expect(outcome.result.steps[2]?.measurement?.requests.ok).toBeGreaterThan(0);
    expect(codesOf(outcome)).toContain("INTERRUPTED");
    expect((await readResult(out)).result.steps).toHaveLength(3);
    expect(events.at(-1)?.type).toBe("done");
    expect(server.running()).toBe(0);
  });

  it("throws what a listener throws, when nothing is left running", async () => {
    const onEvent: Behaviour["onEvent"] = ({ type }) => {
      if (type === "progress") throw new Error("the terminal is gone");
    };
    const { run, server } = faked({}, { onEvent });
    await expect(run()).rejects.toThrow("the terminal is gone");
    expect(server.running()).toBe(0);
    expect((await readResult(out)).result.steps).toHaveLength(1);
  });

  it("ends with what the promise of a listener rejects with", async () => {
    const onEvent = (async ({ type }: SweepEvent) => {
      if (type === "step-done") throw new Error("no luck");
    }) as unknown as (event: SweepEvent) => void;
    const plugins = { servers: [createFakeServer()], engines: [createFakeEngine()] };
    await expect(sweep({ ...TWO_TARGETS, out }, { plugins, onEvent })).rejects.toThrow("no luck");
  });

  it("leaves what it is given as it was", async () => {
    const health = { deep: [{ more: 1 }] };
    await faked({ targets: [{ name: "one", server: "fake", options: { health } }], connections: [1] }).run();
    expect([health, health.deep, health.deep[0]].map((one) => Object.isFrozen(one))).toEqual([false, false, false]);
  });

  it("takes a plugin in place of the built-in one of the same name", async () => {
    const { run, server } = faked({ targets: ["single"], trials: 1 }, { server: { name: "single" } });
    expect((await run()).result.scenario.targets).toEqual([{ name: "single", server: "single", options: {} }]);
    expect(server.starts()).toBe(1);
  });
});

describe("a sweep is refused", () => {
  it("for a plugin that is nearly called so", async () => {
    const run = faked({ targets: [{ name: "a", server: "fkae" }] }).run();
    await expect(run).rejects.toThrow('got "fkae". Did you mean "fake"?');
  });

  it("where its report cannot be written, and says how to make that of the result, which is kept", async () => {
    mkdirSync(join(out, "report.md"));
    await expect(faked({}).run()).rejects.toThrow(
      `. Choose another one with --out DIR. The result is kept: lbbench report ${out} --out DIR makes its report there.`,
    );
    expect((await readResult(out)).result.steps).toHaveLength(12);
  });

  it("before any load is sent when a target cannot be started", async () => {
    const engine = createFakeEngine();
    const server = createFakeServer({
      onStart: ({ backends }) => {
        if (backends === 4) throw new Error("no such program");
      },
    });
    const started = sweep({ ...TWO_TARGETS, out }, { plugins: { servers: [server], engines: [engine] } });
    await expect(started).rejects.toThrow(new StartError('The target "two" could not be started: no such program'));
    expect(engine.loads()).toEqual([]);
    expect(server.running()).toBe(0);
  });

  it("before anything is started when an engine, which is asked, says that it cannot", async () => {
    const asked: unknown[] = [];
    const engine: Engine = {
      ...createFakeEngine(),
      check: async ({ request }, { folder }) => {
        asked.push([request.body, folder]);
        throw new Error("there is no such file");
      },
    };
    const server = createFakeServer();
    const input: SweepInput = { ...TWO_TARGETS, request: { body: "{}" }, out };
    const run = sweep(input, { plugins: { servers: [server], engines: [engine] }, folder: "/some/where" });
    await expect(run).rejects.toThrow(new ConfigError("engine fake: there is no such file"));
    expect(asked).toEqual([["{}", "/some/where"]]);
    expect(server.starts()).toBe(0);
    expect(await readdir(out)).toEqual([]);
  });
});

it.each([
  ["nightly", "nightly"],
  ["../../etc", "etc"],
  ["a b/c|d", "a-b-c-d"],
  ["...", "sweep"],
])("the folder of the report of %j is named after the run and its start, inside that of reports", (name, safe) => {
  const start = new Date("2026-11-21T14:03:12.057Z");
  expect(defaultReportFolder(name, start)).toBe(`reports/${safe}-20261121-140312-057`);
});
