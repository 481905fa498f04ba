import { describe, expect, it, onTestFinished } from "vitest";
import { createAdminServer } from "./observe/admin-server.js";
import type { LimitOptions } from "./options/options.js";
import { reloadBackends } from "./reload-backends.js";
import { expectSoon } from "@lbbench/test-support/expect-soon.js";
import { send } from "@lbbench/test-support/client.js";
import { countOutcomes, expectAgreement, mixed, startLoad } from "./test-support/load.js";
import { asBackends, startBackend, startBalancer } from "./test-support/servers.js";
import { WAYS_OF_SOCKETS } from "./test-support/transports.js";
import { startWorkers } from "./test-support/workers-started.js";

/** A backend that notes what it serves. */
async function startServing(name: string, delayMs = 2) {
  const served: string[] = [];
  const server = await startBackend((request, response) => {
    request.resume().once("end", () => {
      served.push(`${request.method} ${request.url}`);
      setTimeout(() => response.end("served"), delayMs);
    });
  });
  return { name, ...server, served: () => served };
}

/** Ends the load, all of which was answered. */
async function allAnswered(load: ReturnType<typeof startLoad>) {
  const outcomes = await load.stop();
  expect(countOutcomes(outcomes)).toEqual({ 200: outcomes.length });
  return outcomes;
}

// Backends that die under load: faults/backend-faults.slow.test.ts.
describe.each([...WAYS_OF_SOCKETS, "two workers"] as const)("a balancer by %s under load", (way) => {
  /** A balancer over four of five backends that retries nothing, so that every loss is seen. The second one has requests at any time. */
  async function startAll(limits: LimitOptions = {}) {
    const backends = await Promise.all([
      startServing("a"),
      startServing("b", 50),
      startServing("c"),
      startServing("d"),
      startServing("spare"),
    ]);
    const four = backends.slice(0, 4);
    const options = { backendHeader: "x-backend", retries: 0, backends: asBackends(four), limits };
    const balancer =
      way === "two workers"
        ? await startWorkers({ workers: 2, balancer: options })
        : await startBalancer({ transport: way, ...options });
    return { backends, four, balancer };
  }

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
    const { backends, balancer } = await startAll();
    const load = startLoad(balancer.url, mixed, 20);
    let names = ["a", "b", "c", "d"];
    let outside: (typeof backends)[number] = backends[4];
    for (const leaving of backends) {
      await load.more(50);
      await balancer.addBackend({ url: outside.url, name: outside.name });
      const leaves = balancer.removeBackend(leaving.name);
      names = [...names.slice(1), outside.name];
      expect(Object.keys(await balancer.stats())).toEqual(names);
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

  it("loses nothing as it becomes each of several lists that come at once, whatever stands for the balancer", async () => {
    const { backends, balancer } = await startAll();
    const load = startLoad(balancer.url, mixed, 20);
    const [a, b, c, d, spare] = asBackends(backends);
    const rows = async () => (await balancer.snapshot()).backends.map(({ name, weight }) => `${name} ${weight}`);
    const never = (): never => expect.unreachable();
    const control = { add: never, remove: never, drain: never, restore: never, setWeight: never };
    const { snapshot, reloadBackends: reload } = balancer;
    const admin = createAdminServer({ snapshot, backends: { ...control, reload } });
    onTestFinished(() => admin.close());
    const { url } = await admin.listen();
    const put = async (list: readonly object[]) =>
      send(`${url}/backends`, { method: "PUT", headers: { "content-type": "application/json" } }, JSON.stringify(list));
    for (let times = 0; times < 5; times++) {
      const done = [
        reloadBackends(balancer, [a, b]),
        reloadBackends({ ...balancer }, [
          { ...a, url: spare.url },
          { ...c, weight: 3 },
        ]),
        reload([a, spare, { ...b, weight: 2 }]),
      ];
      expect(await rows()).toEqual(["spare 1", "b 2", "a 1"]);
      await Promise.all(done);
      expect((await Promise.all([put([c, d]), put([{ ...d, weight: 4 }])])).map(({ status }) => status)).toEqual([
        202, 202,
      ]);
      // Which of the two came first is not known; a mixture is neither.
      expect([["d 4"], ["d 1", "c 1"], ["c 1", "d 1"]]).toContainEqual(await rows());
      await load.more(50);
    }
    await allAnswered(load);
  });

  it("loses nothing of what waits for a connection to a backend that is drained", async () => {
    const { four, balancer } = await startAll({ connectionsPerBackend: 1 });
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
