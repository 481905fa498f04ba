import { readdir } from "node:fs/promises";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { readProcessTable } from "../system/proc.js";
import { observeBackend } from "./test-support/observed-backend.js";
import { needs } from "@lbbench/test-support/needs.js";
import { requestOnce } from "./test-support/request-once.js";
import { startBuiltIn } from "./test-support/start-built-in.js";

const PATIENCE = { timeout: 60_000, interval: 20 };
const REQUESTS = 12;

type Asked = Readonly<{ path?: string; headers?: Record<string, string> }>;

describe.each([
  { program: "nginx", whenFull: "refuses the others", statuses: [200, 502], errors: {} },
  { program: "haproxy", whenFull: "lets the others wait", statuses: [200], errors: { errors: 0 } },
])("$program", ({ program, whenFull, statuses, errors }) => {
  describe.runIf(needs(program))("has backends that", () => {
    /** Starts the program in front of so many backends, which it has as URLs or as `toGroup` says. */
    async function balance(count: number, options: object = {}, toGroup?: (url: string, index: number) => object) {
      const backends = await Promise.all(Array.from({ length: count }, observeBackend));
      for (const { close } of backends) onTestFinished(close);
      const groups = backends.map(({ url }, index) => toGroup?.(url, index) ?? url);
      const { url } = await startBuiltIn(program, { backends: groups, ...options });
      /** Sends requests one after the other; returns how many each of the backends got. */
      const shares = async (ask: (index: number) => Asked = () => ({})): Promise<readonly number[]> => {
        const before = backends.map(({ received }) => received.length);
        for (let index = 0; index < REQUESTS; index += 1) {
          const { path = "/", headers } = ask(index);
          expect((await requestOnce(new URL(path, url), headers)).status).toBe(200);
        }
        return backends.map(({ received }, index) => received.length - (before[index] ?? 0));
      };
      return { url, backends, backend: backends[0], shares };
    }

    const used = (counts: readonly number[]): number => counts.filter((count) => count > 0).length;
    const sum = (counts: readonly number[]): number => counts.reduce((total, count) => total + count, 0);

    it.each([{}, { workers: 2 }])("get requests in turn by round-robin, with %o", async (more) => {
      const { shares } = await balance(3, more);
      expect(await shares()).toEqual([4, 4, 4]);
    });

    it("get their share by weighted-round-robin", async () => {
      const toGroup = (url: string, index: number) => ({ server: "url", options: { url }, weight: 3 - index });
      const { shares } = await balance(3, { policy: "weighted-round-robin" }, toGroup);
      expect(await shares()).toEqual([6, 4, 2]);
    });

    it("get everything of one address by ip-hash", async () => {
      const { shares } = await balance(3, { policy: "ip-hash" });
      expect(used(await shares())).toBe(1);
    });

    it.each([
      ["header:X-User", (user: string) => ({ headers: { "x-user": user } })],
      ["cookie:user", (user: string) => ({ headers: { cookie: `other=1; user=${user}` } })],
    ])("keep who has the same %s, and share those who have none", async (key, askAs) => {
      const { shares } = await balance(3, { policy: `consistent-hash:${key}` });
      for (const user of ["anna", "bob"]) expect(used(await shares(() => askAs(user)))).toBe(1);
      expect(used(await shares((index) => askAs(`user-${index}`)))).toBeGreaterThan(1);
      expect(used(await shares())).toBe(3);
    });

    it("keep a path, whatever its query, by consistent-hash", async () => {
      const { shares } = await balance(3, { policy: "consistent-hash" });
      expect(used(await shares((index) => ({ path: `/same?${index}` })))).toBe(1);
      expect(used(await shares((index) => ({ path: `/page-${index}` })))).toBeGreaterThan(1);
    });

    it.each([
      { policy: "random" },
      { policy: "power-of-two-choices" },
      { policy: "power-of-two-choices", workers: 2, maxConnections: 3 },
    ])("get all requests between them, with %o", async (options) => {
      const { shares } = await balance(2, options);
      expect(sum(await shares())).toBe(REQUESTS);
    });

    it("are left alone while they have more to do, by least-connections", async () => {
      const { url, backends, shares } = await balance(2, { policy: "least-connections" });
      const held = requestOnce(new URL("/hold", url));
      await vi.waitFor(() => expect(backends.some((backend) => backend.held() === 1)).toBe(true), PATIENCE);
      const busy = backends.map((backend) => backend.held());
      expect(await shares()).toEqual(busy.map((count) => (count === 1 ? 0 : REQUESTS)));
      for (const backend of backends) backend.release();
      expect((await held).body).toBe("released");
    });

    it.each([
      ["get a connection for each request when none is kept", { keepAlive: 0 }, 2 * REQUESTS],
      ["are reached over the same connection when it is kept, also for clients that are new each time", {}, 1],
    ])("%s", async (_, more, connections) => {
      const { url, backend } = await balance(1, more);
      for (let count = 0; count < REQUESTS; count += 1) await requestOnce(url);
      for (let count = 0; count < REQUESTS; count += 1) await (await fetch(url)).text();
      expect(backend?.received).toHaveLength(2 * REQUESTS);
      expect(backend?.connections()).toBe(connections);
    });

    it("are told whom the client asked and who it was", async () => {
      const { url, backend } = await balance(1);
      await requestOnce(url, { host: "example.org:81" });
      const headers = { host: "example.org:81", "x-forwarded-for": "127.0.0.1" };
      expect(backend?.received).toMatchObject([{ headers, httpVersion: "1.1" }]);
    });

    it(`are given no more requests at once than they may have: ${program} ${whenFull}`, async () => {
      const { url, backend } = await balance(1, { maxConnections: 1 });
      const asked = [0, 1].map(() => requestOnce(new URL("/hold", url)));
      await vi.waitFor(() => expect(backend?.held()).toBe(1), PATIENCE);
      if (statuses.includes(502)) await Promise.race(asked);
      const release = setInterval(() => backend?.release(), 100);
      onTestFinished(() => clearInterval(release));
      const told = (await Promise.all(asked)).map(({ status }) => status);
      expect(new Set(told)).toEqual(new Set(statuses));
      expect(backend?.most()).toBe(1);
    });

    it("cost no request when one of them is gone", async () => {
      const { backend, shares } = await balance(2);
      await backend?.close();
      expect(await shares()).toEqual([0, REQUESTS]);
    });

    it("are counted, whoever counts", async () => {
      const backends = [{ name: 'big "one"', server: "single", weight: 3 }, { server: "single" }];
      const running = await startBuiltIn(program, { backends, policy: "weighted-round-robin" });
      for (let count = 0; count < REQUESTS; count += 1) await requestOnce(running.url);
      // The program counts requests, or the backends do; the connections to keep are those of the backends.
      const connections = { before: 0, accepted: 1, open: 1, active: 0 };
      expect(await running.backends?.()).toEqual({
        'big "one"': { requests: 9, received: 9, ...errors, connections },
        "backend-1": { requests: 3, received: 3, ...errors, connections },
      });
      const anew = await startBuiltIn(program, { backends: 1, keepAlive: 0 });
      for (let count = 0; count < 3; count += 1) await requestOnce(anew.url);
      await expect
        .poll(async () => (await anew.backends?.())?.["backend-1"]?.connections, PATIENCE)
        .toEqual({ before: 0, accepted: 3, open: 0, active: 0 });
    });

    it("have as many workers in front of them as were asked for", async () => {
      const { processes } = await startBuiltIn(program, { backends: 1, workers: 3 });
      const [balancer] = processes;
      expect(balancer).toMatchObject({ role: "balancer", name: program, tree: true });
      await vi.waitFor(async () => expect(await workersOf(program, balancer?.pid ?? -1)).toBe(3), PATIENCE);
    });
  });
});

/** Child processes of nginx, threads of HAProxy's one. */
async function workersOf(program: string, pid: number): Promise<number> {
  const children = [...readProcessTable()].filter(([, { parent, isZombie }]) => parent === pid && !isZombie);
  if (program === "nginx") return children.length;
  const threads = await Promise.all(children.map(([child]) => readdir(`/proc/${child}/task`)));
  return threads.flat().length;
}
