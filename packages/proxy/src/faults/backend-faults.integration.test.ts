import { describe, expect, it } from "vitest";
import { startBalancer } from "../test-support/servers.js";
import { TRANSPORTS } from "../test-support/transports.js";
import { FAULTS } from "./test-support/faults.js";
import { startBackendProcesses, type BackendProcess } from "./test-support/start-backend-process.js";
import { startLoad, type LoadOptions } from "./test-support/start-load.js";
import { countOutcomes, expectAgreement, mostServings, sumOf } from "./test-support/tallies.js";

const CHECKS = { path: "/health", intervalMs: 100, timeoutMs: 1500, healthyAfter: 2, unhealthyAfter: 2 };
const RETRIES = 1;
/** By which a backend has to be out, and back: its checks, and what a busy machine adds to them. */
const NOTICED_MS = 2 * (CHECKS.intervalMs + CHECKS.timeoutMs) + 3000;

/** Four backends, a balancer over them that notices soon when one is gone, and load on it. */
async function startAll(transport: (typeof TRANSPORTS)[number], methodOf: NonNullable<LoadOptions["methodOf"]>) {
  const backends = await startBackendProcesses(["a", "b", "c", "d"], { delayMs: 10 });
  const balancer = await startBalancer({
    transport,
    backends: backends.map(({ name, url }) => ({ name, url })),
    backendHeader: "x-backend",
    retries: RETRIES,
    // A machine that is held up for a second has no backend time out that is well.
    timeouts: { connectMs: 5000, responseMs: 5000 },
    health: { active: CHECKS, passive: {} },
  });
  const load = startLoad(balancer.url, { methodOf });
  const snapshotOf = ({ name }: BackendProcess) =>
    balancer.snapshot().backends.find((backend) => backend.name === name);
  const expectSoon = async (backend: BackendProcess, condition: string): Promise<void> => {
    const options = { interval: 10, timeout: NOTICED_MS };
    await expect.poll(() => snapshotOf(backend)?.condition, options).toBe(condition);
  };
  await load.more(500);
  return { backends, balancer, load, snapshotOf, expectSoon };
}

describe.each(TRANSPORTS)("a balancer by %s with 50 connections on four backends", (transport) => {
  it.each(FAULTS)("loses no GET when one of them %s, and has it out and back in time", async (_, { begin, end }) => {
    const { backends, balancer, load, snapshotOf, expectSoon } = await startAll(transport, () => "GET");
    const bad = backends[1];
    await begin(bad);
    await expectSoon(bad, "unhealthy");
    const requestsWhenOut = snapshotOf(bad)?.requests;
    await load.more(1000);
    expect(snapshotOf(bad)).toMatchObject({ condition: "unhealthy", requests: requestsWhenOut });
    await end(bad);
    await expectSoon(bad, "up");
    const countWhenBack = await bad.count();
    await load.more(500);
    expect(await bad.count()).toBeGreaterThan(countWhenBack);

    const outcomes = await load.stop();
    expect(countOutcomes(outcomes)).toEqual({ 200: outcomes.length });
    await expectAgreement(outcomes, balancer.snapshot(), backends);
    expect(await mostServings(backends)).toBeLessThanOrEqual(1 + RETRIES);
  });

  it("loses no GET when one of them is killed and started again at once", async () => {
    const { backends, balancer, load, expectSoon } = await startAll(transport, () => "GET");
    const bad = backends[2];
    for (let times = 0; times < 3; times++) {
      await bad.kill();
      await bad.start();
      await load.more(500);
    }
    await expectSoon(bad, "up");
    await expect.poll(() => bad.count(), { timeout: NOTICED_MS }).toBeGreaterThan(0);

    const outcomes = await load.stop();
    expect(countOutcomes(outcomes)).toEqual({ 200: outcomes.length });
    await expectAgreement(outcomes, balancer.snapshot(), backends);
    expect(await mostServings(backends)).toBeLessThanOrEqual(1 + RETRIES);
  });

  it.each(FAULTS)("sends no POST twice when one of them %s, and tells of each that is lost", async (_, fault) => {
    const { backends, balancer, load, expectSoon } = await startAll(transport, () => "POST");
    const bad = backends[3];
    await fault.begin(bad);
    await expectSoon(bad, "unhealthy");
    await load.more(500);
    await fault.end(bad);
    await expectSoon(bad, "up");
    await load.more(500);

    const outcomes = await load.stop();
    const statuses = countOutcomes(outcomes);
    const told = Object.keys(statuses).filter((status) => status !== "200");
    expect(["502", "504"]).toEqual(expect.arrayContaining(told));
    expect(told).toEqual(expect.arrayContaining([...fault.toldAs]));
    const snapshot = balancer.snapshot();
    expect(sumOf(snapshot.backends, ({ retries }) => retries)).toBe(0);
    expect(sumOf(snapshot.backends, ({ errors }) => errors)).toBe(outcomes.length - (statuses["200"] ?? 0));
    await expectAgreement(outcomes, snapshot, backends);
    expect(await mostServings(backends)).toBe(1);
  });
});
