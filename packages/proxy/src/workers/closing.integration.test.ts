import type { ServerResponse } from "node:http";
import { expect, it } from "vitest";
import { keepAliveAgent, send } from "../test-support/client.js";
import { isListening, startBackend } from "../test-support/servers.js";
import { alive, PATIENCE, startNamedBackends, startWorkers } from "../test-support/workers-started.js";

it("lets requests in flight finish, and leaves nothing", async () => {
  const held: ServerResponse[] = [];
  const { url } = await startBackend((_, answer) => void held.push(answer));
  const balancer = await startWorkers({ workers: 2, balancer: { backends: [{ url, name: "a" }] } });
  const pids = balancer.pids();
  const answers = [send(balancer.url), send(balancer.url)];
  await expect.poll(() => held.length, PATIENCE).toBe(2);
  const closed = balancer.close({ graceMs: 60_000 });
  await expect.poll(async () => isListening(balancer.port), PATIENCE).toBe(false);
  for (const answer of held) answer.end("late");
  expect((await Promise.all(answers)).map(({ body }) => body)).toEqual(["late", "late"]);
  await closed;
  expect(alive(pids)).toEqual([]);
  expect(balancer.pids()).toEqual([]);
  expect(await balancer.stats()).toEqual({ a: { requests: 2, errors: 0, aborted: 0, inFlight: 0 } });
});

it("ends requests that take longer than the grace period, also when that is shortened", async () => {
  const held: ServerResponse[] = [];
  const { url } = await startBackend((_, answer) => void held.push(answer));
  const balancer = await startWorkers({ workers: 2, balancer: { backends: [{ url }] } });
  const answer = send(balancer.url);
  answer.catch(() => undefined);
  await expect.poll(() => held.length, PATIENCE).toBe(1);
  const closed = balancer.close({ graceMs: 600_000 });
  await Promise.all([closed, balancer.close({ graceMs: 0 })]);
  await expect(answer).rejects.toThrow("socket hang up");
});

it("closes idle connections and may be asked again", async () => {
  const { backends } = await startNamedBackends("a");
  const balancer = await startWorkers({ workers: 2, balancer: { backends } });
  const agent = keepAliveAgent();
  await Promise.all([send(balancer.url, { agent }), send(balancer.url, { agent })]);
  await balancer.close();
  await balancer.close();
  expect(balancer.pids()).toEqual([]);
});

it("closes while a worker is being replaced, and none comes after", async () => {
  const { backends } = await startNamedBackends("a");
  const balancer = await startWorkers({ workers: 2, balancer: { backends } });
  const [pid] = balancer.pids();
  if (pid === undefined) throw new Error("Expected a worker.");
  process.kill(pid, "SIGKILL");
  await expect.poll(() => balancer.pids(), PATIENCE).not.toContain(pid);
  await balancer.close();
  expect(balancer.pids()).toEqual([]);
  expect(await isListening(balancer.port)).toBe(false);
});
