import { expect, it } from "vitest";
import { send } from "../test-support/client.js";
import { BalancerOptionsError } from "../options/balancer-options-error.js";
import { PATIENCE, countsOf, sendOver, startNamedBackends, startWorkers } from "../test-support/workers-started.js";

it("adds, weighs, drains, restores and removes backends in all workers", async () => {
  const { backends, counts } = await startNamedBackends("a", "b", "c");
  const [a, b, c] = backends;
  if (a === undefined || b === undefined || c === undefined) throw new Error("Expected three backends.");
  const balancer = await startWorkers({
    workers: 2,
    balancer: { backends: [a, b], policy: "weighted-round-robin" },
  });
  const answeredBy = async () => new Set((await sendOver(balancer.url, 6, 4)).flat());

  await balancer.addBackend(c);
  expect(await answeredBy()).toEqual(new Set(["a", "b", "c"]));
  await balancer.drainBackend("a");
  expect(await answeredBy()).toEqual(new Set(["b", "c"]));
  await balancer.removeBackend("b");
  expect(await answeredBy()).toEqual(new Set(["c"]));
  await balancer.restoreBackend("a");
  expect(await answeredBy()).toEqual(new Set(["a", "c"]));
  await balancer.setBackendWeight("c", 1000);
  // Whatever the turn, a backend of a thousandth gets at most one of a few requests from each worker.
  const before = counts.get("a") ?? 0;
  await answeredBy();
  expect((counts.get("a") ?? 0) - before).toBeLessThanOrEqual(2);
  expect(countsOf(await balancer.snapshot(), "weight")).toEqual({ a: 1, c: 1000 });
});

it("keeps changes in their order although nobody waits for them", async () => {
  const { backends } = await startNamedBackends("a", "b");
  const balancer = await startWorkers({ workers: 2, balancer: { backends } });
  await Promise.all([balancer.drainBackend("a"), balancer.restoreBackend("a"), balancer.drainBackend("b")]);
  const { backends: known } = await balancer.snapshot();
  expect(known.map(({ condition }) => condition)).toEqual(["up", "draining"]);
});

it("refuses a bad change in all workers, with the message of one balancer", async () => {
  const { backends } = await startNamedBackends("a");
  const balancer = await startWorkers({ workers: 2, balancer: { backends } });
  const [same] = backends;
  if (same === undefined) throw new Error("Expected a backend.");
  const changes = [
    [balancer.addBackend(same), /backend\.name: .* "a" for the second time/],
    [balancer.addBackend({ url: "nowhere" }), /backend\.url: expected a URL/],
    [balancer.removeBackend("b"), /name: expected the name of a backend, got "b"/],
    [balancer.removeBackend("a", { graceMs: -1 }), /graceMs: expected a whole number/],
    [balancer.drainBackend("b"), /got "b"/],
    [balancer.restoreBackend("b"), /got "b"/],
    [balancer.setBackendWeight("a", 0), /weight: expected a number above 0/],
  ] as const;
  for (const [change, message] of changes) {
    await expect(change).rejects.toThrow(BalancerOptionsError);
    await expect(change).rejects.toThrow(message);
  }
  expect((await send(balancer.url)).body).toBe("a");
});

it("begins the counts of a backend anew when another one takes its name", async () => {
  const { backends } = await startNamedBackends("a", "b");
  const balancer = await startWorkers({ workers: 2, balancer: { backends } });
  const [, b] = backends;
  if (b === undefined) throw new Error("Expected two backends.");
  await sendOver(balancer.url, 4, 4);
  await balancer.removeBackend("b");
  await balancer.addBackend(b);
  await expect.poll(async () => countsOf(await balancer.snapshot(), "requests")["b"], PATIENCE).toBe(0);
});
