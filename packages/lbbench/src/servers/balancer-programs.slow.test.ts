import { readdir } from "node:fs/promises";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { readProcessTable } from "../system/proc.js";
import type { RunningServer } from "../plugin.js";
import { observeBackend, type ObservedBackend } from "./test-support/observed-backend.js";
import { needs } from "../../test/support/needs.js";
import { requestOnce } from "./test-support/request-once.js";
import { startBuiltIn } from "./test-support/start-built-in.js";

const PATIENCE = { timeout: 60_000, interval: 20 };
const REQUESTS = 12;

describe.each([
  {
    program: "nginx",
    whenFull: { what: "refuses the others", isRefused: true, statuses: [200, 502] },
    errors: {},
  },
  {
    program: "haproxy",
    whenFull: { what: "lets the others wait", isRefused: false, statuses: [200] },
    errors: { errors: 0 },
  },
])("$program", ({ program, whenFull, errors }) => {
  describe.runIf(needs(program))("has backends that", () => {
    async function observeAll(count: number): Promise<readonly ObservedBackend[]> {
      const backends = await Promise.all(Array.from({ length: count }, observeBackend));
      for (const { close } of backends) onTestFinished(close);
      return backends;
    }

    /** Sends requests one after the other; returns how many each of the backends got. */
    async function shares(
      { url }: RunningServer,
      backends: readonly ObservedBackend[],
      ask: (index: number) => { readonly path?: string; readonly headers?: Record<string, string> } = () => ({}),
    ): Promise<readonly number[]> {
      const before = backends.map(({ received }) => received.length);
      for (let index = 0; index < REQUESTS; index += 1) {
        const { path = "/", headers } = ask(index);
        expect((await requestOnce(new URL(path, url), headers)).status).toBe(200);
      }
      return backends.map(({ received }, index) => received.length - (before[index] ?? 0));
    }

    const urls = (backends: readonly ObservedBackend[]): readonly string[] => backends.map(({ url }) => url);
    const used = (counts: readonly number[]): number => counts.filter((count) => count > 0).length;
    const sum = (counts: readonly number[]): number => counts.reduce((total, count) => total + count, 0);

    it.each([{}, { workers: 2 }])("get requests in turn by round-robin, with %o", async (more) => {
      const backends = await observeAll(3);
      expect(await shares(await startBuiltIn(program, { backends: urls(backends), ...more }), backends)).toEqual([
        4, 4, 4,
      ]);
    });

    it("get their share by weighted-round-robin", async () => {
      const backends = await observeAll(3);
      const groups = backends.map(({ url }, index) => ({ server: "url", options: { url }, weight: 3 - index }));
      const running = await startBuiltIn(program, { backends: groups, policy: "weighted-round-robin" });
      expect(await shares(running, backends)).toEqual([6, 4, 2]);
    });

    it("get everything of one address by ip-hash", async () => {
      const backends = await observeAll(3);
      const running = await startBuiltIn(program, { backends: urls(backends), policy: "ip-hash" });
      expect(used(await shares(running, backends))).toBe(1);
    });

    it.each([
      ["header:X-User", (user: string) => ({ headers: { "x-user": user } })],
      ["cookie:user", (user: string) => ({ headers: { cookie: `other=1; user=${user}` } })],
    ])("keep who has the same %s, and share those who have none", async (key, askAs) => {
      const backends = await observeAll(3);
      const running = await startBuiltIn(program, { backends: urls(backends), policy: `consistent-hash:${key}` });
      for (const user of ["anna", "bob"]) {
        expect(used(await shares(running, backends, () => askAs(user)))).toBe(1);
      }
      expect(used(await shares(running, backends, (index) => askAs(`user-${index}`)))).toBeGreaterThan(1);
      expect(used(await shares(running, backends))).toBe(3);
    });

    it("keep a path, whatever its query, by consistent-hash", async () => {
      const backends = await observeAll(3);
      const running = await startBuiltIn(program, { backends: urls(backends), policy: "consistent-hash" });
      expect(used(await shares(running, backends, (index) => ({ path: `/same?${index}` })))).toBe(1);
      expect(used(await shares(running, backends, (index) => ({ path: `/page-${index}` })))).toBeGreaterThan(1);
    });

    it.each([
      { policy: "random" },
      { policy: "power-of-two-choices" },
      { policy: "power-of-two-choices", workers: 2, maxConnections: 3 },
    ])("get all requests between them, with %o", async (options) => {
      const backends = await observeAll(2);
      const running = await startBuiltIn(program, { backends: urls(backends), ...options });
      expect(sum(await shares(running, backends))).toBe(REQUESTS);
    });

    it("are left alone while they have more to do, by least-connections", async () => {
      const backends = await observeAll(2);
      const running = await startBuiltIn(program, { backends: urls(backends), policy: "least-connections" });
      const held = requestOnce(new URL("/hold", running.url));
      await vi.waitFor(() => expect(backends.some((backend) => backend.held() === 1)).toBe(true), PATIENCE);
      const busy = backends.map((backend) => backend.held());
      expect(await shares(running, backends)).toEqual(busy.map((count) => (count === 1 ? 0 : REQUESTS)));
      for (const backend of backends) backend.release();
      expect((await held).body).toBe("released");
    });

    it.each([
      ["get a connection for each request when none is kept", { keepAlive: 0 }, 2 * REQUESTS],
      ["are reached over the same connection when it is kept, also for clients that are new each time", {}, 1],
    ])("%s", async (_, more, connections) => {
      const [backend] = await observeAll(1);
      const running = await startBuiltIn(program, { backends: [backend?.url], ...more });
      for (let count = 0; count < REQUESTS; count += 1) await requestOnce(running.url);
      for (let count = 0; count < REQUESTS; count += 1) await (await fetch(running.url)).text();
      expect(backend?.received).toHaveLength(2 * REQUESTS);
      expect(backend?.connections()).toBe(connections);
    });

    it("are told whom the client asked and who it was", async () => {
      const [backend] = await observeAll(1);
      const running = await startBuiltIn(program, { backends: [backend?.url] });
      await requestOnce(running.url, { host: "example.org:81" });
      const headers = { host: "example.org:81", "x-forwarded-for": "127.0.0.1" };
      expect(backend?.received).toMatchObject([{ headers, httpVersion: "1.1" }]);
    });

    it(`are given no more requests at once than they may have: ${program} ${whenFull.what}`, async () => {
      const [backend] = await observeAll(1);
      const running = await startBuiltIn(program, { backends: [backend?.url], maxConnections: 1 });
      const asked = [0, 1].map(() => requestOnce(new URL("/hold", running.url)));
      await vi.waitFor(() => expect(backend?.held()).toBe(1), PATIENCE);
      if (whenFull.isRefused) await Promise.race(asked);
      const release = setInterval(() => backend?.release(), 100);
      onTestFinished(() => clearInterval(release));
      const statuses = (await Promise.all(asked)).map(({ status }) => status);
      expect(new Set(statuses)).toEqual(new Set(whenFull.statuses));
      expect(backend?.most()).toBe(1);
    });

    it("cost no request when one of them is gone", async () => {
      const backends = await observeAll(2);
      const running = await startBuiltIn(program, { backends: urls(backends) });
      await backends[0]?.close();
      expect(await shares(running, backends.slice(1))).toEqual([REQUESTS]);
    });

    it("are counted, whoever counts", async () => {
      const backends = [{ name: 'big "one"', server: "single", weight: 3 }, { server: "single" }];
      const running = await startBuiltIn(program, { backends, policy: "weighted-round-robin" });
      for (let count = 0; count < REQUESTS; count += 1) await requestOnce(running.url);
      expect(await running.backends?.()).toEqual({
        'big "one"': { requests: 9, ...errors },
        "backend-1": { requests: 3, ...errors },
      });
    });

    it("have as many workers in front of them as were asked for", async () => {
      const { processes } = await startBuiltIn(program, { backends: 1, workers: 3 });
      const [balancer] = processes;
      expect(balancer).toMatchObject({ role: "balancer", name: program, tree: true });
      await vi.waitFor(async () => expect(await workersOf(program, balancer?.pid ?? -1)).toBe(3), PATIENCE);
    });
  });
});

/** Child processes of nginx, threads of HAProxy. */
async function workersOf(program: string, pid: number): Promise<number> {
  if (program === "haproxy") return (await readdir(`/proc/${pid}/task`)).length;
  return [...readProcessTable().values()].filter(({ parent, isZombie }) => parent === pid && !isZombie).length;
}
