import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { aCrew, aScenario, aStep, aUsage, anEnvironment } from "../test-support/fixtures.js";
import type { DoneFault } from "../model/fault.js";
import type { Finding } from "../model/finding.js";
import type { StepResult } from "../model/result.js";
import type { Scenario } from "../model/scenario.js";
import type { Engine, EngineContext, FaultyPart, Load, RunningServer, Server } from "../plugin.js";
import { StartError } from "../system/program.js";
import { createFakeEngine, fakeMeasurement, type FakeEngine, type FakeEngineOptions } from "../testing/fake-engine.js";
import { createFakeServer, type FakeServer, type FakeServerOptions } from "../testing/fake-server.js";
import { runStep, type StepContext } from "./run-step.js";
import { createTargets } from "./targets.js";

const LEVEL = { connections: 4, requests: 400 };

interface Setup extends Partial<Omit<StepContext, "scenario" | "environment" | "engines">> {
  readonly server?: FakeServerOptions;
  /** Changes what the fake server has started. */
  readonly started?: Partial<Record<keyof RunningServer, unknown>>;
  readonly engine?: FakeEngineOptions;
  readonly run?: (...given: Parameters<Engine["run"]>) => Promise<unknown>;
  readonly scenario?: Partial<Scenario>;
  readonly environment?: Parameters<typeof anEnvironment>[0];
  readonly level?: StepResult["level"];
  readonly servers?: readonly Server[];
}

interface Ran {
  readonly step: StepResult;
  readonly server: FakeServer;
  readonly engine: FakeEngine;
  /** Phases, warnings and faults, in order. */
  readonly told: readonly (string | Finding | DoneFault)[];
}

/** Runs a step of the target "single" with fakes, without warm-up. */
async function run(setup: Setup | ((server: () => FakeServer) => Setup) = {}): Promise<Ran> {
  const told: (string | Finding | DoneFault)[] = [];
  const given = typeof setup === "function" ? setup(() => server) : setup;
  const { started, level = LEVEL, servers = [], environment, ...rest } = given;
  const scenario = aScenario({ warmupMs: 0, restart: "step", ...given.scenario });
  const server: FakeServer = createFakeServer({ ...given.server, name: "single" });
  const plugin: Server = {
    ...server,
    start: async (options, context) => ({ ...(await server.start(options, context)), ...started }) as RunningServer,
  };
  const fake = createFakeEngine(given.engine);
  const engine = given.run === undefined ? fake : { ...fake, run: given.run as Engine["run"] };
  const plugins = new Map([plugin, ...servers].map((one) => [one.name, one]));
  const living = createTargets(scenario, { servers: plugins, folder: ".", env: {} });
  const running = runStep(
    { target: "single", level, trial: 1 },
    {
      folder: ".",
      children: { acquire: () => [], close: async () => {} },
      signal: new AbortController().signal,
      targets: living,
      life: 1,
      history: [],
      emit: (event) => {
        if (event.type === "phase") told.push(event.phase);
        if (event.type === "warning") told.push(event.finding);
        if (event.type === "fault") told.push(event.fault);
      },
      ...rest,
      scenario,
      environment: anEnvironment(environment),
      engines: new Map([["autocannon", engine]]),
    },
  );
  const step = await settle(running);
  expect(vi.getTimerCount(), "timers that are left").toBe(0);
  return { step, server, engine: fake, told };
}

/** Lets time pass until a step is over, or the test, which has a limit of its own. */
async function settle(running: Promise<StepResult>): Promise<StepResult> {
  let isOver = false;
  onTestFinished(() => void (isOver = true));
  const end = running.finally(() => (isOver = true));
  while (!isOver) {
    await new Promise(setImmediate);
    await vi.advanceTimersByTimeAsync(100);
  }
  return end;
}

beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "setInterval", "clearInterval"] }));
afterEach(() => void vi.useRealTimers());

const fail = (error: unknown) => (): never => {
  throw error;
};
const codesOf = ({ findings }: StepResult): readonly string[] => findings.map(({ code }) => code);

