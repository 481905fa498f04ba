/* oxlint-disable typescript/await-thenable -- it does not see the AsyncDisposable of @types/node, tsc does */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { ConfigError } from "../config/config-error.js";
import { StartError } from "../system/program.js";
import { inRepository } from "@lbbench/test-support/repository.js";
import { createFakeServer } from "./fake-server.js";
import { acceptsConnections, runningOf } from "./contract.js";
import { startBalancer, startServer } from "./start-server.js";

async function send(url: string, count: number): Promise<void> {
  for (let sent = 0; sent < count; sent += 1) await (await fetch(url)).text();
}

describe("startServer", () => {
  it.each([
    ["the name of a server", "single", { handler: "json" }],
    ["a target of a config", { name: "x", server: "balanced", options: { backends: 1 } }, {}],
  ] as const)("starts on a free port, and leaves nothing when it is stopped: %s", async (_, startable, options) => {
    const server = await startServer(startable, options);
    onTestFinished(server.stop);
    expect((await fetch(server.url)).status).toBe(200);
    const pids = server.processes.map(({ pid }) => pid);
    expect(runningOf(pids)).toHaveLength(pids.length);
    await server.stop();
    await server.stop();
    expect(runningOf(pids)).toEqual([]);
    expect(await acceptsConnections(server.url)).toBe(false);
  });

  it("takes a URL, a plugin, and options in place of those of a target; stops at the end of a block with await using", async () => {
    let url = "";
    {
      await using server = await startServer({ server: "single", options: { handler: "hello" } }, { handler: "json" });
      ({ url } = server);
      expect((await fetch(url)).headers.get("content-type")).toContain("json");
      expect((await startServer(url)).url).toBe(url);
    }
    expect(await acceptsConnections(url)).toBe(false);
    const plugin = createFakeServer({ name: "mine" });
    const fake = await startServer(plugin, { any: 1 });
    expect(plugin.running()).toBe(1);
    await fake.stop();
    await startServer("mine", {}, { servers: [plugin] });
    expect(plugin.starts()).toBe(2);
  });

  /** A running server that counts its stops. */
  class Running {
    readonly died = new Promise<string>(() => {});
    readonly processes = [];
    readonly unseen = true;
    #stops = 0;
    get url(): string {
      return "http://127.0.0.1:9";
    }
    async stop(): Promise<void> {
      this.#stops += 1;
    }
    async requests(): Promise<number> {
      return this.#stops;
    }
    async connections() {
      return { accepted: this.#stops, open: 0 };
    }
    processesNow() {
      return [{ pid: this.#stops, role: "backend" as const, name: "it", tree: false }];
    }
  }

  it("keeps what the class of a running server has, and hands on its functions", async () => {
    const plugin = createFakeServer({ name: "mine" });
    const started = await startServer({ ...plugin, start: async () => new Running() });
    const { url, unseen, stop, requests, connections, processesNow } = started;
    expect([url, unseen]).toEqual(["http://127.0.0.1:9", true]);
    await stop();
    expect(await requests?.()).toBe(1);
    expect(await connections?.()).toEqual({ accepted: 1, open: 0 });
    expect(processesNow?.()).toEqual([{ pid: 1, role: "backend", name: "it", tree: false }]);
  });

  it("calls what the class of a server has as its own also behind a balancer", async () => {
    const running = new Running();
    const plugin = { ...createFakeServer({ name: "mine" }), start: async () => running };
    const started = await startServer("balanced", { backends: [{ server: "mine" }] }, { servers: [plugin] });
    await started.stop();
    expect(await running.requests()).toBe(1);
  });

  it("names the server, or the backend, that cannot be started", async () => {
    const plugin = {
      ...createFakeServer({ name: "mine" }),
      start: () => Promise.reject(new Error("no database at :5432")),
    };
    const alone = startServer(plugin);
    await expect(alone).rejects.toThrow('The server "mine" could not be started: no database at :5432');
    await expect(alone).rejects.toBeInstanceOf(StartError);
    const behind = startServer("balanced", { backends: [{ server: "mine" }] }, { servers: [plugin] });
    await expect(behind).rejects.toThrow('The backend "backend-1" could not be started: no database at :5432');
  });

  it("asks a server, and those behind it, whether they can be started, before it starts any", async () => {
    const fake = createFakeServer({ name: "mine" });
    const check = (): Promise<void> => Promise.reject(new Error("no module there"));
    const plugin = { ...fake, check };
    await expect(startServer(plugin)).rejects.toThrow("no module there");
    const behind = startServer("balanced", { backends: [{ server: "mine" }] }, { servers: [plugin] });
    await expect(behind).rejects.toThrow("no module there");
    expect(fake.starts()).toBe(0);
  });

  it("loads a plugin by its path from the folder that it is told, and says where there is none, also behind a balancer", async () => {
    const folder = mkdtempSync(inRepository("packages/lbbench/test/tmp-start-"));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const lines = [
      'import { createFakeServer } from "lbbench/testing";',
      'export default createFakeServer({ name: "x" });',
    ];
    writeFileSync(join(folder, "mine.mjs"), lines.join("\n"));
    await using server = await startServer("./mine.mjs", {}, { folder });
    expect(server.url).toMatch(/^http:/);
    const started = startServer("balanced", { backends: [{ server: "./nowhere.mjs" }] }, { folder });
    await expect(started).rejects.toThrow(ConfigError);
    await expect(startServer("./nowhere.mjs", {}, { folder })).rejects.toThrow(join(folder, "nowhere.mjs"));
  });

  it("refuses what is no server, and what cannot be started", async () => {
    for (const given of [null, undefined, 5, {}, { server: 1 }]) {
      await expect(startServer(given as unknown as string)).rejects.toThrow(ConfigError);
    }
    await expect(startServer("singel")).rejects.toThrow('Did you mean "single"?');
    await expect(startServer("single", { handlr: "json" })).rejects.toThrow("handlr");
    await expect(startServer("http://127.0.0.1:1")).rejects.toThrow(StartError);
    const signal = AbortSignal.abort(new Error("enough"));
    await expect(startServer("single", {}, { signal })).rejects.toThrow("enough");
  });
});

it("startBalancer balances over servers and URLs by policy and weight, counts by backend, and stops itself alone", async () => {
  await using one = await startServer("single");
  await using two = await startServer("single");
  await using balancer = await startBalancer([one, { url: two.url, name: "second" }]);
  await send(balancer.url, 10);
  const even = { requests: 5, errors: 0 };
  expect(await balancer.backends()).toMatchObject({ "backend-1": even, second: even });
  await balancer.stop();
  expect(await acceptsConnections(one.url)).toBe(true);

  const weighted = [
    { url: one.url, name: "heavy", weight: 4 },
    { url: two.url, name: "light" },
  ];
  await using other = await startBalancer(weighted, { policy: "weighted-round-robin" });
  await send(other.url, 10);
  expect(await other.backends()).toMatchObject({ heavy: { requests: 8 }, light: { requests: 2 } });

  await using relay = await startBalancer([one], { mode: "tcp" });
  await send(relay.url, 1);
  await expect(relay.backends()).rejects.toThrow('mode "http"');
  await expect(startBalancer(["http://127.0.0.1:1"])).rejects.toThrow(StartError);
  await expect(startBalancer([])).rejects.toThrow("backends");
  await expect(startBalancer([one], { polcy: "random" } as object)).rejects.toThrow("polcy");
  await expect(startBalancer([one], { policy: "./nowhere.mjs", folder: "/there" })).rejects.toThrow("/there");
});
