import { request } from "node:https";
import type { ServerResponse } from "node:http";
import { expect, it } from "vitest";
import { readAnswer, send } from "../test-support/client.js";
import { LOCALHOST } from "../test-support/certificates.js";
import { startBackend, startRawBackend } from "../test-support/servers.js";
import { say } from "../test-support/wire.js";
import {
  countsOf,
  PATIENCE,
  sendOver,
  startNamedBackends,
  startWorkers,
  startWorkersProgram,
} from "../test-support/workers-started.js";

it("serves with as many processes as asked for, and counts every request once", async () => {
  const { backends, counts } = await startNamedBackends("a", "b");
  const balancer = await startWorkers({ workers: 2, balancer: { backends } });
  const pids = balancer.pids();
  expect(new Set(pids).size).toBe(2);
  expect(pids).not.toContain(process.pid);
  const bodies = await sendOver(balancer.url, 10, 100);
  expect(bodies.flat()).toHaveLength(1000);
  const snapshot = await balancer.snapshot();
  expect(countsOf(snapshot, "requests")).toEqual(Object.fromEntries(counts));
  expect([...counts.values()].reduce((sum, count) => sum + count, 0)).toBe(1000);
  expect(snapshot.backends.map(({ answers }) => answers["2xx"])).toEqual([...counts.values()]);
  expect(await balancer.stats()).toMatchObject({
    a: { requests: counts.get("a"), errors: 0, aborted: 0, inFlight: 0 },
    b: { requests: counts.get("b"), errors: 0, aborted: 0, inFlight: 0 },
  });
});

it("shares the connections out among the workers, each of which has limits of its own", async () => {
  const held: ServerResponse[] = [];
  const { url } = await startBackend((_, answer) => void held.push(answer));
  const balancer = await startWorkers({
    workers: 2,
    balancer: { backends: [{ url, name: "slow" }], limits: { connectionsPerBackend: 1 } },
  });
  const answers = [send(balancer.url), send(balancer.url), send(balancer.url)];
  // Connections are dealt out in turn: two for one worker, one for the other.
  await expect.poll(async () => (await balancer.snapshot()).backends[0]?.queued, PATIENCE).toBe(1);
  await expect.poll(() => held.length, PATIENCE).toBe(2);
  for (const answer of held) answer.end();
  await expect.poll(() => held.length, PATIENCE).toBe(3);
  held[2]?.end();
  expect((await Promise.all(answers)).map(({ status }) => status)).toEqual([200, 200, 200]);
});

it("takes its policy as a text", async () => {
  const named = await startNamedBackends("a", "b");
  const backends = named.backends.map((backend) => ({ ...backend, weight: backend.name === "a" ? 3 : 1 }));
  const balancer = await startWorkers({ workers: 2, balancer: { backends, policy: "weighted-round-robin" } });
  // One connection is served by one worker, in which turns are strict.
  const bodies = (await sendOver(balancer.url, 1, 40)).flat();
  expect(bodies.slice(0, 4).toSorted()).toEqual(["a", "a", "a", "b"]);
  expect(bodies.filter((body) => body === "a")).toHaveLength(30);
});

it("serves HTTPS with a certificate and a key that are Buffers", async () => {
  const { backends } = await startNamedBackends("a");
  const balancer = await startWorkers({ workers: 2, balancer: { backends, tls: LOCALHOST } });
  expect(balancer.url).toMatch(/^https:/);
  const sent = request(balancer.url, { ca: LOCALHOST.cert, servername: "localhost", agent: false });
  sent.end();
  expect(await readAnswer(sent)).toMatchObject({ status: 200, body: "a" });
});

it("relays connections in mode tcp", async () => {
  const echo = await startRawBackend((socket) => socket.pipe(socket));
  const backends = [{ url: `tcp://127.0.0.1:${echo.port}`, name: "echo" }];
  const balancer = await startWorkers({ workers: 2, balancer: { backends, mode: "tcp" } });
  expect(balancer.url).toMatch(/^tcp:/);
  const closing = await startRawBackend((socket) => socket.end("bye"));
  await balancer.addBackend({ url: `tcp://127.0.0.1:${closing.port}`, name: "closing" });
  await balancer.removeBackend("echo");
  expect(await say(balancer.port, "hello")).toBe("bye");
});

it("has every worker write its log to the standard output", async () => {
  const { backends } = await startNamedBackends("a");
  const { program, started, output } = await startWorkersProgram({
    workers: 2,
    balancer: { backends },
    log: { format: "json" },
  });
  await sendOver(started.url, 4, 5);
  program.send("close");
  await expect.poll(() => output().split("\n").length, PATIENCE).toBe(21);
  const lines = output().trim().split("\n");
  expect(lines.map((line) => (JSON.parse(line) as { backend: string }).backend)).toEqual(lines.map(() => "a"));
});
