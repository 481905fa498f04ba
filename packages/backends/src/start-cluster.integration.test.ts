import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { describe, expect, it, onTestFinished } from "vitest";
import { BackendStartError, type BackendDeath } from "./backend.js";
import { startCluster } from "./start-cluster.js";
import { isListening, keepAliveAgent, send } from "@lbbench/test-support/client.js";
import { runningOf } from "@lbbench/test-support/marked-processes.js";
import { clusterOf } from "./test-support/started.js";

const built = new URL("../dist/index.js", import.meta.url).href;

/** Starts a cluster in a process of its own, and returns what the tests do with it. */
async function startPrimary() {
  const source = `
    import { startCluster } from ${JSON.stringify(built)};
    process.on("SIGINT", () => console.log(JSON.stringify("interrupted")));
    const { pids, port, url } = await startCluster({ handler: "hello", workers: 2 });
    console.log(JSON.stringify({ pids, port, url }));
  `;
  const primary = spawn(process.execPath, ["--input-type=module", "-e", source], {
    stdio: ["ignore", "pipe", "inherit"],
    detached: true,
  });
  onTestFinished(() => void primary.kill("SIGKILL"));
  const lines = createInterface(primary.stdout)[Symbol.asyncIterator]();
  const nextLine = async (): Promise<unknown> => JSON.parse((await lines.next()).value ?? "null");
  const { pids, port, url } = (await nextLine()) as { pids: number[]; port: number; url: string };
  return { primary, pids, port, url, nextLine };
}

