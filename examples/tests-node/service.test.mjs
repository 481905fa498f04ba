import assert from "node:assert/strict";
import { test } from "node:test";
import { sweep } from "lbbench";
import { assertMeets, assertNoSlowerThan } from "lbbench/assert";
import { startBalancer, startServer } from "lbbench/testing";

await test("the service is no slower than before", async () => {
  const outcome = await sweep({
    targets: [
      { name: "before", server: "single", options: { handler: "sleep:20ms" } },
      { name: "now", server: "single", options: { handler: "sleep:10ms" } },
    ],
    connections: 5,
    duration: "1.2s",
    warmup: "200ms",
    trials: 5,
  });
  assertMeets(outcome, "errors<=0");
  assertNoSlowerThan(outcome, "before", { margin: "10%" });
});

await test("the balancer shares out requests evenly", async (t) => {
  const start = async () => {
    const server = await startServer("single");
    t.after(server.stop);
    return server;
  };
  const balancer = await startBalancer([await start(), await start()]);
  t.after(balancer.stop);
  for (let sent = 0; sent < 10; sent += 1) assert.equal((await fetch(balancer.url)).status, 200);
  const shares = await balancer.backends();
  assert.deepEqual(
    Object.values(shares).map(({ requests }) => requests),
    [5, 5],
  );
});
