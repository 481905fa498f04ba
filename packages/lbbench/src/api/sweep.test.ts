import { readFileSync } from "node:fs";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ConfigError } from "../config/config-error.js";
import type { SweepInput } from "../config/sweep-input.js";
import type { Engine, Server } from "../plugin.js";
import type { SweepEvent } from "../run/sweep-event.js";
import { StartError } from "../servers/start-error.js";
import { readResult } from "../store/read-result.js";
import { createFakeEngine, type FakeEngineOptions } from "../testing/fake-engine.js";
import { createFakeServer, type FakeServer, type FakeServerOptions } from "../testing/fake-server.js";
import type { SweepOptions, SweepOutcome } from "./run-scenario.js";
import { sweep } from "./sweep.js";

let out: string;
beforeEach(async () => {
  out = await mkdtemp(join(tmpdir(), "lbbench-sweep-"));
});
afterEach(() => rm(out, { recursive: true, force: true }));

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

interface Faked {
  readonly server: FakeServer;
  readonly events: readonly SweepEvent[];
  readonly run: () => Promise<SweepOutcome>;
}

function faked(
  input: SweepInput,
  behaviour: { readonly server?: FakeServerOptions; readonly engine?: FakeEngineOptions } = {},
  options: SweepOptions = {},
): Faked {
  const server = createFakeServer(behaviour.server);
  const plugins = { servers: [server], engines: [createFakeEngine(behaviour.engine)] };
  const events: SweepEvent[] = [];
  const onEvent = (event: SweepEvent): void => {
    events.push(event);
    options.onEvent?.(event);
  };
  return {
    server,
    events,
    run: () => sweep({ ...TWO_TARGETS, out, ...input }, { ...options, plugins, onEvent }),
  };
}

function brief({ result }: SweepOutcome): readonly string[] {
  return result.steps.map(({ target, level, trial, state }) => `${trial} ${level.connections} ${target} ${state}`);
}

