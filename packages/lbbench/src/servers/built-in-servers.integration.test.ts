import { once } from "node:events";
import { createServer } from "node:http";
import { connect } from "node:http2";
import { describe, expect, it, onTestFinished } from "vitest";
import { keepAliveAgent, sendTimes } from "@lbbench/test-support/client.js";
import { clearMemoryOften } from "@lbbench/test-support/clear-memory.js";
import { serve } from "@lbbench/test-support/servers.js";
import { DEFAULTS } from "../config/defaults.js";
import { connectOnce, findFreePort } from "../system/listen.js";
import { balancedServer } from "./balanced.js";
import { occupyPort } from "./test-support/occupied-port.js";
import { startBuiltIn } from "./test-support/start-built-in.js";
import { waitUntilAnswers } from "./ready.js";

const REQUESTS = 12;

it.each([
  ["one process", 1, 0],
  ["cluster of four", 4, 1],
  ["four behind a balancer", 4, 1],
])("%s of the default sweep serves by %d processes, with %d in front of them", async (name, serving, inFront) => {
  const { server = "", options = {} } = DEFAULTS.targets.find((target) => target.name === name) ?? {};
  const { url, processes } = await startBuiltIn(server, options);
  expect((await fetch(url)).status).toBe(200);
  const of = (role: string): number => processes.filter((one) => one.role === role).length;
  expect([of("backend"), of("balancer")]).toEqual([serving, inFront]);
});

it("starts a command that speaks HTTP/2 alone, without TLS", async () => {
  const code = 'require("http2").createServer().on("stream", (s) => s.respond()).listen(process.env.PORT, "127.0.0.1")';
  const { url } = await startBuiltIn("command", { command: ["node", "-e", code] }, "2");
  const client = connect(url);
  onTestFinished(() => client.destroy());
  const [head] = (await once(client.request({ ":path": "/" }).end(), "response")) as [object];
  expect(head).toMatchObject({ ":status": 200 });
});

describe("a balancer over others", () => {
  it("balances by weight, also over balancers, whose processes carry its name for them", async () => {
    const inner = { name: "inner", server: "balanced", options: { backends: 1 }, count: 2, weight: 1 };
    const backends = [inner, { server: "single", weight: 2 }];
    const { url, processes, ...running } = await startBuiltIn("balanced", { backends, policy: "weighted-round-robin" });
    await sendTimes(url, REQUESTS, { agent: false });
    expect(processes.map(({ name, role }) => `${role} ${name}`)).toEqual([
      "balancer balancer",
      "balancer inner-1 balancer",
      "backend inner-1 backend-1",
      "balancer inner-2 balancer",
      "backend inner-2 backend-1",
      "backend backend-1",
    ]);
    expect(await running.backends?.()).toMatchObject({
      "inner-1": { requests: 3, errors: 0 },
      "inner-2": { requests: 3, errors: 0 },
      "backend-1": { requests: 6, errors: 0 },
    });
  });

  it("lets the backends count where it sees connections only, and tells whose turn it was", async () => {
    const backends = ["single", { server: "cluster", options: { workers: 1 } }];
    const { url, backends: shares, turns } = await startBuiltIn("balanced", { backends, mode: "tcp" });
    await sendTimes(url, REQUESTS, { agent: false });
    expect(await shares?.()).toMatchObject({ "backend-1": { requests: 6 }, "backend-2": { requests: 6 } });
    expect(await turns?.()).toMatchObject({ of: "connections", picked: REQUESTS, inTurn: REQUESTS });
    expect(await turns?.()).toMatchObject({ picked: 0, first: [] });
  });

  it.each(["http", "tcp"])(
    "has backends that count their connections, whoever counts requests, in mode %s",
    async (mode) => {
      const { url, backends } = await startBuiltIn("balanced", { backends: 2, mode });
      await sendTimes(url, 6, { agent: keepAliveAgent({ maxSockets: 1 }) });
      // Both are asked over one kept connection; in mode tcp there is one connection of a client.
      const connections = { before: 0, accepted: 1, open: 1, active: 0 };
      const shares = Object.values((await backends?.()) ?? {});
      expect(shares.map(({ requests }) => requests)).toEqual(mode === "http" ? [3, 3] : [6, 0]);
      expect(shares.map((share) => share.connections)).toEqual(
        mode === "http" ? [connections, connections] : [connections, { before: 0, accepted: 0, open: 0, active: 0 }],
      );
    },
  );

  it("is told what it is to take for a failure, and refuses what the balancer has not", async () => {
    const options = { backends: 1, handler: "sleep:5s", timeouts: { responseMs: 50 }, retries: 0 };
    const { url } = await startBuiltIn("balanced", options);
    expect((await fetch(url)).status).toBe(504);
    const check = (given: object): unknown =>
      balancedServer.check?.(balancedServer.options.parse(given), { folder: "." });
    await expect(check({ health: { active: { intervalMs: 0 } } })).rejects.toThrow(
      "health.active.intervalMs: expected",
    );
    await expect(check({ limits: { connections: 1 } })).rejects.toThrow("there is no such option");
    await expect(check({ via: "a b" })).rejects.toThrow("via: expected a name");
  });

  it("says in Via what it is told to", async () => {
    const backend = await serve(createServer(({ headers }, response) => response.end(headers.via ?? "none")));
    const ask = async (options: object): Promise<string> => {
      const { url } = await startBuiltIn("balanced", { backends: [backend.url], ...options });
      return (await fetch(url)).text();
    };
    expect([await ask({}), await ask({ via: "edge" })]).toEqual(["none", "1.1 edge"]);
  });

  it("puts servers that are running already behind it, and leaves them running", async () => {
    const outside = await startBuiltIn("single", {});
    const options = { backends: [outside.url], mode: "tcp" };
    const { url, processes, unseen, backends, stop } = await startBuiltIn("balanced", options);
    expect((await fetch(url)).status).toBe(200);
    expect(processes.filter(({ found }) => found !== true).map(({ name }) => name)).toEqual(["balancer"]);
    expect(unseen).toBe(process.platform !== "linux");
    expect(backends).toBeUndefined();
    await stop();
    expect((await fetch(outside.url)).status).toBe(200);
  });
});

describe("an address", () => {
  it("is given up when that is asked for, also where something accepts and never answers", async () => {
    const { port, free } = await occupyPort();
    onTestFinished(free);
    const controller = new AbortController();
    const waiting = waitUntilAnswers(new URL(`http://127.0.0.1:${port}/`), controller.signal);
    controller.abort();
    await expect(waiting).rejects.toThrow("aborted");
    const reason = new Error("enough");
    await expect(connectOnce(new URL("http://127.0.0.1:1/"), AbortSignal.abort(reason))).rejects.toBe(reason);
    await expect(connectOnce(new URL("http://[::1]:1/"), new AbortController().signal)).rejects.toThrow(/^connect E/);
  });

  it("is asked again where an answer does not come, also when memory is cleared meanwhile", async () => {
    let requests = 0;
    const { url } = await serve(createServer((_, response) => void ((requests += 1) > 1 && response.end())));
    clearMemoryOften();
    await waitUntilAnswers(new URL(url), new AbortController().signal);
    expect(requests).toBe(2);
  });

  it("has a port that nobody else is given", async () => {
    const found = await Promise.all(Array.from({ length: 50 }, findFreePort));
    expect(new Set(found).size).toBe(50);
  });
});
