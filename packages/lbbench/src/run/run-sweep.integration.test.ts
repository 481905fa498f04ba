import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { sweep } from "../api/sweep.js";
import type { SweepInput } from "../config/sweep-input.js";
import { autocannonEngine } from "../engines/autocannon/engine.js";
import type { StepResult } from "../model/result.js";
import type { Engine, RunningServer, Server } from "../plugin.js";
import { builtInServers } from "../servers/built-in-servers.js";
import { startCountingServer } from "../testing/counting-servers.js";
import { followDescendants, runningOf } from "../testing/contract.js";
import type { SweepEvent } from "./sweep-event.js";

const FOLDER = fileURLToPath(new URL("./test-support/", import.meta.url));
const BALANCED = { name: "balanced", server: "balanced" };
const OF_TWO = { ...BALANCED, options: { backends: 2 } };
const command = (...words: readonly string[]) => ({
  name: "command",
  server: "command",
  options: { command: [process.execPath, ...words] },
});

/** Measures one level of a target by a number of requests, without warm-up. */
async function measure(target: NonNullable<SweepInput["targets"]>[number], more: SweepInput): Promise<StepResult> {
  const { result } = await sweep({ targets: [target], warmup: "0", ...more }, { folder: FOLDER });
  const [step] = result.steps;
  if (step === undefined) throw new Error("Expected a step");
  return step;
}

/** A built-in server, and all that were started by it. */
function recorded(name: string): { readonly server: Server; readonly started: readonly RunningServer[] } {
  const started: RunningServer[] = [];
  const plugin = builtInServers.get(name) as Server;
  const start: Server["start"] = async (options, context) => {
    const running = await plugin.start(options, context);
    started.push(running);
    return running;
  };
  return { server: { ...plugin, start }, started };
}

/** The autocannon engine, whose first run does not end by itself. */
function endlessAtFirst(): Engine {
  let runs = 0;
  return {
    ...autocannonEngine,
    run: (load, context) => {
      runs += 1;
      const level = { connections: load.level.connections ?? 1, durationMs: 600_000 };
      return autocannonEngine.run(runs === 1 ? { ...load, level } : load, context);
    },
  };
}

it.runIf(process.platform === "linux")(
  "what processes used is told of each worker of a user's own cluster",
  async () => {
    const { usage } = await measure(command("cluster-server.mjs"), { connections: 20, requests: 2000 });
    expect(usage?.backends).toHaveLength(1);
    const [own] = usage?.backends ?? [];
    expect(own?.descendants).toHaveLength(2);
    for (const { cpu, eventLoopUtilization } of own?.descendants ?? []) {
      expect(cpu).toBeGreaterThan(0);
      expect(eventLoopUtilization).toBeGreaterThan(0);
    }
  },
);

it("warms a target up once a start until throughput is steady, and measures when each connection has had an answer", async () => {
  const { server, started } = recorded("single");
  const targets = [{ name: "single", server: "single", options: { handler: "sleep:20ms" } }];
  const input = { targets, connections: [2, 4], duration: "500ms", trials: 1 };
  const { result } = await sweep(input, { plugins: { servers: [server] } });
  expect(result.scenario.warmupMs).toBe("auto");
  const [first, second] = result.steps;
  expect(first?.warmup?.steady).toBe(true);
  expect(first?.warmup?.durationMs).toBeGreaterThanOrEqual(1000);
  // At most one short run, to see whether one generator is enough: it tells of no steady throughput.
  expect(second?.warmup?.steady ?? null).toBeNull();
  for (const { findings, level, measurement } of result.steps) {
    expect(measurement?.fill).toMatchObject({ users: level.connections, answered: level.connections });
    expect(findings.map(({ code }) => code)).not.toContain("CONNECTIONS_STARVED");
    // Nothing of the warm-up is counted.
    expect(measurement?.connections.opened).toBe(measurement?.connections.asked);
  }
  expect(started).toHaveLength(1);
});

it("counts what the backends were given as the engine counts, without the warm-up", async () => {
  const targets = [{ ...BALANCED, options: { backends: 3 } }];
  const { result } = await sweep({ targets, connections: 4, requests: 200, warmup: "100ms" });
  for (const { measurement, usage } of result.steps) {
    const shares = Object.values(measurement?.backends ?? {}).map(({ requests }) => requests);
    expect(measurement?.requests).toMatchObject({ sent: 200, ok: 200 });
    expect(shares.toSorted((a, b) => a - b)).toEqual([66, 67, 67]);
    for (const { connections } of Object.values(measurement?.backends ?? {})) {
      // The warm-up has opened all that four clients at once can need.
      expect((connections?.before ?? 0) + (connections?.accepted ?? 0)).toBeLessThanOrEqual(4);
    }
    expect(measurement?.turns).toMatchObject({ picked: 200, inTurn: 200 });
    expect([usage?.generator.length, usage?.balancer?.length, usage?.backends?.length]).toEqual([1, 1, 3]);
  }
});

it.each([
  ["kept", true, 4],
  ["a new one for each request", false, 200],
])("tells how many connections a server without backends had: %s", async (_, keepAlive, accepted) => {
  const input = { targets: ["single"], connections: 4, requests: 200, trials: 1, warmup: "0", keepAlive };
  const { result } = await sweep(input);
  const server = { requests: 200, connections: { before: 0, accepted } };
  expect(result.steps[0]?.measurement?.server).toMatchObject(server);
});