describe("the load of a step", () => {
  it("is that of its level, after a warm-up that ends in peace, and the target is stopped", async () => {
    const { step, server, engine, told } = await run({ scenario: { warmupMs: 250 } });
    expect(engine.loads().map(({ level, atEnd }) => [level, atEnd])).toEqual([
      [{ connections: 4, durationMs: 250 }, "drain"],
      [LEVEL, "cut"],
    ]);
    expect(step).toMatchObject({ level: LEVEL, engine: "autocannon", state: "completed" });
    expect(step.measurement).toMatchObject({ requests: { ok: 400 } });
    expect(server.running()).toBe(0);
    expect(told).toEqual(["starting", "warming up", "measuring", "stopping"]);
  });

  it.each([
    ["http://127.0.0.1:8080", "/index?a=b", "http://127.0.0.1:8080/index?a=b"],
    ["http://127.0.0.1:8080/own", "/index", "http://127.0.0.1:8080/own"],
    ["http://127.0.0.1:8080/?own=1", "/index", "http://127.0.0.1:8080/?own=1"],
  ])("goes, at %s with the path %s, to %s", async (url, path, asked) => {
    const { engine } = await run({ server: { url }, scenario: { request: { ...aScenario().request, path } } });
    expect(engine.loads().map((load) => load.url)).toEqual([asked]);
  });

  it.each([
    ["https://127.0.0.1:8443", false, ["TLS_NOT_VERIFIED"]],
    ["https://127.0.0.1:8443", true, []],
    ["http://127.0.0.1:8080", false, []],
  ])("at %s with verification %s is told as %j", async (url, tlsVerification, codes) => {
    const { step } = await run({ server: { url }, engine: { supports: { tlsVerification } } });
    expect(codesOf(step).filter((code) => code === "TLS_NOT_VERIFIED")).toEqual(codes);
  });
});

describe("a closed loop for a time, of an engine that fills,", () => {
  const engine = { supports: { fills: true } };
  const timed = { engine, level: { connections: 4, durationMs: 1000 } };
  const warm = aStep({ target: "single", level: { connections: 2, durationMs: 1000 } });

  it("is measured when it is at work, after a warm-up of a target that was just started", async () => {
    const { step, engine: fake, told } = await run({ ...timed, scenario: { warmupMs: 250 } });
    expect(fake.loads().map(({ atStart, atEnd }) => [atStart, atEnd])).toEqual([
      [undefined, "drain"],
      ["fill", "cut"],
    ]);
    expect(step.warmup).toEqual({ durationMs: 250, steady: null });
    expect(told).toEqual(["starting", "warming up", "measuring", "stopping"]);
  });

  it.each([
    ["a number of requests", { ...timed, level: LEVEL }],
    ["a rate", { ...timed, level: { rate: 100, durationMs: 1000 } }],
    ["another engine", { ...timed, engine: {} }],
    ["a cold start", { ...timed, scenario: { warmupMs: 0 } }],
  ])("unlike %s", async (_, setup) => {
    const { engine: fake } = await run({ scenario: { warmupMs: 100 }, ...setup });
    expect(fake.loads().at(-1)).not.toHaveProperty("atStart");
  });

  it.each<[string, Partial<StepResult>, number, readonly unknown[]]>([
    ["needs no warm-up where the number of generators is known", { level: timed.level, generators: 3 }, 3, [undefined]],
    ["has a short run to choose it", {}, 1, [500, undefined]],
    ["has none where something else was the limit", { usage: aUsage({ bottleneck: "backend" }) }, 1, [undefined]],
  ])("on a warm target %s", async (_, earlier, generators, durations) => {
    const server = {
      url: "http://127.0.0.1:1",
      processes: [],
      died: new Promise<string>(() => {}),
      stop: async () => {},
    };
    const target = { server, death: new AbortController().signal, isFresh: false };
    const targets = { take: async () => target, stop: async () => {} };
    const { step, engine: fake } = await run({
      ...timed,
      history: [{ ...warm, ...earlier }],
      targets,
      scenario: { warmupMs: "auto", restart: "trial", engine: { name: "autocannon", options: {}, generators: "auto" } },
    });
    const loads = fake.loads();
    expect(loads.map((load) => (load.atStart === "fill" ? undefined : load.level.durationMs))).toEqual(durations);
    expect(loads.at(-1)).toMatchObject({ atStart: "fill", generators });
    expect(step.warmup === undefined).toBe(durations.length === 1);
  });
});

