import { describe, expect, it, onTestFinished } from "vitest";
import { createAdminServer } from "./observe/admin-server.js";
import type { BalancerOptions } from "./options/options.js";
import { reloadBackends } from "./reload-backends.js";
import { expectSoon } from "@lbbench/test-support/expect-soon.js";
import { send } from "@lbbench/test-support/client.js";
import { countOutcomes, expectAgreement, mixed, startLoad, sumOf } from "./test-support/load.js";
import { asBackends, startBalancer, startMortal } from "./test-support/servers.js";
import { WAYS_OF_SOCKETS } from "./test-support/transports.js";
import { startWorkers } from "./test-support/workers-started.js";

/** Slow enough to have requests whenever it dies. */
const SLOW_MS = 50;

/** Ends the load, all of which was answered. */
async function allAnswered(load: ReturnType<typeof startLoad>) {
  const outcomes = await load.stop();
  expect(countOutcomes(outcomes)).toEqual({ 200: outcomes.length });
  return outcomes;
}

const WAYS = [...WAYS_OF_SOCKETS, "two workers"] as const;

describe.each(WAYS)("a balancer by %s under load", (way) => {
  /** A balancer over four of five backends that retries nothing, so that every loss is seen. */
  async function startAll(options: Pick<BalancerOptions, "retries" | "health" | "limits"> = {}, delayOfSecondMs = 2) {
    const delaysMs = { a: 2, b: delayOfSecondMs, c: 2, d: 2, spare: 2 };
    const backends = await Promise.all(Object.entries(delaysMs).map(([name, delayMs]) => startMortal(name, delayMs)));
    const four = backends.slice(0, 4);
    const all = { backendHeader: "x-backend", retries: 0, backends: asBackends(four), ...options };
    const balancer =
      way === "two workers"
        ? await startWorkers({ workers: 2, balancer: all })
        : await startBalancer({ transport: way, ...all });
    return { backends, four, balancer };
  }

  it("loses no GET when a backend dies and comes back, and has it out and back", async () => {
    const active = { path: "/", intervalMs: 20, timeoutMs: 10_000, healthyAfter: 1, unhealthyAfter: 1 };
    const { four, balancer } = await startAll({ retries: 1, health: { active } }, SLOW_MS);
    const load = startLoad(balancer.url, () => "GET", 20);
    const bad = four[1];
    const condition = async () => (await balancer.snapshot()).backends[1]?.condition;
    await load.more(100);
    await bad?.die();
    await expectSoon(condition).toBe("unhealthy");
    const requests = (await balancer.stats())["b"]?.requests;
    await load.more(100);
    expect((await balancer.stats())["b"]?.requests).toBe(requests);
    await bad?.comeBack();
    await expectSoon(condition).toBe("up");
    await load.more(100);
    await allAnswered(load);
    expect(sumOf((await balancer.snapshot()).backends, ({ errors }) => errors)).toBeGreaterThan(0);
    expect((await balancer.stats())["b"]?.requests).toBeGreaterThan(requests ?? 0);
  });

  it("sends no POST twice when a backend dies, and tells of each that is lost", async () => {
    const { four, balancer } = await startAll({ retries: 1 }, SLOW_MS);
    const load = startLoad(balancer.url, () => "POST", 20);
    await load.more(100);
    await four[1]?.die();
    await load.more(100);
    await four[1]?.comeBack();
    await load.more(100);
    const outcomes = await load.stop();
    expect(Object.keys(countOutcomes(outcomes))).toEqual(["200", "502"]);
    expect(await expectAgreement(outcomes, await balancer.snapshot(), four)).toBe(1);
  });

  it("loses nothing while backends are drained, restored and given other weights", async () => {
    const { four, balancer } = await startAll();
    const load = startLoad(balancer.url, mixed, 20);
    for (const [index, { name }] of four.entries()) {
      await load.more(50);
      await balancer.drainBackend(name);
      const before = (await balancer.stats())[name];
      expect(before).toMatchObject({ errors: 0, inFlight: 0 });
      await balancer.setBackendWeight(name, 1 + index);
      await load.more(50);
      expect((await balancer.stats())[name]).toEqual(before);
      await balancer.restoreBackend(name);
      await load.more(50);
      expect((await balancer.stats())[name]?.requests).toBeGreaterThan(before?.requests ?? 0);
    }
    const outcomes = await allAnswered(load);
    expect(await expectAgreement(outcomes, await balancer.snapshot(), four)).toBe(1);
  });

  it("loses nothing while backends are removed and added, and leaves them no connection", async () => {
    const { backends, four, balancer } = await startAll();
    const load = startLoad(balancer.url, mixed, 20);
    const inside = [...four];
    let [outside] = backends.slice(4);
    for (let times = 0; times < 5; times++) {
      await load.more(50);
      const leaving = inside.shift();
      if (leaving === undefined || outside === undefined) throw new Error("Expected five backends.");
      inside.push(outside);
      await balancer.addBackend({ url: outside.url, name: outside.name });
      const leaves = balancer.removeBackend(leaving.name);
      expect(Object.keys(await balancer.stats())).toEqual(inside.map(({ name }) => name));
      await leaves;
      const count = leaving.served().length;
      expect(count).toBeGreaterThan(0);
      await expectSoon(() => leaving.open().length).toBe(0);
      outside = leaving;
      await load.more(50);
      expect(leaving.served().length).toBe(count);
    }
    const outcomes = await allAnswered(load);
    for (const { name, served } of backends) {
      const own = outcomes.filter(({ backend }) => backend === name).map(({ id }) => id);
      expect(served().toSorted()).toEqual(own.toSorted());
    }
  });

  it("loses nothing while its list of backends is replaced, and changes nothing when a list is wrong", async () => {
    const { backends, balancer } = await startAll();
    const load = startLoad(balancer.url, mixed, 20);
    const [a, b, c, , spare] = asBackends(backends);
    if (a === undefined || b === undefined || c === undefined || spare === undefined) throw new Error("Expected five.");
    const lists = [
      [a, b],
      [c],
      [
        { ...a, url: spare.url },
        { ...c, weight: 3 },
      ],
      [a, b, c],
    ];
    for (const list of [...lists, ...lists]) {
      await reloadBackends(balancer, list);
      const namesAndUrls = (all: readonly { name: string; url: string }[]) =>
        new Map(all.map((one) => [one.name, one.url]));
      expect(namesAndUrls((await balancer.snapshot()).backends)).toEqual(namesAndUrls(list));
      await load.more(50);
    }
    await expect(reloadBackends(balancer, [a, a])).rejects.toThrow(/"a" for the second time/);
    await expect(reloadBackends(balancer, [])).rejects.toThrow(/at least one backend/);
    await allAnswered(load);
    expect((await balancer.snapshot()).backends).toHaveLength(3);
  });

  it("becomes each of several lists that come at once, one after the other, whatever stands for the balancer", async () => {
    const { backends, balancer } = await startAll({}, SLOW_MS);
    const load = startLoad(balancer.url, mixed, 20);
    const [a, b, c, d, spare] = asBackends(backends);
    if (a === undefined || b === undefined || c === undefined || d === undefined || spare === undefined)
      throw new Error("Expected five.");
    const rows = async () => (await balancer.snapshot()).backends.map(({ name, weight }) => `${name} ${weight}`);
    const {
      addBackend,
      removeBackend,
      drainBackend,
      restoreBackend,
      setBackendWeight,
      reloadBackends: reload,
    } = balancer;
    const admin = createAdminServer({
      snapshot: balancer.snapshot,
      backends: {
        add: addBackend,
        remove: removeBackend,
        drain: drainBackend,
        restore: restoreBackend,
        setWeight: setBackendWeight,
        reload,
      },
    });
    onTestFinished(() => admin.close());
    const { url } = await admin.listen();
    const put = async (list: readonly object[]) =>
      send(`${url}/backends`, { method: "PUT", headers: { "content-type": "application/json" } }, JSON.stringify(list));
    for (let times = 0; times < 5; times++) {
      const done = [
        reloadBackends(balancer, [a, b]),
        reloadBackends({ ...balancer }, [{ ...c, weight: 3 }, spare]),
        reload([a, spare, { ...b, weight: 2 }]),
      ];
      expect(await rows()).toEqual(["spare 1", "a 1", "b 2"]);
      await Promise.all(done);
      const [first, second] = [[c, d], [{ ...d, weight: 4 }]];
      expect((await Promise.all([put(first), put(second)])).map(({ status }) => status)).toEqual([202, 202]);
      // Which of the two came first is not known; a mixture is neither.
      expect([["d 4"], ["d 1", "c 1"], ["c 1", "d 1"]]).toContainEqual(await rows());
      await load.more(50);
    }
    await allAnswered(load);
  });

  it("loses nothing of what waits for a connection to a backend that is drained", async () => {
    const { four, balancer } = await startAll({ limits: { connectionsPerBackend: 1 } });
    const load = startLoad(balancer.url, mixed, 20);
    for (const { name } of four) {
      const snapshotOf = async () => (await balancer.snapshot()).backends.find((backend) => backend.name === name);
      await expectSoon(async () => (await snapshotOf())?.queued).toBeGreaterThan(0);
      const drained = balancer.drainBackend(name);
      expect(await snapshotOf()).toMatchObject({ condition: "draining", queued: 0 });
      await drained;
      await load.more(50);
      await balancer.restoreBackend(name);
    }
    const outcomes = await allAnswered(load);
    const served = four.flatMap((backend) => backend.served());
    expect(served.toSorted()).toEqual(outcomes.map(({ id }) => id).toSorted());
  });

  it("answers every request that had begun when it is closed", async () => {
    const { four, balancer } = await startAll();
    // A connection that is on its way to a worker when that ends is never answered: node:cluster forgets it.
    const load = startLoad(balancer.url, mixed, 20, 10_000);
    await load.more(200);
    await balancer.close({ graceMs: 600_000 });
    const outcomes = await load.stop();
    expect((await balancer.snapshot()).connections).toBe(0);
    const answered = outcomes.filter(({ status }) => status === 200);
    expect(await expectAgreement(answered, await balancer.snapshot(), four)).toBe(1);
    expect(four.flatMap((backend) => backend.served())).toHaveLength(answered.length);
    // The others found the port closed, or their idle connection.
    const others = outcomes.filter(({ status }) => status !== 200).map(({ status, error }) => status ?? error);
    for (const what of others) expect(what).toMatch(/ECONNREFUSED|ECONNRESET|socket hang up|EPIPE|silence/);
  });
});
