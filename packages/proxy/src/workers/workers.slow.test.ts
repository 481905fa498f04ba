import type { ChildProcess } from "node:child_process";
import cluster from "node:cluster";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { describe, expect, it, vi } from "vitest";
import { runningOf } from "@lbbench/test-support/marked-processes.js";
import { BalancerListenError } from "../listen.js";
import { BalancerOptionsError } from "../options/options.js";
import { temporaryPath } from "@lbbench/test-support/servers.js";
import { isListening, send } from "@lbbench/test-support/client.js";
import { expectSoon } from "@lbbench/test-support/expect-soon.js";
import { startLoad } from "../test-support/load.js";
import { asBackends, startBackend, startHolding, startNamed, startRawBackend } from "../test-support/servers.js";
import { say, wireClient } from "../test-support/wire.js";
import { countsOf, sendOver, startWorkers, startWorkersProgram } from "../test-support/workers-started.js";
import { startBalancerWorkers } from "./start-balancer-workers.js";
import type { BalancerWorkers, PlainBalancerOptions } from "./workers-options.js";

const nowhere = [{ url: "http://127.0.0.1:4001" }];

/** Workers of this process, of every cluster. */
function workersOfThisProcess(): readonly number[] {
  return Object.values(cluster.workers ?? {}).flatMap((worker) => worker?.process.pid ?? []);
}

/** The only worker, or the first of them. */
function firstOf(pids: readonly number[]): number {
  const [pid] = pids;
  if (pid === undefined) throw new Error("Expected a worker.");
  return pid;
}

/** Kills the first worker, and waits until there are as many as before without it. */
async function killFirst(balancer: BalancerWorkers): Promise<void> {
  const before = balancer.pids();
  const killed = firstOf(before);
  process.kill(killed, "SIGKILL");
  await expectSoon(() => balancer.pids().filter((pid) => pid !== killed).length).toBe(before.length);
}

/** A policy whose worker ends at the 400th request. */
const EXITS = `
  export const policy = {
    name: "exits",
    create: () => {
      let picked = 0;
      return { pick: (backends) => (++picked === 400 ? process.exit(3) : backends[0]) };
    },
  };
`;

interface Channel {
  readonly readStop: () => void;
  readonly readStart: () => void;
}

/** A worker of this process, and the channel to it, which is inside Node's own object. */
function childOf(pid: number): { readonly child: ChildProcess; readonly channel: Channel } {
  const child = Object.values(cluster.workers ?? {}).find((one) => one?.process.pid === pid)?.process;
  if (child === undefined) throw new Error(`Expected a worker ${pid}.`);
  const inside = Object.getOwnPropertySymbols(child).map((symbol) => (child as never)[symbol] as Channel | undefined);
  const channel = inside.find((value) => value?.readStop !== undefined);
  if (channel === undefined) throw new Error("Expected a channel with readStop().");
  return { child, channel };
}

/** Workers before backends that answer with their names. */
async function startOver(workers: number, ...names: string[]) {
  const named = await startNamed(...names);
  return { named, balancer: await startWorkers({ workers, balancer: { backends: asBackends(named) } }) };
}

/** Workers before one backend, which is called `a`. */
async function startBeforeA(
  { url }: { readonly url: string },
  workers: number,
  options: Partial<PlainBalancerOptions> = {},
) {
  return startWorkers({ workers, balancer: { backends: [{ url, name: "a" }], ...options } });
}

/** Workers before a backend that notes when it served, under load. */
async function startUnderLoad(workers: number, options: Partial<PlainBalancerOptions> = {}) {
  const atMs: number[] = [];
  const backend = await startBackend((request, answer) => {
    request.resume();
    atMs.push(Date.now());
    answer.end();
  });
  const balancer = await startBeforeA(backend, workers, options);
  const load = startLoad(balancer.url, () => "GET", 20, 1000);
  const servedFrom = (fromMs: number, toMs: number) => atMs.filter((at) => at >= fromMs && at <= toMs).length;
  return { served: () => atMs.length, servedFrom, load, balancer };
}