it("fails in its warm-up where the certificate of the target is refused, and no other advice is given", async () => {
  const url = "https://127.0.0.1:8443";
  const { step, told } = await run({
    server: { url },
    scenario: { warmupMs: 250 },
    run: async (load) => {
      const measured = fakeMeasurement(load as Load, { requests: { ok: 0, connectErrors: 400 } });
      const connections = { ...measured.connections, opened: 0, established: 0 };
      const errorCodes = { DEPTH_ZERO_SELF_SIGNED_CERT: 400 };
      return { measurement: { ...measured, connections, errorCodes }, generators: [], targetGone: false };
    },
  });
  expect(step).toMatchObject({ state: "failed", error: { code: "CERTIFICATE_REFUSED" } });
  expect(step.error?.message).toContain("NODE_EXTRA_CA_CERTS");
  expect(codesOf(step)).toEqual(["STEP_FAILED"]);
  expect(told).toEqual(["starting", "warming up", "stopping"]);
});

describe("before the load a step", () => {
  const level = { connections: 400, requests: 20_000 };

  it("warns of ports and descriptors that may run out", async () => {
    const ports = await run({ level, scenario: { warmupMs: 100 }, environment: { portRange: [40_000, 40_899] } });
    expect(ports.told.slice(0, 3)).toEqual([
      "starting",
      { code: "PORTS_EXHAUSTED", severity: "warning", args: { process: "generator", needed: 800, ports: 900 } },
      "warming up",
    ]);
    expect(ports.step.pressure).toMatchObject({ portsNeeded: 800 });
    const descriptors = await run({ level, environment: { fdLimit: 512 } });
    expect(descriptors.told[1]).toMatchObject({ code: "FD_LIMIT", args: { process: "generator", needed: 464 } });
  });

  it("warns of nothing that this machine lacks, where workers send the load", async () => {
    const engine = { ...aScenario().engine, workers: aCrew() };
    const few = { portRange: [40_000, 40_899], fdLimit: 512 } as const;
    const { told, step } = await run({ level, scenario: { warmupMs: 100, engine }, environment: few });
    expect(told.filter((one) => typeof one !== "string")).toEqual([]);
    expect(step.pressure?.portsNeeded).toBeNull();
  });
});

describe("a target that does not start", () => {
  it("is started once more, which is told with how the first start failed", async () => {
    const starts: number[] = [];
    const onStart = (_: unknown, start: number): void => {
      starts.push(start);
      if (start === 1) throw new StartError("the port is in use");
    };
    const { step, server } = await run({ server: { onStart } });
    expect(starts).toEqual([1, 2]);
    expect(step.state).toBe("completed");
    const repeated = { code: "START_REPEATED", severity: "info", args: { message: "the port is in use" } };
    expect(step.findings.filter(({ code }) => code === "START_REPEATED")).toEqual([repeated]);
    expect(server.running()).toBe(0);
  });

  it("is not started again when the run is aborted", async () => {
    const controller = new AbortController();
    const starts: number[] = [];
    const onStart = (_: unknown, start: number): void => {
      starts.push(start);
      controller.abort();
      throw new Error("no");
    };
    const { step } = await run({ server: { onStart }, signal: controller.signal });
    expect(step).toMatchObject({ state: "aborted" });
    expect(codesOf(step)).toEqual(["INTERRUPTED"]);
    expect(step.measurement).toBeUndefined();
    expect(starts).toEqual([1]);
  });

  it.each([
    [new StartError("no such program"), "no such program"],
    ["just text", 'The target "single" could not be started: just text'],
  ])("says why: %s", async (error, message) => {
    const { step } = await run({ server: { onStart: fail(error) } });
    expect(step).toMatchObject({ state: "failed", error: { code: "START_FAILED", message } });
  });

  it.each([
    [{ url: "127.0.0.1" }, "url: expected a URL, got '127.0.0.1'"],
    [{ processes: undefined }, "processes: expected array, got undefined"],
    [{ died: undefined }, "died: expected a promise, got undefined"],
    [{ stop: undefined }, "stop: expected a function, got undefined"],
  ])("names the plugin that has started something with %o, and stops it", async (started, fault) => {
    const { step, server } = await run({ started });
    expect(step.error?.message).toContain(
      `The server plugin "single": expected its start to resolve with { url, processes, died, stop }, but ${fault}.`,
    );
    expect(server.running()).toBe("stop" in started ? 2 : 0);
  });
});

