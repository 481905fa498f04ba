import cluster from "node:cluster";
import { expect, it } from "vitest";
import { BalancerListenError } from "../balancer-listen-error.js";
import { BalancerOptionsError } from "../options/balancer-options-error.js";
import { isListening, startBackend } from "../test-support/servers.js";
import { startWorkers, startWorkersProgram } from "../test-support/workers-started.js";
import { startBalancerWorkers } from "./start-balancer-workers.js";
import type { WorkersOptions } from "./workers-options.js";

const EXIT_AT_ONCE = "data:text/javascript,process.exit(3)";

const backends = [{ url: "http://127.0.0.1:4001" }];

/** Workers of this process, of whatever cluster. */
function workersOfThisProcess(): readonly number[] {
  return Object.values(cluster.workers ?? {}).flatMap((worker) => worker?.process.pid ?? []);
}

it.each<[string, unknown, RegExp]>([
  ["no worker", { workers: 0, balancer: { backends } }, /^workers: expected a whole number, 1 or above; got 0/],
  ["too many workers", { workers: 5000, balancer: { backends } }, /^workers: expected at most 1024, got 5000/],
  ["an unknown option", { workers: 1, balancer: { backends }, port: 1 }, /^port: there is no such option/],
  ["no backends", { workers: 1, balancer: { backends: [] } }, /^backends: expected a list/],
  ["an unknown policy", { workers: 1, balancer: { backends, policy: "fair" } }, /^policy: expected one of/],
  ["a policy that is no text", { workers: 1, balancer: { backends, policy: {} } }, /^policy: expected a text/],
  ["a function", { workers: 1, balancer: { backends, onRequest: () => undefined } }, /^onRequest: a function cannot/],
  [
    "bad health checks",
    { workers: 1, balancer: { backends, health: { active: { path: "x" } } } },
    /^health\.active\.path/,
  ],
  [
    "an unknown log",
    { workers: 1, balancer: { backends }, log: { format: "xml" } },
    /^log\.format: expected "json" or/,
  ],
  [
    "bad options of Node",
    { workers: 1, balancer: { backends }, execArgv: "-p" },
    /^execArgv: expected a list of texts/,
  ],
])("refuses %s before anything is started", async (_, options, message) => {
  const started = startBalancerWorkers(options as WorkersOptions);
  await expect(started).rejects.toThrow(BalancerOptionsError);
  await expect(started).rejects.toThrow(message);
  expect(workersOfThisProcess()).toEqual([]);
});

it("refuses to run in a worker of a cluster", async () => {
  // What node:cluster tells a worker by.
  const { started } = await startWorkersProgram({ workers: 1, balancer: { backends } }, { NODE_UNIQUE_ID: "1" });
  expect(started.refused).toMatch(/^BalancerOptionsError: workers: expected a process that is no worker of a cluster/);
});

it("rejects when the port is in use, with no worker left", async () => {
  const { port } = await startBackend((_, answer) => void answer.end());
  const started = startBalancerWorkers({ workers: 2, balancer: { backends }, listen: { port } });
  await expect(started).rejects.toThrow(BalancerListenError);
  await expect(started).rejects.toMatchObject({ code: "EADDRINUSE", message: expect.stringContaining(`${port}`) });
  expect(workersOfThisProcess()).toEqual([]);
});

it("rejects when other workers of this process have the port, which serve on", async () => {
  const { port } = await startWorkers({ workers: 1, balancer: { backends } });
  await expect(startBalancerWorkers({ workers: 1, balancer: { backends }, listen: { port } })).rejects.toMatchObject({
    name: "BalancerListenError",
    code: "EADDRINUSE",
  });
  expect(await isListening(port)).toBe(true);
});

it("rejects when a worker ends before it listens, with none left", async () => {
  const started = startBalancerWorkers({ workers: 2, balancer: { backends }, execArgv: ["--import", EXIT_AT_ONCE] });
  await expect(started).rejects.toThrow(/^Worker \d+: ended with code 3/);
  expect(workersOfThisProcess()).toEqual([]);
});

it("gives balancers of one process ports of their own", async () => {
  const options = { workers: 1, balancer: { backends } };
  const balancers = await Promise.all([startWorkers(options), startWorkers(options), startWorkers(options)]);
  expect(new Set(balancers.map(({ port }) => port)).size).toBe(3);
});

it("leaves the settings of node:cluster as they were", async () => {
  cluster.setupPrimary({ exec: "own.js", args: ["own"] });
  const before = cluster.settings;
  await startWorkers({ workers: 1, balancer: { backends } });
  expect(cluster.settings).toBe(before);
  expect(before).toMatchObject({ exec: "own.js", args: ["own"] });
  expect(before.serialization).toBeUndefined();
});