describe("serving", () => {
  it("is done by as many processes as asked for, which count every request once and leave SIGINT to the primary", async () => {
    const { named, balancer } = await startOver(2, "a", "b");
    const pids = balancer.pids();
    expect([new Set(pids).size, pids.includes(process.pid)]).toEqual([2, false]);
    for (const pid of pids) process.kill(pid, "SIGINT");
    expect((await sendOver(balancer.url, 10, 50)).flat()).toHaveLength(500);
    const snapshot = await balancer.snapshot();
    const [a = 0, b = 0] = named.map(({ answers }) => answers());
    expect(a + b).toBe(500);
    expect(countsOf(snapshot, "requests")).toEqual({ a, b });
    expect(snapshot.backends.map(({ answers }) => answers["2xx"])).toEqual([a, b]);
    expect(balancer.pids()).toEqual(pids);
  });

  it("shares the connections out among the workers, each of which has limits and turns of its own", async () => {
    const backend = await startHolding();
    const balancer = await startBeforeA(backend, 2, { limits: { connectionsPerBackend: 1 } });
    const answers = [send(balancer.url), send(balancer.url), send(balancer.url)];
    // Connections are dealt out in turn: two for one worker, one for the other.
    await expectSoon(async () => (await balancer.snapshot()).backends[0]?.queued).toBe(1);
    await expectSoon(() => backend.held.length).toBe(2);
    backend.letGo();
    await expectSoon(() => backend.held.length).toBe(1);
    backend.letGo();
    expect((await Promise.all(answers)).map(({ status }) => status)).toEqual([200, 200, 200]);
  });

  it("relays connections in mode tcp", async () => {
    const closing = await startRawBackend((socket) => socket.end("bye"));
    const balancer = await startBeforeA({ url: closing.url.replace("http:", "tcp:") }, 2, { mode: "tcp" });
    expect(balancer.url).toMatch(/^tcp:/);
    expect(await say(balancer.port, "hello")).toBe("bye");
  });
});

describe("changes", () => {
  it("reach all workers, also one that comes later, and begin the counts of another backend of that name anew", async () => {
    const named = await startNamed("a", "b", "c", "d");
    const [a, b, c, d] = asBackends(named);
    const balancer = await startWorkers({ workers: 2, balancer: { backends: [a, b], policy: "weighted-round-robin" } });
    const answeredBy = async () => [...new Set((await sendOver(balancer.url, 6, 4)).flat())].toSorted().join("");
    await balancer.addBackend(c);
    expect(await answeredBy()).toBe("abc");
    await balancer.drainBackend("a");
    expect(await answeredBy()).toBe("bc");
    await balancer.removeBackend("b");
    expect(await answeredBy()).toBe("c");
    await balancer.restoreBackend("a");
    expect(await answeredBy()).toBe("ac");
    await balancer.setBackendWeight("c", 1000);
    // In any turn a backend of a thousandth gets at most one of a few requests from each worker.
    const before = named[0].answers();
    await answeredBy();
    expect(named[0].answers() - before).toBeLessThanOrEqual(2);
    await balancer.addBackend(b);
    await expectSoon(async () => countsOf(await balancer.snapshot(), "requests")["b"]).toBe(0);

    await Promise.all([
      balancer.drainBackend("a"),
      balancer.restoreBackend("a"),
      balancer.drainBackend("b"),
      balancer.addBackend(d),
      balancer.setBackendWeight("c", 7),
    ]);
    const killed = balancer.pids();
    for (const pid of killed) process.kill(pid, "SIGKILL");
    await expectSoon(() => balancer.pids().filter((pid) => !killed.includes(pid)).length).toBe(2);
    await expectSoon(answeredBy).toBe("acd");
    const snapshot = await balancer.snapshot();
    const conditions = snapshot.backends.map(({ name, condition }) => `${name} ${condition}`);
    expect(conditions).toEqual(["a up", "c up", "b draining", "d up"]);
    expect(countsOf(snapshot, "weight")).toEqual({ a: 1, b: 1, c: 7, d: 1 });
  });

  it("that are bad are refused in all workers, with the message of one balancer", async () => {
    const { balancer } = await startOver(2, "a");
    const changes = [
      [balancer.addBackend({ url: "http://127.0.0.1:4001", name: "a" }), /backend\.name: .* "a" for the second time/],
      [balancer.removeBackend("b"), /name: expected the name of a backend, got "b"/],
      [balancer.drainBackend("b"), /got "b"/],
      [balancer.restoreBackend("b"), /got "b"/],
      [balancer.setBackendWeight("a", 0), /weight: expected a number from 0\.001 to 1000000/],
      [balancer.reloadBackends([]), /backends: expected a list with at least one backend/],
    ] as const;
    for (const [change, message] of changes) {
      await expect(change).rejects.toThrow(BalancerOptionsError);
      await expect(change).rejects.toThrow(message);
    }
    expect((await send(balancer.url)).body).toBe("a");
  });
});