describe("a step never rejects", () => {
  const NO_ENGINE = { ...aScenario().engine, name: "none" };
  const rejects = (why: string) => async () => fail(new Error(why))();

  it.each<[string, Setup, string]>([
    ["there is no engine of that name", { scenario: { engine: NO_ENGINE } }, 'no engine "none"'],
    ["there is no plugin for the target", { scenario: { targets: [] } }, 'There is no target "single"'],
    ["the engine fails", { engine: { see: fail(new Error("no memory")) } }, "no memory"],
    ["the engine tells nothing", { run: async () => undefined }, '"fake": expected its run to resolve with {'],
    ["the usage of processes cannot be seen", { probes: { read: rejects("the reason") } }, "the reason"],
    ["the engine tells half", { run: async () => ({}) }, "but measurement: "],
    ["a target cannot be had", { targets: { take: rejects("none left"), stop: async () => {} } }, "none left"],
  ])("where %s", async (_, setup, message) => {
    const { step, server } = await run(setup);
    expect(step).toMatchObject({ state: "failed", error: { message: expect.stringContaining(message) } });
    expect(codesOf(step)).toContain("STEP_FAILED");
    expect(server.running()).toBe(0);
  });

  it("where the target cannot be stopped, and keeps what was measured", async () => {
    const { step } = await run({ server: { onStop: fail(new Error("process 7 will not end")) } });
    const error = { code: "STOP_FAILED", message: "it could not be stopped: process 7 will not end" };
    expect(step).toMatchObject({ state: "failed", error, measurement: { requests: { ok: 400 } } });
  });
});

describe("a target that dies", () => {
  it("while it is warmed up is not measured", async () => {
    const { step } = await run((target) => ({
      scenario: { warmupMs: 100 },
      engine: { see: () => target().die("gone") ?? {} },
    }));
    expect(step).toMatchObject({ state: "failed", error: { code: "TARGET_DIED", message: "gone" } });
    expect(step.measurement).toBeUndefined();
  });

  it("is blamed, not the engine that stumbles over it", async () => {
    const { step } = await run((target) => ({
      run: async () => {
        target().die("gone");
        await new Promise(setImmediate);
        throw new Error("nobody there");
      },
    }));
    expect(step).toMatchObject({ error: { code: "TARGET_DIED", message: "gone" } });
  });

  it.each([0, 100])(
    "by the signal that interrupts the run, of which it is known %i ms later, is not blamed",
    async (ms) => {
      const controller = new AbortController();
      const { step } = await run((target) => {
        const see = (): object => {
          if (ms === 0) controller.abort();
          else setTimeout(() => controller.abort(), ms);
          return target().die("it ended by SIGTERM") ?? {};
        };
        return { engine: { see }, signal: controller.signal };
      });
      expect(step.state).toBe("aborted");
      expect(step.error).toBeUndefined();
    },
  );

  it("is one that the engine gave up", async () => {
    const requests = { ok: 3, connectErrors: 5 };
    const { step } = await run({ engine: { see: () => ({ targetGone: true, requests }) } });
    const error = { code: "TARGET_DIED", message: "nothing answered any more for 10000 ms" };
    expect(step).toMatchObject({ state: "failed", error, measurement: { requests } });
  });
});

describe("a balancer is asked", () => {
  const never = (): Promise<never> => new Promise(() => {});

  it.each([
    ["before the load", 1],
    ["after it", 2],
  ])("and what it does not tell, %s, is left out", async (_, failing) => {
    let asked = { backends: 0, turns: 0 };
    const ask = (what: "backends" | "turns") => async () => {
      asked = { ...asked, [what]: asked[what] + 1 };
      return asked[what] === failing ? fail(new Error("no answer"))() : {};
    };
    const { step } = await run({ started: { backends: ask("backends"), turns: ask("turns") } });
    expect(asked).toEqual({ backends: 2, turns: 2 });
    expect(step.state).toBe("completed");
    expect(step.measurement).not.toHaveProperty("backends");
    expect(step.measurement).not.toHaveProperty("turns");
  });

  it("for a few seconds at most: its policy may not return", async () => {
    const turns = vi.fn<() => Promise<never>>(never);
    const { step, server } = await run({ started: { turns } });
    expect(turns).toHaveBeenCalledTimes(2);
    expect(step).toMatchObject({ state: "completed", measurement: { requests: { ok: 400 } } });
    expect(server.running()).toBe(0);
  });
});