it("tells while a step goes on what its result says in the end", async () => {
  const events: SweepEvent[] = [];
  const { result } = await sweep(
    { targets: [OF_TWO], connections: [4], duration: "2s", trials: 1, warmup: "0", generators: 2 },
    { onEvent: (event) => void events.push(event) },
  );
  const { timeline = [], requests } = result.steps[0]?.measurement ?? {};
  const progress = events.filter((event) => event.type === "progress");
  const seconds = new Map(progress.flatMap(({ latest }) => (latest === undefined ? [] : [[latest.second, latest]])));
  expect(seconds.size).toBeGreaterThanOrEqual(1);
  expect([...seconds.values()]).toEqual(timeline.filter(({ second }) => seconds.has(second)));
  expect(timeline.reduce((total, { ok }) => total + ok, 0)).toBe(requests?.ok);
  const usages = events.flatMap((event) => (event.type === "usage" ? [event.usage] : []));
  expect(usages.length).toBeGreaterThanOrEqual(1);
  for (const usage of usages) expect(Object.keys(usage).toSorted()).toEqual(["backend", "balancer", "generator"]);
});

describe("a target that dies under load", () => {
  it("is recorded with what was counted, and started anew for the next step", async () => {
    const { server, started } = recorded("single");
    const onEvent = (event: SweepEvent): void => {
      if (event.type !== "progress" || event.sent === 0 || event.step.level.connections !== 2) return;
      const [victim] = started.at(-1)?.processes ?? [];
      if (victim !== undefined && started.length === 1) process.kill(victim.pid, "SIGKILL");
    };
    const { result } = await sweep(
      { targets: ["single"], connections: [2, 3], requests: 300, warmup: "0" },
      { plugins: { servers: [server], engines: [endlessAtFirst()] }, onEvent },
    );
    const [died, next] = result.steps;
    expect(died).toMatchObject({
      state: "failed",
      error: { code: "TARGET_DIED", message: "backend-1 ended with signal SIGKILL" },
    });
    const { sent, ...outcomes } = died?.measurement?.requests ?? { sent: Number.NaN, ok: 0 };
    expect(Object.values(outcomes).reduce((total, count) => total + count, 0)).toBe(sent);
    expect(outcomes.ok).toBeGreaterThan(0);
    expect(died?.usage?.backends).toHaveLength(1);
    expect(next).toMatchObject({ state: "completed", measurement: { requests: { sent: 300, ok: 300 } } });
    // For the check and the first step, and for the second.
    expect(started).toHaveLength(2);
    expect(result).toMatchObject({ complete: true, verdict: { status: "inconclusive" } });
    expect(result.verdict.findings[0]).toMatchObject({ code: "TARGET_DIED", args: { levels: "2" } });
    expect(runningOf(started.flatMap(({ processes }) => processes.map(({ pid }) => pid)))).toEqual([]);
  });

  it("is noticed though its last request was the last of the step", async () => {
    // One request asks whether it is ready.
    const script = `let count = 0;
      require("node:http").createServer((request, response) => {
        count += 1;
        if (count === 6) { console.error("out of memory"); process.exit(5); }
        response.end();
      }).listen(process.env.PORT, "127.0.0.1")`;
    const step = await measure(command("-e", script), { connections: 1, requests: 5 });
    expect(step).toMatchObject({ state: "failed", measurement: { requests: { sent: 5, ok: 4, dropped: 1 } } });
    expect(step.error?.message).toMatch(/ended with exit code 5; it last printed:\n {2}out of memory$/);
  });

  it("fails the steps to come when it was at a URL and is not there again", async () => {
    const server = await startCountingServer();
    const { result } = await sweep(
      { targets: [server.url], connections: [1, 2], requests: 10, warmup: "0" },
      { onEvent: (event) => void (event.type === "step" && event.index === 1 && server.close()) },
    );
    expect(result.steps.map(({ state, error }) => [state, error?.code])).toEqual([
      ["completed", undefined],
      ["failed", "START_FAILED"],
    ]);
    expect(result.steps[1]?.error?.message).toContain(`${new URL(server.url).origin}, but got: connect ECONNREFUSED`);
    expect(result.complete).toBe(true);
  });
});

it("ends a sweep that is interrupted under load with what was counted, and with no process left", async () => {
  const descendants = followDescendants();
  const controller = new AbortController();
  const looking: Promise<unknown>[] = [];
  const { result } = await sweep(
    { targets: [OF_TWO], connections: [4, 8], duration: "10m", warmup: "0", generators: 2 },
    {
      signal: controller.signal,
      onEvent: (event) => {
        if (event.type !== "progress" || event.done === 0) return;
        looking.push(descendants.look().then(() => controller.abort()));
      },
    },
  );
  await Promise.all(looking);
  // Two generators, a balancer, two backends.
  expect(descendants.seen().size).toBe(5);
  expect(runningOf(descendants.seen())).toEqual([]);
  expect(result).toMatchObject({ complete: false, steps: [{ state: "aborted" }] });
  expect(result.steps[0]?.measurement?.requests.ok).toBeGreaterThan(0);
  expect(result.steps[0]?.findings.map(({ code }) => code)).toContain("INTERRUPTED");
});