describe("a worker", () => {
  it("that dies is replaced after a backend was refused that no worker could start with", async () => {
    const health = { active: { grpc: "", intervalMs: 600_000 } };
    const balancer = await startBeforeA({ url: "h2c://127.0.0.1:4001" }, 1, { health });
    await expect(balancer.addBackend({ url: "http://127.0.0.1:4002" })).rejects.toThrow(/^health\.active\.grpc: /);
    await killFirst(balancer);
  });

  it("that is killed is replaced, while the others serve on, and its counts are kept", async () => {
    const { named, balancer } = await startOver(2, "a", "b");
    const expectAllCounted = async (): Promise<void> => {
      const counts = Object.fromEntries(named.map(({ name, answers }) => [name, answers()]));
      expect(countsOf(await balancer.snapshot(), "requests")).toEqual(counts);
    };
    await sendOver(balancer.url, 8, 10);
    await expectAllCounted();
    const killed = firstOf(balancer.pids());
    process.kill(killed, "SIGKILL");
    await expectSoon(() => runningOf([killed])).toEqual([]);
    await expectSoon(() => balancer.pids()).not.toContain(killed);
    await sendOver(balancer.url, 4, 5);
    await expectSoon(() => balancer.pids().length).toBe(2);
    await sendOver(balancer.url, 8, 10);
    await expectAllCounted();
    expect(countsOf(await balancer.snapshot(), "errors")).toEqual({ a: 0, b: 0 });
  });

  it.each([1, 2])("that is killed under load leaves what it had told, and how long ago: %i", async (workers) => {
    const { served, servedFrom, load, balancer } = await startUnderLoad(workers);
    await load.more(500);
    const before = countsOf(await balancer.snapshot(), "requests")["a"] ?? Infinity;
    // What was told in time is kept, also if it is not asked for.
    await load.more(500);
    const killed = firstOf(balancer.pids());
    const killedAtMs = Date.now();
    process.kill(killed, "SIGKILL");
    await expectSoon(() => balancer.pids()).not.toContain(killed);
    const goneAtMs = Date.now();
    await expectSoon(() => balancer.pids().length).toBe(workers);
    await load.more(200);
    await load.stop();
    const { uncounted, backends } = await balancer.snapshot();
    const told = backends[0]?.requests ?? 0;
    expect(uncounted).toEqual({ workers: 1, ms: expect.any(Number) });
    const ms = uncounted?.ms ?? Infinity;
    expect(ms).toBeLessThanOrEqual(goneAtMs - killedAtMs + 5000);
    expect(told).toBeGreaterThanOrEqual(before);
    expect(told).toBeLessThanOrEqual(served() + 20);
    // At most what the backend served in that time is missing, and what was on its way to it on 20 connections.
    expect(served() - told).toBeLessThanOrEqual(servedFrom(killedAtMs - ms - 1, goneAtMs) + 20);
  });

  it.each([
    ["is told to end", (pid: number): unknown => process.kill(pid, "SIGTERM"), ""],
    ["ends by itself", (): undefined => undefined, EXITS],
  ])("that %s under load has told all of its counts", async (_, end, module) => {
    const policy = temporaryPath("policy.mjs");
    writeFileSync(policy, module);
    const { served, load, balancer } = await startUnderLoad(2, module === "" ? {} : { policy });
    const pids = balancer.pids();
    await load.more(300);
    end(firstOf(pids));
    await load.more(1000);
    await expectSoon(() => balancer.pids().every((pid) => pids.includes(pid))).toBe(false);
    await load.stop();
    const snapshot = await balancer.snapshot();
    expect(snapshot).not.toHaveProperty("uncounted");
    // A request may have been picked a backend for, and not be there yet.
    const requests = countsOf(snapshot, "requests")["a"] ?? 0;
    expect(requests).toBeGreaterThanOrEqual(served());
    expect(requests).toBeLessThanOrEqual(served() + (countsOf(snapshot, "errors")["a"] ?? 0));
  });

  it("that is the only one is replaced, with what it had in flight as an error, also when no backend is left", async () => {
    const { url } = await startHolding();
    const balancer = await startBeforeA({ url }, 1);
    send(balancer.url).catch(() => undefined);
    await expectSoon(balancer.stats).toMatchObject({ a: { requests: 1, inFlight: 1 } });
    await killFirst(balancer);
    expect(await balancer.stats()).toEqual({ a: { requests: 1, errors: 1, aborted: 0, inFlight: 0 } });
    await balancer.removeBackend("a");
    await killFirst(balancer);
    expect((await send(balancer.url)).status).toBe(503);
    await balancer.addBackend({ url, name: "a" });
    expect(await balancer.stats()).toMatchObject({ a: { requests: 0, errors: 0 } });
  });

  it("that ends while a connection is on its way to it is replaced, and leaves no port open when all is closed", async () => {
    const { balancer } = await startOver(1, "a");
    const pid = firstOf(balancer.pids());
    const { child, channel } = childOf(pid);
    // A loaded primary learns of the exit before it has read all that the worker had said, and passes connections on.
    channel.readStop();
    child.kill("SIGKILL");
    await once(child, "exit");
    const passOn = vi.spyOn(child, "send");
    wireClient(balancer.port);
    await expectSoon(() => passOn.mock.calls.length).toBe(1);
    channel.readStart();
    await expectSoon(() => balancer.pids().filter((now) => now !== pid).length).toBe(1);
    expect((await send(balancer.url)).body).toBe("a");
    await balancer.close({ graceMs: 0 });
    expect([workersOfThisProcess(), await isListening(balancer.port)]).toEqual([[], false]);
  });

  it("that hangs keeps no figures from coming", async () => {
    const { balancer } = await startOver(2, "a");
    await sendOver(balancer.url, 4, 5);
    const before = await balancer.stats();
    const hung = firstOf(balancer.pids());
    process.kill(hung, "SIGSTOP");
    try {
      expect(await balancer.stats()).toEqual(before);
    } finally {
      process.kill(hung, "SIGCONT");
    }
  });

  it("is left by nobody, nor a port, when the primary is killed; each writes its log to the standard output", async () => {
    const backends = asBackends(await startNamed("a"));
    const options = { workers: 2, balancer: { backends }, log: { format: "json" } } as const;
    const { program, started, output } = await startWorkersProgram(options);
    await sendOver(started.url, 4, 5);
    await expectSoon(() => output().split("\n").length).toBe(21);
    const lines = output().trim().split("\n");
    expect(new Set(lines.map((line) => (JSON.parse(line) as { backend: string }).backend))).toEqual(new Set(["a"]));
    expect(runningOf(started.pids)).toHaveLength(2);
    program.kill("SIGKILL");
    await once(program, "exit");
    await expectSoon(() => runningOf(started.pids)).toEqual([]);
    expect(await isListening(Number(new URL(started.url).port))).toBe(false);
  });
});