describe("the faults of a scenario", () => {
  const level = { rate: 100, durationMs: 1000 };
  const faults = [
    { atMs: 200, kind: "pause", part: "backend-1" },
    { atMs: 600, kind: "resume", part: "backend-1" },
  ] as const;

  /** A target of one backend, which tells what was done to it, and an engine that takes its time. */
  async function runFaulty(setup: Setup & { readonly seen?: { readonly targetGone?: boolean } } = {}) {
    const deeds: string[] = [];
    const part: FaultyPart = {
      name: "backend-1",
      role: "backend",
      can: ["pause", "resume"],
      apply: async ({ kind }) => void deeds.push(kind),
    };
    let asked = 0;
    const loads: Load[] = [];
    const send = async (load: Load, { onStart, signal }: EngineContext): Promise<unknown> => {
      loads.push(load);
      await onStart?.([]);
      const startedAt = new Date().toISOString();
      await new Promise((resolve) => {
        const timer = setTimeout(resolve, load.level.durationMs);
        signal.addEventListener("abort", () => resolve(clearTimeout(timer)));
      });
      const none = Array.from({ length: 10 }, () => 0);
      const slices = { ms: 100, sent: none, ok: none, failures: {}, latencies: none.map(() => []) };
      const { targetGone = false } = setup.seen ?? {};
      return { measurement: { ...fakeMeasurement(load, {}), startedAt, slices }, generators: [], targetGone };
    };
    const ran = await run({
      level,
      run: send,
      ...setup,
      started: { ...setup.started, parts: [part], backends: async () => ({ a: { requests: (asked += 1) } }) },
      server: { onStop: () => void deeds.push("stop the target") },
      scenario: { faults, ...setup.scenario },
    });
    return { ...ran, deeds, loads, asked };
  }

  it("are done while it is measured, and told with slices and what backends were given in them", async () => {
    const { step, told, deeds, loads, asked } = await runFaulty({ scenario: { faults, warmupMs: 100 } });
    expect(step.state).toBe("completed");
    expect(loads.map(({ sliceMs }) => sliceMs)).toEqual([undefined, 100]);
    expect(deeds).toEqual(["pause", "resume", "stop the target"]);
    const effect = { beganMs: expect.any(Number), effectMs: expect.any(Number) };
    const done = faults.map((fault) => ({ ...fault, part: "backend-1", ...effect }));
    expect(step.faults).toEqual(done);
    expect(told.filter((one) => typeof one !== "string")).toEqual(done);
    // Before, after and meanwhile.
    expect(asked).toBeGreaterThan(5);
    const { backends, slices } = step.measurement ?? {};
    expect(backends).toEqual({ a: { requests: asked - 1 } });
    expect(slices?.backends?.["a"]?.reduce((sum, count) => sum + count, 0)).toBe(asked - 1);
  });

  it("are undone where a run is interrupted in the middle, and those to come are not told", async () => {
    const controller = new AbortController();
    const emit: StepContext["emit"] = (event) => void (event.type === "fault" && controller.abort());
    const { step, deeds } = await runFaulty({ signal: controller.signal, emit });
    expect(deeds).toEqual(["pause", "resume", "stop the target"]);
    expect(step).toMatchObject({ state: "aborted", faults: [{ kind: "pause" }] });
    expect(step.faults).toHaveLength(1);
  });

  it("have what was started in the place of others watched", async () => {
    const backend = { pid: process.pid, role: "backend", name: "backend-1", tree: false } as const;
    const { step } = await runFaulty({ started: { processes: [], processesNow: () => [backend] } });
    expect(step.usage?.backends).toMatchObject([{ name: "backend-1", pid: process.pid }]);
  });

  it("may leave a target silent to the end, which is no failure of the step", async () => {
    const { step } = await runFaulty({ seen: { targetGone: true } });
    expect(step).toMatchObject({ state: "completed", measurement: { requests: { ok: expect.any(Number) } } });
    const without = await runFaulty({ seen: { targetGone: true }, scenario: { faults: [] } });
    expect(without.step).toMatchObject({ state: "failed", error: { code: "TARGET_DIED" } });
    expect(without.step).not.toHaveProperty("faults");
  });

  it("fail a step whose target has no such part any more", async () => {
    const { step, deeds } = await runFaulty({ scenario: { faults: [{ atMs: 0, kind: "kill", part: "backend-1" }] } });
    expect(step).toMatchObject({ state: "failed", error: { code: "BAD_CONFIG" } });
    expect(deeds).toEqual(["stop the target"]);
  });
});
