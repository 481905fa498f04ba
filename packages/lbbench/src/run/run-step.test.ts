import { describe, expect, it, vi } from "vitest";
import type { Engine, RunningServer } from "../plugin.js";
import { createFakeEngine, type FakeEngineOptions } from "../testing/fake-engine.js";
import { createFakeServer, type FakeServer, type FakeServerOptions } from "../testing/fake-server.js";
import { anEnvironment, aScenario } from "../test-support/fixtures.js";
import { runStep, type StepContext } from "./run-step.js";
import { createStartTarget } from "./start-target.js";

const KEY = { target: "single", level: { connections: 4, requests: 400 }, trial: 1 };

interface Setup {
  readonly server: FakeServer;
  readonly context: StepContext;
}

function setUp(
  server: FakeServerOptions = {},
  engine: FakeEngineOptions = {},
  { engine: given, ...context }: Partial<StepContext> & { readonly engine?: Engine } = {},
): Setup {
  const scenario = aScenario({ warmupMs: 0 });
  const fake = createFakeServer({ ...server, name: "single" });
  return {
    server: fake,
    context: {
      scenario,
      environment: anEnvironment(),
      engines: byName(given ?? createFakeEngine(engine)),
      folder: ".",
      children: { acquire: () => [], close: async () => {} },
      signal: new AbortController().signal,
      startTarget: createStartTarget(scenario, { servers: new Map([["single", fake]]), folder: ".", env: {} }),
      onPhase: () => {},
      onProgress: () => {},
      ...context,
    },
  };
}

/** The engine that the scenario of these tests names. */
function byName(engine: Engine): ReadonlyMap<string, Engine> {
  return new Map([[aScenario().engine.name, engine]]);
}