describe("closing", () => {
  it("lets requests in flight finish, leaves no process, and may be asked again", async () => {
    const backend = await startHolding("late");
    const balancer = await startBeforeA(backend, 2);
    const pids = balancer.pids();
    const answers = [send(balancer.url), send(balancer.url)];
    await expectSoon(() => backend.held.length).toBe(2);
    const closed = balancer.close({ graceMs: 60_000 });
    await expectSoon(async () => isListening(balancer.port)).toBe(false);
    backend.letGo();
    expect((await Promise.all(answers)).map(({ body }) => body)).toEqual(["late", "late"]);
    await Promise.all([closed, balancer.close()]);
    expect([runningOf(pids), balancer.pids()]).toEqual([[], []]);
    expect(await balancer.stats()).toEqual({ a: { requests: 2, errors: 0, aborted: 0, inFlight: 0 } });
  });

  it("ends requests that take longer than the grace period, also when that is shortened", async () => {
    const balancer = await startBeforeA(await startHolding(), 2);
    const answer = send(balancer.url).catch((error: unknown) => error);
    await expectSoon(balancer.stats).toMatchObject({ a: { inFlight: 1 } });
    await Promise.all([balancer.close({ graceMs: 600_000 }), balancer.close({ graceMs: 0 })]);
    expect(await answer).toMatchObject({ code: "ECONNRESET" });
  });

  it("refuses a grace period that is none, and lets requests go on", async () => {
    const { balancer } = await startOver(1, "a");
    await expect(balancer.close({ graceMs: 0.5 })).rejects.toThrow(/^graceMs: expected a whole number/);
    expect((await send(balancer.url)).body).toBe("a");
  });

  it("while a worker is being replaced lets none come after", async () => {
    const { balancer } = await startOver(2, "a");
    const pid = firstOf(balancer.pids());
    process.kill(pid, "SIGKILL");
    await expectSoon(() => balancer.pids()).not.toContain(pid);
    await balancer.close();
    expect([balancer.pids(), await isListening(balancer.port)]).toEqual([[], false]);
  });
});

