import { once } from "node:events";
import { createServer, type Server as HttpServer } from "node:http";
import { closedConnections } from "../stats/load.js";
import type { AddressInfo } from "node:net";
import { describe, expect, it } from "vitest";
import { sweep } from "../api/sweep.js";
import { autocannonEngine } from "../engines/autocannon/engine.js";
import type { Measurement } from "../model/measurement.js";
import type { Engine, RunningServer, Server } from "../plugin.js";
import { builtInServers } from "../servers/built-in-servers.js";
import { runningOf } from "../testing/processes.js";
import type { SweepEvent } from "./sweep-event.js";

const ENDLESS_MS = 600_000;

/** The autocannon engine, whose first run does not end by itself. */
function endlessAtFirst(): Engine {
  let runs = 0;
  return {
    ...autocannonEngine,
    run: (load, context) => {
      runs += 1;
      const level = { connections: closedConnections(load.level), durationMs: ENDLESS_MS };
      return autocannonEngine.run(runs === 1 ? { ...load, level } : load, context);
    },
  };
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

function expectConservation(measurement: Measurement | undefined): void {
  const { sent = Number.NaN, ...outcomes } = measurement?.requests ?? {};
  expect(Object.values(outcomes).reduce((sum, count) => sum + count, 0)).toBe(sent);
}

describe("a target that dies in the middle of the load", () => {
  it("is recorded with what was counted, and started anew for the next step", async () => {
    const { server, started } = recorded("single");
    const onEvent = (event: SweepEvent): void => {
      if (event.type !== "progress" || event.sent === 0 || event.step.level.connections !== 2) return;
      const [victim] = started.at(-1)?.processes ?? [];
      if (victim !== undefined && started.length === 2) process.kill(victim.pid, "SIGKILL");
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
    expect(died?.measurement?.requests.ok).toBeGreaterThan(0);
    expect(died?.usage?.backends).toHaveLength(1);
    expectConservation(died?.measurement);
    expect(next).toMatchObject({ state: "completed", measurement: { requests: { sent: 300, ok: 300 } } });
    expect(result).toMatchObject({ complete: true, verdict: { status: "inconclusive" } });
    expect(result.verdict.findings[0]).toMatchObject({ code: "TARGET_DIED", args: { levels: "2" } });
    expect(runningOf(started.flatMap(({ processes }) => processes.map(({ pid }) => pid)))).toEqual([]);
  });

  it("is noticed though its last request was the last of the step", async () => {
    const script = `let count = 0;
      require("node:http").createServer((request, response) => {
        count += 1;
        if (count === 6) { console.error("out of memory"); process.exit(5); }
        response.end();
      }).listen(process.env.PORT, "127.0.0.1")`;
    const { result } = await sweep({
      // One request asks whether it is ready.
      targets: [{ name: "fragile", server: "command", options: { command: [process.execPath, "-e", script] } }],
      connections: 1,
      requests: 5,
      warmup: "0",
    });
    expect(result.steps[0]).toMatchObject({
      state: "failed",
      measurement: { requests: { sent: 5, ok: 4, dropped: 1 } },
    });
    expect(result.steps[0]?.error?.message).toMatch(/ended with exit code 5; it last printed:\n {2}out of memory$/);
  });
});

describe("a target that is a URL", () => {
  it("is tried once more when it has disappeared, and its steps have failed then", async () => {
    const server = await listen();
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    const { result } = await sweep(
      { targets: [url], connections: [1, 2, 3], requests: 10, warmup: "0" },
      {
        onEvent: (event) => {
          if (event.type !== "step-done" || event.index !== 0) return;
          server.close();
          server.closeAllConnections();
        },
      },
    );
    expect(result.steps.map(({ state, error }) => [state, error?.code])).toEqual([
      ["completed", undefined],
      ["failed", "START_FAILED"],
      ["failed", "START_FAILED"],
    ]);
    expect(result.steps[1]?.error?.message).toContain(`${new URL(url).origin}, but got: connect ECONNREFUSED`);
    expect(result.complete).toBe(true);
  });
});

describe("the shares of backends", () => {
  it("add up to what was measured, without the warm-up", async () => {
    const { result } = await sweep({
      targets: [{ name: "balanced", server: "balanced", options: { backends: 3 } }],
      connections: [1, 4],
      requests: 200,
      warmup: "100ms",
    });
    for (const { measurement, usage } of result.steps) {
      const shares = Object.values(measurement?.backends ?? {}).map(({ requests }) => requests);
      expect(shares.reduce((sum, count) => sum + count, 0)).toBe(measurement?.requests.sent);
      expect(shares.toSorted((a, b) => a - b)).toEqual([66, 67, 67]);
      expect([usage?.generator.length, usage?.balancer?.length, usage?.backends?.length]).toEqual([1, 1, 3]);
    }
  });
});

async function listen(): Promise<HttpServer> {
  const server = createServer((_request, response) => response.end("hello")).listen(0, "127.0.0.1");
  await once(server, "listening");
  return server;
}