describe("startCluster", () => {
  it("is ready when every worker listens, and counts the requests of all", async () => {
    const { url, pids, requests } = await clusterOf({ handler: "hello", workers: 3, identify: true });
    const workers: string[] = [];
    for (let i = 0; i < 6; i++) workers.push(String((await send(url, { agent: false })).headers["x-worker"]));
    expect(new Set(workers)).toEqual(new Set(pids.map(String)));
    expect(new Set(pids).size).toBe(3);
    expect(await requests()).toBe(6);
  });

  it("gives each worker random numbers of its own, the same each time", async () => {
    const failing = async (): Promise<string> => {
      const { url, stop } = await clusterOf({ handler: "error:50%,seed=3", workers: 2, identify: true });
      const byWorker = new Map<string, number[]>();
      for (let i = 0; i < 60; i++) {
        const { status, headers } = await send(url, { agent: false });
        const worker = String(headers["x-worker"]);
        byWorker.set(worker, [...(byWorker.get(worker) ?? []), status]);
      }
      await stop();
      // node:cluster hands about thirty connections to each worker, in an order that is its own.
      const [first, second] = [...byWorker.values()].map((statuses) => statuses.slice(0, 20).join());
      expect(first).not.toBe(second);
      return [first, second].toSorted().join("|");
    };
    expect(await failing()).toBe(await failing());
  });

  it("lets only one of two clusters have a port that both ask for at once", async () => {
    const { port, stop } = await clusterOf({ handler: "hello", workers: 1 });
    await stop();
    const starts = await Promise.allSettled([1, 2].map(() => clusterOf({ handler: "hello", workers: 1, port })));
    expect(starts.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"]);
  });

  it("says why its workers cannot start, and leaves none", async () => {
    const failure = await startCluster({ handler: "hello", workers: 2, host: "192.0.2.1" }).catch((e: unknown) => e);
    expect(failure).toBeInstanceOf(BackendStartError);
    expect(failure).toMatchObject({ message: expect.stringContaining("Cannot listen on 192.0.2.1:0") });
  });

  it("stops with requests in flight, and leaves no process and no port", async () => {
    const cluster = await clusterOf({ handler: "sleep:10m", workers: 2 });
    const pending = [1, 2, 3, 4].map(() => send(cluster.url, { agent: false }).catch((error: unknown) => error));
    await expect.poll(() => cluster.requests()).toBe(4);
    const deaths: BackendDeath[] = [];
    cluster.onDied((death) => deaths.push(death));
    await Promise.all([cluster.stop({ graceMs: 0 }), cluster.stop()]);
    expect(runningOf(cluster.pids)).toEqual([]);
    expect(await isListening(cluster.port)).toBe(false);
    expect(await Promise.all(pending)).toMatchObject(Array(4).fill({ code: "ECONNRESET" }));
    expect(deaths).toEqual([]);
  });

  it("kills a worker that does not stop", async () => {
    const cluster = await clusterOf({ handler: "hello", workers: 1 });
    process.kill(cluster.pids[0] ?? 0, "SIGSTOP");
    await cluster.stop({ graceMs: 0 });
    expect(runningOf(cluster.pids)).toEqual([]);
  });

  it("tells of a worker that died, early and late listeners alike, and goes on with the others", async () => {
    const { url, pids, requests, onDied } = await clusterOf({ handler: "hello", workers: 2, identify: true });
    const [victim = 0, survivor = 0] = pids;
    const died = new Promise<BackendDeath>((resolve) => void onDied(resolve));
    process.kill(victim, "SIGKILL");
    const death = { pid: victim, code: null, signal: "SIGKILL", stderr: "" };
    expect(await died).toEqual(death);
    const late: BackendDeath[] = [];
    onDied((entry) => late.push(entry));
    await expect.poll(() => late).toEqual([death]);
    expect((await send(url, { agent: false })).headers["x-worker"]).toBe(String(survivor));
    expect(await requests()).toBe(1);
  });

  it("keeps the count of connections of a worker that has died, none of which is open", async () => {
    const { url, pids, connections } = await clusterOf({ handler: "hello", workers: 2, identify: true });
    const agent = keepAliveAgent({ maxSockets: 1 });
    const { headers } = await send(url, { agent });
    expect(await connections()).toEqual({ accepted: 1, open: 1, active: 0 });
    process.kill(Number(headers["x-worker"]), "SIGKILL");
    await expect.poll(() => connections()).toEqual({ accepted: 1, open: 0, active: 0 });
    expect(pids.map(String)).toContain(headers["x-worker"]);
  });

  it("starts another worker in the place of one that has died, disturbed as the others, and tells when that dies", async () => {
    const cluster = await clusterOf({ handler: "hello", workers: 2, identify: true });
    const deaths: number[] = [];
    cluster.onDied(({ pid }) => deaths.push(pid));
    await cluster.disturb({ errorShare: 1 });
    await send(cluster.url, { agent: false });
    const [victim = 0, survivor = 0] = cluster.pids;
    process.kill(victim, "SIGKILL");
    const successor = await cluster.replace(victim);
    expect(cluster.pids).toEqual([successor, survivor]);
    const answers = [];
    for (let i = 0; i < 4; i++) answers.push(await send(cluster.url, { agent: false }));
    expect(answers.map(({ status }) => status)).toEqual([503, 503, 503, 503]);
    expect(new Set(answers.map(({ headers }) => headers["x-worker"]))).toEqual(new Set(cluster.pids.map(String)));
    expect(await cluster.requests()).toBeGreaterThanOrEqual(4);
    process.kill(successor, "SIGKILL");
    await expect.poll(() => deaths).toEqual([victim, successor]);
    await expect(cluster.replace(victim)).rejects.toThrow(BackendStartError);
    await cluster.stop();
    await expect(cluster.replace(successor)).rejects.toThrow("a cluster that runs");
    expect(runningOf([successor, survivor])).toEqual([]);
  });

  it("leaves no worker when the primary is killed", async () => {
    const { primary, pids, port } = await startPrimary();
    expect(runningOf(pids)).toEqual(pids);
    primary.kill("SIGKILL");
    await expect.poll(() => runningOf(pids), { timeout: 60_000 }).toEqual([]);
    expect(await isListening(port)).toBe(false);
  });

  it("leaves Ctrl-C, which the whole group of processes gets, to the primary", async () => {
    const { primary, pids, url, nextLine } = await startPrimary();
    process.kill(-(primary.pid ?? 0), "SIGINT");
    expect(await nextLine()).toBe("interrupted");
    expect((await send(url, { agent: false })).status).toBe(200);
    expect(runningOf(pids)).toEqual(pids);
  });
});