describe("runStep", () => {
  it("measures the level that was asked for and stops the target", async () => {
    const { context, server } = setUp();
    const step = await runStep(KEY, context);
    expect(step).toMatchObject({ ...KEY, engine: "fake", state: "completed", measurement: { requests: { ok: 400 } } });
    expect(server.running()).toBe(0);
  });

  it("warms up with the connections of the level, and lets every request of it end", async () => {
    const engine = createFakeEngine();
    const { context } = setUp({}, {}, { engine, scenario: aScenario({ warmupMs: 250 }) });
    await runStep(KEY, context);
    expect(engine.loads().map(({ level, atEnd }) => [level, atEnd])).toEqual([
      [{ connections: 4, durationMs: 250 }, "drain"],
      [KEY.level, "cut"],
    ]);
  });

  it.each([
    ["http://127.0.0.1:8080", "/index?a=b", "http://127.0.0.1:8080/index?a=b"],
    ["http://127.0.0.1:8080", "//other.test/a", "http://127.0.0.1:8080//other.test/a"],
    ["http://127.0.0.1:8080/own", "/index", "http://127.0.0.1:8080/own"],
    ["http://127.0.0.1:8080/?own=1", "/index", "http://127.0.0.1:8080/?own=1"],
  ])("asks %s with the path %s at %s", async (url, path, asked) => {
    const engine = createFakeEngine();
    const scenario = aScenario({ warmupMs: 0, request: { ...aScenario().request, path } });
    const { context } = setUp({ url }, {}, { engine, scenario });
    await runStep(KEY, context);
    expect(engine.loads().map((load) => load.url)).toEqual([asked]);
  });

  it("hands the mix over, and none where there is none", async () => {
    const { request } = aScenario();
    const mix = [{ name: "a", weight: 2, request, bodies: null }];
    for (const given of [mix, null]) {
      const engine = createFakeEngine();
      const { context } = setUp({}, {}, { engine, scenario: aScenario({ warmupMs: 0, mix: given }) });
      await runStep(KEY, context);
      expect(engine.loads().map((load) => load.mix)).toEqual([given ?? undefined]);
      expect(Object.hasOwn(engine.loads()[0] ?? {}, "mix")).toBe(given !== null);
    }
  });

  it("keeps what was counted of a target that died while it was measured", async () => {
    const { context, server } = setUp({}, {}, { onProgress: () => server.die("the server ended with exit code 3") });
    const step = await runStep(KEY, context);
    expect(step).toMatchObject({
      state: "failed",
      error: { code: "TARGET_DIED", message: "the server ended with exit code 3" },
      measurement: { requests: { ok: 200 } },
    });
    expect(step.findings.map(({ code }) => code)).toContain("TARGET_DIED");
    expect(server.running()).toBe(0);
  });

  it("measures nothing of a target that died while it was warmed up", async () => {
    const { context, server } = setUp(
      {},
      {
        see: () => {
          server.die("gone");
          return {};
        },
      },
      { scenario: aScenario({ warmupMs: 100 }) },
    );
    const step = await runStep(KEY, context);
    expect(step).toMatchObject({ state: "failed", error: { code: "TARGET_DIED", message: "gone" } });
    expect(step.measurement).toBeUndefined();
  });

  it("blames the death of the target, not the engine that stumbles over it", async () => {
    const { context, server } = setUp({}, {}, {});
    const engine = {
      ...createFakeEngine(),
      run: async () => {
        server.die("gone");
        await new Promise(setImmediate);
        throw new Error("nobody there");
      },
    };
    expect(await runStep(KEY, { ...context, engines: byName(engine) })).toMatchObject({
      state: "failed",
      error: { code: "TARGET_DIED", message: "gone" },
    });
  });

  it("takes a death that cannot be told for one all the same", async () => {
    const { context } = setUp();
    const startTarget = async (): Promise<RunningServer> => ({
      url: "http://127.0.0.1:1",
      processes: [],
      died: Promise.reject(new Error("the watcher failed")),
      stop: async () => {},
    });
    expect(await runStep(KEY, { ...context, startTarget })).toMatchObject({
      error: { code: "TARGET_DIED", message: "Error: the watcher failed" },
    });
  });

  it("says that the target died when the engine gave it up", async () => {
    const { context } = setUp({}, { see: () => ({ targetGone: true, requests: { ok: 3, connectErrors: 5 } }) });
    expect(await runStep(KEY, context)).toMatchObject({
      state: "failed",
      error: { code: "TARGET_DIED", message: "nothing answered any more for 10000 ms" },
      measurement: { requests: { ok: 3, connectErrors: 5 } },
    });
  });

  it("fails with the code and the message of what the engine throws, and ends the sampler and the target", async () => {
    const ended = vi.spyOn(globalThis, "clearInterval");
    const begun = vi.spyOn(globalThis, "setInterval");
    const { context, server } = setUp();
    const engine = {
      ...createFakeEngine(),
      run: (async (_load, { onStart }) => {
        await onStart?.([]);
        throw Object.assign(new Error("the generator ended"), { code: "CHILD_DIED" });
      }) as Engine["run"],
    };
    expect(await runStep(KEY, { ...context, engines: byName(engine) })).toMatchObject({
      state: "failed",
      error: { code: "CHILD_DIED", message: "the generator ended" },
    });
    expect(begun).toHaveBeenCalledOnce();
    expect(ended).toHaveBeenCalledWith(begun.mock.results[0]?.value);
    expect(server.running()).toBe(0);
    vi.restoreAllMocks();
  });

  it.each([
    [undefined, /^the engine "fake": expected its run to resolve with \{ measurement, generators, targetGone \}, but /],
    [{}, /, but measurement: /],
    [{ measurement: { requests: {} }, generators: [], targetGone: false }, /, but measurement\.startedAt: /],
  ])("fails with the name of the engine that comes back with %j, and stops the target", async (told, message) => {
    const { context, server } = setUp();
    const engine: Engine = { ...createFakeEngine(), run: async () => told as never };
    expect(await runStep(KEY, { ...context, engines: byName(engine) })).toMatchObject({
      state: "failed",
      error: { code: "STEP_FAILED", message: expect.stringMatching(message) },
    });
    expect(server.running()).toBe(0);
  });

  it("fails when the target cannot be stopped, and keeps what was measured", async () => {
    const { context } = setUp({
      onStop: () => {
        throw new Error("process 7 will not end");
      },
    });
    expect(await runStep(KEY, context)).toMatchObject({
      state: "failed",
      error: { code: "STOP_FAILED", message: "it could not be stopped: process 7 will not end" },
      measurement: { requests: { ok: 400 } },
    });
  });

  it("is aborted, with nothing measured, when that happens while the target starts", async () => {
    const controller = new AbortController();
    const { context } = setUp({ onStart: () => controller.abort() }, {}, { signal: controller.signal });
    const step = await runStep(KEY, context);
    expect(step.state).toBe("aborted");
    expect(step.findings.map(({ code }) => code)).toEqual(["INTERRUPTED"]);
    expect(step.measurement).toBeUndefined();
  });

  it("counts what the backends were given in the window of the measurement", async () => {
    let asked = 0;
    const shares = () => {
      asked += 1;
      return { a: { requests: asked * 100, errors: 0 } };
    };
    const { context } = setUp({ shares });
    expect((await runStep(KEY, context)).measurement?.backends).toEqual({ a: { requests: 100, errors: 0 } });
  });

  it.each([
    ["https://127.0.0.1:8443", false, ["TLS_NOT_VERIFIED"]],
    ["https://127.0.0.1:8443", true, []],
    ["http://127.0.0.1:8080", false, []],
  ])("says whether the certificate of %s was left unchecked: verification %s", async (url, tlsVerification, codes) => {
    const { context } = setUp({ url }, { supports: { tlsVerification } });
    const { findings } = await runStep({ ...KEY, level: { connections: 4, durationMs: 3000 } }, context);
    expect(findings.filter(({ code }) => code === "TLS_NOT_VERIFIED")).toEqual(
      codes.map((code) => ({ code, severity: "info", args: { engine: "fake" } })),
    );
  });
});
