/* oxlint-disable typescript/await-thenable -- it does not see the AsyncDisposable of @types/node, tsc does */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { ConfigError } from "../config/config-error.js";
import { StartError } from "../servers/start-error.js";
import { inRepository } from "../../test/repository/repository.js";
import { createFakeServer } from "./fake-server.js";
import { acceptsConnections } from "./ports.js";
import { runningOf } from "./processes.js";
import { startBalancer } from "./start-balancer.js";
import { startServer } from "./start-server.js";

async function send(url: string, count: number): Promise<void> {
  for (let sent = 0; sent < count; sent += 1) await (await fetch(url)).text();
}

describe("startServer", () => {
  it.each([
    ["the name of a server", "single", { handler: "json" }],
    ["a name, with options", "cluster", { workers: 2 }],
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

  it("stops at the end of a block with await using", async () => {
    let url = "";
    {
      await using server = await startServer("single");
      ({ url } = server);
      expect(await acceptsConnections(url)).toBe(true);
    }
    expect(await acceptsConnections(url)).toBe(false);
  });

  it("takes a URL, a plugin, and options in place of those of a target", async () => {
    await using server = await startServer({ server: "single", options: { handler: "hello" } }, { handler: "json" });
    expect((await fetch(server.url)).headers.get("content-type")).toContain("json");
    expect((await startServer(server.url)).url).toBe(server.url);
    const plugin = createFakeServer({ name: "mine" });
    const fake = await startServer(plugin, { any: 1 });
    expect(plugin.running()).toBe(1);
    await fake.stop();
    await startServer("mine", {}, { servers: [plugin] });
    expect(plugin.starts()).toBe(2);
  });

  it("keeps what the class of a running server has, and hands on its functions", async () => {
    const plugin = createFakeServer({ name: "mine" });
    class Running {
      readonly died = new Promise<string>(() => {});
      readonly processes = [];
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
    }
    const { url, stop, requests } = await startServer({ ...plugin, start: async () => new Running() });
    expect(url).toBe("http://127.0.0.1:9");
    await stop();
    expect(await requests?.()).toBe(1);
  });

  it("asks a server, and those behind it, whether they can be started, before it starts any", async () => {
    const fake = createFakeServer({ name: "mine" });
    const plugin = {
      ...fake,
      check: async (): Promise<void> => {
        throw new Error("no module there");
      },
    };
    await expect(startServer(plugin)).rejects.toThrow("no module there");
    const behind = startServer("balanced", { backends: [{ server: "mine" }] }, { servers: [plugin] });
    await expect(behind).rejects.toThrow("no module there");
    expect(fake.starts()).toBe(0);
  });

  it("loads a plugin by its path, also behind a balancer, and says where there is none", async () => {
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

  it.each([null, undefined, 5, {}, { server: 1 }])("refuses what is no server: %j", async (given) => {
    await expect(startServer(given as unknown as string)).rejects.toThrow(ConfigError);
  });

  it("finds relative paths from the folder that it is told", async () => {
    const folder = mkdtempSync(join(tmpdir(), "lbbench-start-"));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    writeFileSync(
      join(folder, "pick-first.mjs"),
      "export default { name: 'first', create: () => ({ pick: ([one]) => one }) };",
    );
    await using one = await startServer("single");
    await using two = await startServer("single");
    await expect(startBalancer([one, two], { policy: "./nowhere.mjs", folder })).rejects.toThrow(folder);
  });

  it("refuses what cannot be started, with nothing left behind", async () => {
    await expect(startServer("singel")).rejects.toThrow('Did you mean "single"?');
    await expect(startServer("single", { handlr: "json" })).rejects.toThrow("handlr");
    await expect(startServer("http://127.0.0.1:1")).rejects.toThrow(StartError);
    await expect(startServer("single", {}, { signal: AbortSignal.abort(new Error("enough")) })).rejects.toThrow(
      "enough",
    );
  });
});

describe("startBalancer", () => {
  it("balances over servers and URLs, and counts requests by backend", async () => {
    await using one = await startServer("single");
    await using two = await startServer("single");
    await using balancer = await startBalancer([one, { url: two.url, name: "second" }]);
    await send(balancer.url, 10);
    expect(await balancer.backends()).toEqual({
      "backend-1": { requests: 5, errors: 0 },
      second: { requests: 5, errors: 0 },
    });
    await balancer.stop();
    expect(await acceptsConnections(one.url)).toBe(true);
  });

  it("goes by policy and weight", async () => {
    await using one = await startServer("single");
    await using two = await startServer("single");
    await using balancer = await startBalancer(
      [
        { url: one.url, name: "heavy", weight: 4 },
        { url: two.url, name: "light" },
      ],
      { policy: "weighted-round-robin" },
    );
    await send(balancer.url, 10);
    expect(await balancer.backends()).toMatchObject({ heavy: { requests: 8 }, light: { requests: 2 } });
  });

  it("refuses backends that do not answer, options that there are not, and counts in mode tcp", async () => {
    await using one = await startServer("single");
    await expect(startBalancer(["http://127.0.0.1:1"])).rejects.toThrow(StartError);
    await expect(startBalancer([])).rejects.toThrow("backends");
    await expect(startBalancer([one], { polcy: "random" } as object)).rejects.toThrow("polcy");
    await using balancer = await startBalancer([one], { mode: "tcp" });
    await send(balancer.url, 1);
    await expect(balancer.backends()).rejects.toThrow('mode "http"');
  });
});
