import { describe, expect, it } from "vitest";
import { countOutcomes, expectAgreement, startLoad } from "../test-support/load.js";
import { asBackends, startBalancer } from "../test-support/servers.js";
import type { PlainBalancerOptions } from "../workers/workers-options.js";
import { LOCALHOST } from "@lbbench/test-support/certificates.js";
import { expectSoon } from "@lbbench/test-support/expect-soon.js";
import { startWorkers } from "../test-support/workers-started.js";
import { startBackendProcess, type BackendProcess } from "./test-support/processes.js";

interface Fault {
  readonly begin: (backend: BackendProcess) => unknown;
  readonly end: (backend: BackendProcess) => unknown;
  /** The statuses that tell clients of lost requests. */
  readonly toldAs: readonly string[];
}

/** What happens to a backend, and how it passes. */
const FAULTS: readonly (readonly [what: string, Fault])[] = [
  ["is killed", { begin: ({ kill }) => kill(), end: ({ start }) => start(), toldAs: ["502"] }],
  ["hangs", { begin: ({ hang }) => hang(), end: ({ goOn }) => goOn(), toldAs: ["504"] }],
  ["closes its listener", { begin: ({ stopListening }) => stopListening(), end: ({ listen }) => listen(), toldAs: [] }],
];

/** What is in front of the backends. */
const WAYS: Readonly<Record<string, Partial<Omit<PlainBalancerOptions, "policy">> & { readonly workers?: number }>> = {
  "by wire": {},
  "by wire on public sockets": { sockets: "public" },
  "by http-proxy": { transport: "http-proxy" },
  "that speaks TLS": { tls: LOCALHOST },
  "in two workers": { workers: 2 },
};

/** Four backends, a balancer over them that notices soon when one is gone, and load on it. */
async function startAll({ workers, ...options }: (typeof WAYS)[string], method: "GET" | "POST") {
  const start = (name: string) => startBackendProcess(name, 10);
  const backends = await Promise.all([start("a"), start("b"), start("c"), start("d")]);
  const active = { path: "/health", intervalMs: 100, timeoutMs: 1500, healthyAfter: 2, unhealthyAfter: 2 };
  const all = {
    ...options,
    backends: asBackends(backends),
    backendHeader: "x-backend",
    retries: 1,
    // A machine that is held up for a second has no backend time out that is well.
    timeouts: { connectMs: 5000, responseMs: 5000 },
    health: { active, passive: {} },
  };
  const balancer = workers === undefined ? await startBalancer(all) : await startWorkers({ workers, balancer: all });
  const load = startLoad(balancer.url, () => method);
  const snapshotOfBad = async () => (await balancer.snapshot()).backends[1];
  const condition = async () => (await snapshotOfBad())?.condition;
  /** How many requests it is given while 300 others are answered. */
  const givenMeanwhile = async (): Promise<number> => {
    const before = (await snapshotOfBad())?.requests ?? 0;
    await load.more(300);
    return ((await snapshotOfBad())?.requests ?? 0) - before;
  };
  await load.more(500);
  return { backends, bad: backends[1], balancer, load, givenMeanwhile, condition };
}

describe.each(Object.entries(WAYS))("a balancer %s with 50 connections on four backends", (_, way) => {
  it.each(FAULTS)("loses no GET when one of them %s, and has it out and back", async (_, { begin, end }) => {
    const { backends, bad, balancer, load, givenMeanwhile, condition } = await startAll(way, "GET");
    await begin(bad);
    await expectSoon(condition).toBe("unhealthy");
    // Each worker finds out by itself.
    await expect.poll(givenMeanwhile, { timeout: 20_000 }).toBe(0);
    expect(await givenMeanwhile()).toBe(0);
    await end(bad);
    await expectSoon(condition).toBe("up");
    const countWhenBack = (await bad.served()).length;
    await load.more(500);
    expect((await bad.served()).length).toBeGreaterThan(countWhenBack);

    const outcomes = await load.stop();
    expect(countOutcomes(outcomes)).toEqual({ 200: outcomes.length });
    // Once, and once more when its first backend had failed.
    expect(await expectAgreement(outcomes, await balancer.snapshot(), backends)).toBeLessThanOrEqual(2);
  });

  it.each(FAULTS)("sends no POST twice when one of them %s, and tells of each that is lost", async (_, fault) => {
    const { backends, bad, balancer, load, condition } = await startAll(way, "POST");
    await fault.begin(bad);
    await expectSoon(condition).toBe("unhealthy");
    await load.more(500);
    await fault.end(bad);
    await expectSoon(condition).toBe("up");
    await load.more(500);

    const outcomes = await load.stop();
    const told = Object.keys(countOutcomes(outcomes)).filter((status) => status !== "200");
    expect(["502", "504"]).toEqual(expect.arrayContaining(told));
    expect(told).toEqual(expect.arrayContaining([...fault.toldAs]));
    expect(await expectAgreement(outcomes, await balancer.snapshot(), backends)).toBe(1);
  });
});