describe("starting", () => {
  const one = { workers: 1, balancer: { backends: nowhere } };

  it.each<[string, object, RegExp]>([
    ["no worker", { workers: 0 }, /^workers: expected a whole number, 1 or above; got 0/],
    ["too many workers", { workers: 5000 }, /^workers: expected at most 1024, got 5000/],
    ["an unknown option", { port: 1 }, /^port: there is no such option/],
    ["no backends", { balancer: { backends: [] } }, /^backends: expected a list/],
    ["a policy that is no text", { balancer: { backends: nowhere, policy: {} } }, /^policy: expected a text/],
    ["a function", { balancer: { backends: nowhere, onRequest: () => 0 } }, /^onRequest: a function cannot/],
    ["an unknown log", { log: { format: "xml" } }, /^log\.format: expected "json" or/],
    ["bad options of Node", { execArgv: "-p" }, /^execArgv: expected a list of texts/],
  ])("refuses %s before anything is started", async (_, options, message) => {
    const started = startBalancerWorkers({ ...one, ...options });
    await expect(started).rejects.toThrow(BalancerOptionsError);
    await expect(started).rejects.toThrow(message);
    expect(workersOfThisProcess()).toEqual([]);
  });

  it("refuses to run in a worker of a cluster", async () => {
    // What node:cluster tells a worker by.
    const { started } = await startWorkersProgram(one, { NODE_UNIQUE_ID: "1" });
    expect(started.refused).toMatch(
      /^BalancerOptionsError: workers: expected a process that is no worker of a cluster/,
    );
  });

  it("rejects, with no worker left, when the port is in use or a worker ends before it listens", async () => {
    const { port } = await startHolding();
    const started = startBalancerWorkers({ ...one, workers: 2, listen: { port } });
    await expect(started).rejects.toThrow(BalancerListenError);
    await expect(started).rejects.toMatchObject({ code: "EADDRINUSE", message: expect.stringContaining(`${port}`) });
    const execArgv = ["--import", "data:text/javascript,process.exit(3)"];
    await expect(startBalancerWorkers({ ...one, workers: 2, execArgv })).rejects.toThrow(
      /^Worker \d+: ended with code 3/,
    );
    expect(workersOfThisProcess()).toEqual([]);
  });

  it("gives balancers of one process ports of their own, and leaves the settings of node:cluster as they were", async () => {
    cluster.setupPrimary({ exec: "own.js", args: ["own"] });
    const before = cluster.settings;
    const [first, second] = await Promise.all([startWorkers(one), startWorkers(one)]);
    expect(first.port).not.toBe(second.port);
    const third = startBalancerWorkers({ ...one, listen: { port: first.port } });
    await expect(third).rejects.toMatchObject({ name: "BalancerListenError", code: "EADDRINUSE" });
    expect(await isListening(first.port)).toBe(true);
    expect(cluster.settings).toBe(before);
    expect(before).toMatchObject({ exec: "own.js", args: ["own"] });
    expect(before.serialization).toBeUndefined();
  });
});
