import { sweep } from "lbbench";
import "lbbench/jest";
import { startBalancer, startServer } from "lbbench/testing";

const started = [];
afterEach(async () => {
  for (const { stop } of started.splice(0).reverse()) await stop();
});

test("the service is no slower than before", async () => {
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
  expect(outcome).toMeet("errors<=0");
  expect(outcome).toBeNoSlowerThan("before", { margin: "10%" });
});

test("the balancer shares out requests evenly", async () => {
  started.push(await startServer("single"), await startServer("single"));
  const balancer = await startBalancer(started);
  started.push(balancer);
  for (let sent = 0; sent < 10; sent += 1) expect((await fetch(balancer.url)).status).toBe(200);
  expect(await balancer.backends()).toMatchObject({ "backend-1": { requests: 5 }, "backend-2": { requests: 5 } });
});