describe("sweep", () => {
  it("executes every step once, with the targets of a level next to one another", async () => {
    const { run, server } = faked({});
    const outcome = await run();
    expect(brief(outcome)).toEqual([
      "1 1 one completed",
      "1 1 two completed",
      "1 10 two completed",
      "1 10 one completed",
      "1 100 one completed",
      "1 100 two completed",
      "2 1 two completed",
      "2 1 one completed",
      "2 10 one completed",
      "2 10 two completed",
      "2 100 two completed",
      "2 100 one completed",
    ]);
    expect(outcome.result).toMatchObject({ complete: true, command: null, verdict: { status: "pass" } });
    expect(outcome.result.verdict.findings.map(({ code }) => code)).toEqual(["NO_WARMUP"]);
    expect(server.running()).toBe(0);
    // Every target was started once to see that it can be, and once for each step.
    expect(server.starts()).toBe(2 + 12);
  });

  it("tells what it does in the order in which it happens", async () => {
    const { run, events } = faked({ connections: [1], trials: 1, warmup: "1s" });
    await run();
    const step = "step, starting, warming up, measuring, progress, progress, stopping, step-done, partial";
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
    expect(events.filter(({ type }) => type === "progress").map((event) => "share" in event && event.share)).toEqual([
      0.5, 1, 0.5, 1,
    ]);
  });

  it("has written the steps done so far whenever another one is done", async () => {
    const written: unknown[] = [];
    const { run } = faked(
      { trials: 1 },
      {},
      {
        onEvent: ({ type }) => {
          if (type !== "step-done") return;
          const { steps, complete, finishedAt } = JSON.parse(readFileSync(join(out, "result.json"), "utf8"));
          written.push({ steps: steps.length, complete, finishedAt });
        },
      },
    );
    const { result } = await run();
    expect(written).toEqual([1, 2, 3, 4, 5, 6].map((steps) => ({ steps, complete: false, finishedAt: null })));
    expect((await readResult(out)).result).toEqual(result);
  });

  it("leaves result.json, the report and its charts, and nothing else", async () => {
    const { files, folder, problems } = await faked({ formats: ["md", "json", "png"] }).run();
    expect(problems).toEqual([]);
    expect(folder).toBe(out);
    const names = (await readdir(out)).toSorted();
    expect(names.filter((name) => !name.endsWith(".png"))).toEqual(["report.md", "result.json"]);
    expect(names.length).toBeGreaterThan(2);
    expect(files.toSorted()).toEqual(names.map((name) => join(out, name)));
  });

  it("makes one finding of what it noticed at several levels, with the worst of them", async () => {
    const { run } = faked(
      { trials: 1 },
      {
        engine: {
          see: ({ level: { connections = 0 } }) => (connections > 1 ? { requests: { non2xx: connections } } : {}),
        },
      },
    );
    const { result } = await run();
    const found = result.verdict.findings.filter(({ code }) => code === "NON_2XX");
    expect(found.map(({ args }) => [args["target"], args["levels"], args["connections"]])).toEqual([
      ["two", "10, 100", 100],
      ["one", "10, 100", 100],
    ]);
    expect(result.steps.map(({ findings }) => findings.length)).toEqual([0, 0, 1, 1, 1, 1]);
  });

  it.each([
    ["pass", ["p99<1s"]],
    ["fail", ["throughput>1000000"]],
  ])("judges its thresholds: %s", async (status, thresholds) => {
    const { result } = await faked({ thresholds }).run();
    expect(result.verdict.status).toBe(status);
  });

  it("measures no higher level where a stop rule was met, says so, and is complete", async () => {
    const { run, events } = faked(
      { stopOn: ["errors>10%"], trials: 2 },
      {
        engine: { see: ({ level: { connections = 0 } }) => (connections === 10 ? { requests: { non2xx: 1000 } } : {}) },
      },
    );
    const outcome = await run();
    expect(brief(outcome)).toEqual([
      "1 1 one completed",
      "1 1 two completed",
      "1 10 two completed",
      "1 10 one completed",
      "2 1 two completed",
      "2 1 one completed",
      "2 10 one completed",
      "2 10 two completed",
    ]);
    expect(outcome.result).toMatchObject({ complete: true, verdict: { status: "pass" } });
    const found = outcome.result.verdict.findings.filter(({ code }) => code === "STOPPED_EARLY");
    expect(found.map(({ args }) => [args["target"], args["connections"], args["skipped"]])).toEqual([
      ["two", 10, 1],
      ["one", 10, 1],
    ]);
    expect(events.flatMap((event) => ("total" in event ? [event.total] : []))).toEqual([12, 10, 8]);
  });

  it("shuffles its steps by a seed where it is asked to", async () => {
    const orderOf = async (seed: number): Promise<readonly string[]> =>
      brief(await faked({ order: "random", seed, trials: 2 }).run());
    const order = await orderOf(3);
    expect(order).toHaveLength(12);
    expect(await orderOf(3)).toEqual(order);
    expect(await orderOf(4)).not.toEqual(order);
  });

  it("ends with what it has when it is aborted in the middle of a step", async () => {
    const controller = new AbortController();
    const { run, server, events } = faked(
      {},
      {},
      {
        signal: controller.signal,
        onEvent: (event) => {
          if (event.type === "progress" && event.step.level.connections === 10) controller.abort();
        },
      },
    );
    const outcome = await run();
    expect(brief(outcome)).toEqual(["1 1 one completed", "1 1 two completed", "1 10 two aborted"]);
    expect(outcome.result).toMatchObject({ complete: false, finishedAt: expect.any(String) });
    expect(outcome.result.steps[2]?.measurement?.requests.ok).toBeGreaterThan(0);
    expect(outcome.result.verdict.findings.map(({ code }) => code)).toContain("INTERRUPTED");
    expect((await readResult(out)).result.steps).toHaveLength(3);
    expect(events.at(-1)?.type).toBe("done");
    expect(server.running()).toBe(0);
  });

  it("is not complete when it was aborted before the first step, and has measured nothing", async () => {
    const { result } = await faked({}, {}, { signal: AbortSignal.abort() }).run();
    expect(result).toMatchObject({ complete: false, steps: [], verdict: { status: "inconclusive" } });
  });

  it("is complete when it was aborted after the last step", async () => {
    const controller = new AbortController();
    const { run } = faked(
      { connections: 1, trials: 1 },
      {},
      {
        signal: controller.signal,
        onEvent: (event) => {
          if (event.type === "step-done" && event.index === 1) controller.abort();
        },
      },
    );
    expect((await run()).result.complete).toBe(true);
  });

  it("records a step that failed and goes on", async () => {
    const { run, server } = faked(
      { trials: 1 },
      {
        engine: {
          see: (_, number) => {
            if (number === 2) throw new Error("no load today");
            return {};
          },
        },
      },
    );
    const outcome = await run();
    expect(brief(outcome).map((step) => step.split(" ").at(-1))).toEqual([
      "completed",
      "failed",
      ...Array.from({ length: 4 }, () => "completed"),
    ]);
    expect(outcome.result.steps[1]).toMatchObject({ error: { code: "STEP_FAILED", message: "no load today" } });
    expect(outcome.result).toMatchObject({ complete: true, verdict: { status: "inconclusive" } });
    expect(server.running()).toBe(0);
  });

  it.each([{ search: { by: "rate" } }, { ramp: { to: 5 } }] as const)("refuses %j", async (input) => {
    const options = { plugins: { servers: [createFakeServer()], engines: [createFakeEngine()] } };
    await expect(sweep({ ...TWO_TARGETS, ...input }, options)).rejects.toThrow(
      `${Object.keys(input).join("")}: expected nothing of the kind in a sweep.`,
    );
  });

  it("rejects before any load is sent when a target cannot be started", async () => {
    const engine = createFakeEngine();
    const server = createFakeServer({
      onStart: ({ backends }) => {
        if (backends === 4) throw new Error("no such program");
      },
    });
    const started = sweep({ ...TWO_TARGETS, out }, { plugins: { servers: [server], engines: [engine] } });
    await expect(started).rejects.toThrow(StartError);
    await expect(started).rejects.toThrow('The target "two" could not be started: no such program');
    expect(engine.loads()).toEqual([]);
    expect(server.running()).toBe(0);
  });

  it("gives every step and trial a target that was started anew", async () => {
    const running: number[] = [];
    const { run, server } = faked(
      {},
      {},
      {
        onEvent: (event) => {
          if (event.type === "phase" && event.phase === "measuring") running.push(server.running());
        },
      },
    );
    await run();
    expect(running).toEqual(Array.from({ length: 12 }, () => 1));
  });

  it("throws what a listener throws, when nothing is left running", async () => {
    const { run, server } = faked(
      {},
      {},
      {
        onEvent: (event) => {
          if (event.type === "progress") throw new Error("the terminal is gone");
        },
      },
    );
    await expect(run()).rejects.toThrow("the terminal is gone");
    expect(server.running()).toBe(0);
    expect((await readResult(out)).result.steps).toHaveLength(1);
  });

  it("takes a plugin in place of the built-in one of the same name", async () => {
    const { run, server } = faked({ targets: ["single"] }, { server: { name: "single" } });
    expect((await run()).result.scenario.targets).toEqual([{ name: "single", server: "single", options: {} }]);
    expect(server.starts()).toBe(7);
  });

  it("asks every engine whether it can, before anything is started", async () => {
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

  it("refuses a name that neither it nor a plugin knows", async () => {
    const plugins: { readonly servers: readonly Server[]; readonly engines: readonly Engine[] } = {
      servers: [createFakeServer({ name: "caddy" })],
      engines: [],
    };
    const asked = sweep({ targets: [{ name: "a", server: "cady" }] }, { plugins });
    await expect(asked).rejects.toThrow(/got "cady".*caddy/);
  });
});
