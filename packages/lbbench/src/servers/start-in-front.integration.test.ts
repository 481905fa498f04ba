import { afterEach, describe, expect, it } from "vitest";
import type { RunningServer } from "../plugin.js";
import { startServer } from "../testing/started-server.js";
import { balancedServer } from "./balanced.js";
import type { Server } from "../plugin.js";

const REQUESTS = 12;

describe("a balancer over others", () => {
  let running: RunningServer | undefined;
  afterEach(() => running?.stop());

  async function start(options: object): Promise<RunningServer> {
    running = await startServer(balancedServer as Server, options);
    return running;
  }

  async function request(url: string): Promise<void> {
    for (let count = 0; count < REQUESTS; count += 1) await (await fetch(url)).text();
  }

  it("balances over balancers, whose processes carry its name for them", async () => {
    const inner = { name: "inner", server: "balanced", options: { backends: 2 }, count: 2 };
    const { url, processes, backends } = await start({ backends: [inner, "single"] });
    await request(url);
    expect(processes.map(({ name, role }) => `${role} ${name}`)).toEqual([
      "balancer balancer",
      "balancer inner-1 balancer",
      "backend inner-1 backend-1",
      "backend inner-1 backend-2",
      "balancer inner-2 balancer",
      "backend inner-2 backend-1",
      "backend inner-2 backend-2",
      "backend backend-1",
    ]);
    expect(await backends?.()).toEqual({
      "inner-1": { requests: 4, errors: 0 },
      "inner-2": { requests: 4, errors: 0 },
      "backend-1": { requests: 4, errors: 0 },
    });
  });

  it("lets the backends count where the balancer sees connections only", async () => {
    const { url, backends } = await start({
      backends: ["single", { server: "cluster", options: { workers: 2 } }],
      mode: "tcp",
    });
    await request(url);
    const shares = Object.values((await backends?.()) ?? {});
    expect(shares.reduce((sum, { requests }) => sum + requests, 0)).toBe(REQUESTS);
    expect(shares.every(({ errors }) => errors === undefined)).toBe(true);
  });

  it("tells which connections went to the next backend, where backends do not count", async () => {
    const outside = await Promise.all([1, 2, 3].map(() => startServer(balancedServer as Server, { backends: 1 })));
    try {
      const { url, backends, turns } = await start({ backends: outside.map((one) => one.url), mode: "tcp" });
      expect(backends).toBeUndefined();
      for (let count = 0; count < REQUESTS; count += 1) {
        await (await fetch(url, { headers: { connection: "close" } })).text();
      }
      const told = await turns?.();
      expect(told).toMatchObject({ of: "connections", picked: REQUESTS, inTurn: REQUESTS });
      expect(Object.values(told?.byBackend ?? {})).toEqual([4, 4, 4]);
      expect(await turns?.()).toMatchObject({ picked: 0, first: [] });
    } finally {
      await Promise.all(outside.map((one) => one.stop()));
    }
  });

  it("passes weights on", async () => {
    const backends = [{ name: "big", server: "single", weight: 3 }, "single"];
    const { url, backends: shares } = await start({ backends, policy: "weighted-round-robin" });
    await request(url);
    expect(await shares?.()).toMatchObject({ big: { requests: 9 }, "backend-1": { requests: 3 } });
  });

  it("puts servers that are running already behind it, and leaves them running", async () => {
    const outside = await startServer(balancedServer as Server, { backends: 1 });
    try {
      const { url, processes, stop } = await start({ backends: [outside.url] });
      expect((await fetch(url)).status).toBe(200);
      expect(processes.map(({ name }) => name)).toEqual(["balancer"]);
      await stop();
      expect((await fetch(outside.url)).status).toBe(200);
    } finally {
      await outside.stop();
    }
  });
});
