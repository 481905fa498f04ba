import { describe, expect, it } from "vitest";
import type { LimitOptions } from "../options/options.js";
import { startBalancer } from "../test-support/servers.js";
import { TRANSPORTS } from "../test-support/transports.js";
import { startBackendProcesses, type BackendProcess } from "./test-support/start-backend-process.js";
import { startLoad, type LoadOptions } from "./test-support/start-load.js";
import { answersOf, countOutcomes, expectAgreement, mostServings, sumOf } from "./test-support/tallies.js";

const mixed: LoadOptions["methodOf"] = (index) => (index % 2 === 0 ? "GET" : "POST");
const asOption = ({ name, url }: BackendProcess) => ({ name, url });

/** A balancer that retries nothing, so that whatever is lost is seen, over four of five backends. */
async function startAll(transport: (typeof TRANSPORTS)[number], limits: LimitOptions = {}) {
  const backends = await startBackendProcesses(["a", "b", "c", "d", "spare"], { delayMs: 5 });
  const balancer = await startBalancer({
    transport,
    backends: backends.slice(0, 4).map(asOption),
    backendHeader: "x-backend",
    retries: 0,
    limits,
  });
  return { backends, balancer };
}

describe.each(TRANSPORTS)("a balancer by %s that is changed under load", (transport) => {
  it("loses nothing while backends are drained, restored and given other weights, ten times", async () => {
    const { backends, balancer } = await startAll(transport);
    const load = startLoad(balancer.url, { methodOf: mixed });
    const four = backends.slice(0, 4);
    for (let times = 0; times < 10; times++) {
      const { name } = four[times % 4] ?? backends[0];
      await load.more(100);
      await balancer.drainBackend(name);
      const before = balancer.stats()[name];
      expect(before).toMatchObject({ errors: 0, inFlight: 0 });
      balancer.setBackendWeight(name, 1 + times);
      await load.more(300);
      expect(balancer.stats()[name]).toEqual(before);
      balancer.restoreBackend(name);
      await load.more(100);
      expect(balancer.stats()[name]?.requests).toBeGreaterThan(before?.requests ?? 0);
    }
    const outcomes = await load.stop();
    expect(outcomes.length).toBeGreaterThanOrEqual(5000);
    expect(countOutcomes(outcomes)).toEqual({ 200: outcomes.length });
    await expectAgreement(outcomes, balancer.snapshot(), four);
    expect(await mostServings(backends)).toBe(1);
  });

  it("loses nothing while backends are removed and added, ten times, and leaves them no connection", async () => {
    const { backends, balancer } = await startAll(transport);
    const load = startLoad(balancer.url, { methodOf: mixed });
    const inside: BackendProcess[] = backends.slice(0, 4);
    let outside = backends[4];
    for (let times = 0; times < 10; times++) {
      await load.more(200);
      const leaving = inside.shift() ?? backends[0];
      inside.push(outside);
      balancer.addBackend(asOption(outside));
      const leaves = balancer.removeBackend(leaving.name);
      expect(Object.keys(balancer.stats())).toEqual(inside.map(({ name }) => name));
      await leaves;
      const count = await leaving.count();
      expect(count).toBeGreaterThan(0);
      await expect.poll(() => leaving.connections(), { interval: 10, timeout: 20_000 }).toBe(0);
      outside = leaving;
      await load.more(300);
      expect(await leaving.count()).toBe(count);
    }
    const outcomes = await load.stop();
    expect(outcomes.length).toBeGreaterThanOrEqual(5000);
    expect(countOutcomes(outcomes)).toEqual({ 200: outcomes.length });
    for (const backend of backends) {
      const own = outcomes.filter((outcome) => outcome.backend === backend.name).map(({ id }) => id);
      expect((await backend.served()).toSorted()).toEqual(own.toSorted());
    }
  });

  it("loses nothing of what waits for a connection to a backend that is drained", async () => {
    const { backends, balancer } = await startAll(transport, { connectionsPerBackend: 3 });
    const load = startLoad(balancer.url, { methodOf: mixed });
    for (let times = 0; times < 10; times++) {
      const { name } = backends[times % 4] ?? backends[0];
      const snapshotOf = () => balancer.snapshot().backends.find((backend) => backend.name === name);
      await load.more(50);
      await expect.poll(() => snapshotOf()?.queued, { interval: 1, timeout: 20_000 }).toBeGreaterThan(0);
      const drained = balancer.drainBackend(name);
      expect(snapshotOf()).toMatchObject({ condition: "draining", queued: 0 });
      await drained;
      await load.more(50);
      balancer.restoreBackend(name);
    }
    const outcomes = await load.stop();
    expect(countOutcomes(outcomes)).toEqual({ 200: outcomes.length });
    const served = (await Promise.all(backends.map((backend) => backend.served()))).flat();
    expect(served.toSorted()).toEqual(outcomes.map(({ id }) => id).toSorted());
    const { backends: snapshots } = balancer.snapshot();
    expect(sumOf(snapshots, answersOf)).toBe(outcomes.length);
    for (const { requests, errors, inFlight, ...rest } of snapshots) {
      expect({ requests, inFlight }).toEqual({
        requests: answersOf({ requests, errors, inFlight, ...rest }) + errors,
        inFlight: 0,
      });
    }
  });

  it("answers every request that had begun when it is closed", async () => {
    const { backends, balancer } = await startAll(transport);
    const load = startLoad(balancer.url, { methodOf: mixed });
    await load.more(1000);
    await balancer.close({ graceMs: 60_000 });
    const outcomes = await load.stop();

    const { backends: snapshots, connections } = balancer.snapshot();
    expect(connections).toBe(0);
    expect(sumOf(snapshots, ({ errors, aborted, inFlight }) => errors + aborted + inFlight)).toBe(0);
    const answered = outcomes.filter(({ status }) => status === 200).map(({ id }) => id);
    expect(sumOf(snapshots, answersOf)).toBe(answered.length);
    const served = (await Promise.all(backends.map((backend) => backend.served()))).flat();
    expect(served.toSorted()).toEqual(answered.toSorted());
    // The others found nobody listening, or their idle connection closed.
    const others = outcomes.filter(({ status }) => status !== 200).map(({ status, error }) => status ?? error);
    for (const what of others) expect(what).toMatch(/ECONNREFUSED|ECONNRESET|socket hang up|EPIPE/);
  });

  it("closes at the end of its grace period when backends hang", async () => {
    const { backends, balancer } = await startAll(transport);
    const load = startLoad(balancer.url, { methodOf: mixed });
    await load.more(500);
    for (const backend of backends) backend.hang();
    await expect.poll(() => sumOf(balancer.snapshot().backends, ({ inFlight }) => inFlight)).toBe(50);
    await balancer.close({ graceMs: 100 });
    const outcomes = await load.stop();

    const { backends: snapshots, connections } = balancer.snapshot();
    expect(connections).toBe(0);
    expect(sumOf(snapshots, ({ inFlight, errors }) => inFlight + errors)).toBe(0);
    expect(sumOf(snapshots, ({ aborted }) => aborted)).toBe(50);
    expect(sumOf(snapshots, answersOf)).toBe(outcomes.filter(({ status }) => status === 200).length);
  });
});
