import { expect, it } from "vitest";
import { once } from "node:events";
import { send } from "../test-support/client.js";
import { isListening } from "../test-support/servers.js";
import {
  alive,
  countsOf,
  PATIENCE,
  sendOver,
  startNamedBackends,
  startWorkers,
  startWorkersProgram,
} from "../test-support/workers-started.js";

function firstOf(pids: readonly number[]): number {
  const [pid] = pids;
  if (pid === undefined) throw new Error("Expected a worker.");
  return pid;
}

it("replaces a worker that is killed, goes on serving meanwhile, and keeps its counts", async () => {
  const { backends, counts } = await startNamedBackends("a", "b");
  const balancer = await startWorkers({ workers: 2, balancer: { backends } });
  await sendOver(balancer.url, 8, 10);
  expect(countsOf(await balancer.snapshot(), "requests")).toEqual(Object.fromEntries(counts));
  const before = balancer.pids();
  const killed = firstOf(before);
  process.kill(killed, "SIGKILL");
  await expect.poll(() => alive([killed]), PATIENCE).toEqual([]);
  await expect.poll(() => balancer.pids(), PATIENCE).not.toContain(killed);
  await sendOver(balancer.url, 4, 5);
  await expect.poll(() => balancer.pids().length, PATIENCE).toBe(2);
  await sendOver(balancer.url, 8, 10);
  expect(countsOf(await balancer.snapshot(), "requests")).toEqual(Object.fromEntries(counts));
  expect(countsOf(await balancer.snapshot(), "errors")).toEqual({ a: 0, b: 0 });
});

it("gives a worker that comes later the backends, weights and drains of now", async () => {
  const { backends } = await startNamedBackends("a", "b", "c", "d");
  const balancer = await startWorkers({ workers: 1, balancer: { backends: backends.slice(0, 3) } });
  const [d] = backends.slice(3);
  if (d === undefined) throw new Error("Expected four backends.");
  await balancer.removeBackend("a");
  await balancer.drainBackend("b");
  await balancer.setBackendWeight("c", 7);
  await balancer.addBackend(d);
  const killed = firstOf(balancer.pids());
  process.kill(killed, "SIGKILL");
  await expect.poll(() => balancer.pids().filter((pid) => pid !== killed).length, PATIENCE).toBe(1);
  expect(new Set((await sendOver(balancer.url, 2, 4)).flat())).toEqual(new Set(["c", "d"]));
  const snapshot = await balancer.snapshot();
  expect(snapshot.backends.map(({ name, condition }) => `${name} ${condition}`)).toEqual([
    "b draining",
    "c up",
    "d up",
  ]);
  expect(countsOf(snapshot, "weight")).toEqual({ b: 1, c: 7, d: 1 });
});

it("replaces the only worker also when no backend is left", async () => {
  const { backends } = await startNamedBackends("a");
  const balancer = await startWorkers({ workers: 1, balancer: { backends } });
  await balancer.removeBackend("a");
  const killed = firstOf(balancer.pids());
  process.kill(killed, "SIGKILL");
  await expect.poll(() => balancer.pids().filter((pid) => pid !== killed).length, PATIENCE).toBe(1);
  expect((await send(balancer.url)).status).toBe(503);
});

it("leaves SIGINT to the primary", async () => {
  const { backends } = await startNamedBackends("a");
  const balancer = await startWorkers({ workers: 2, balancer: { backends } });
  const pids = balancer.pids();
  for (const pid of pids) process.kill(pid, "SIGINT");
  expect((await sendOver(balancer.url, 4, 1)).flat()).toEqual(["a", "a", "a", "a"]);
  expect(balancer.pids()).toEqual(pids);
});

it("leaves no worker and no port when the primary is killed", async () => {
  const { backends } = await startNamedBackends("a");
  const { program, started } = await startWorkersProgram({ workers: 2, balancer: { backends } });
  expect((await send(started.url)).body).toBe("a");
  expect(alive(started.pids)).toHaveLength(2);
  program.kill("SIGKILL");
  await once(program, "exit");
  await expect.poll(() => alive(started.pids), PATIENCE).toEqual([]);
  expect(await isListening(Number(new URL(started.url).port))).toBe(false);
});

it("gives figures although a worker does not answer", async () => {
  const { backends } = await startNamedBackends("a");
  const balancer = await startWorkers({ workers: 2, balancer: { backends } });
  await sendOver(balancer.url, 4, 5);
  const { a: before } = await balancer.stats();
  const [hung] = balancer.pids();
  if (hung === undefined) throw new Error("Expected a worker.");
  process.kill(hung, "SIGSTOP");
  try {
    expect(await balancer.stats()).toEqual({ a: before });
  } finally {
    process.kill(hung, "SIGCONT");
  }
});
