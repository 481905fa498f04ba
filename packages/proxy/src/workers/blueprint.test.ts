import { expect, it, onTestFinished } from "vitest";
import { createBlueprint } from "./blueprint.js";
import type { PlainBalancerOptions } from "./workers-options.js";

const options: PlainBalancerOptions = {
  backends: [{ url: "http://127.0.0.1:4001" }, { url: "http://127.0.0.1:4002", name: "b", weight: 2 }],
  policy: "random:seed:1",
  limits: { bodyBytes: Infinity },
};

async function start() {
  const blueprint = await createBlueprint(options);
  onTestFinished(() => blueprint.close());
  return blueprint;
}

it("sets a worker up with the options as they were given, and names and weights for all backends", async () => {
  expect((await start()).setup()).toEqual({
    balancer: {
      ...options,
      backends: [
        { url: "http://127.0.0.1:4001", name: "127.0.0.1:4001", weight: 1 },
        { url: "http://127.0.0.1:4002", name: "b", weight: 2 },
      ],
    },
    draining: [],
    removed: [],
  });
});

it("sets a worker up with every change", async () => {
  const blueprint = await start();
  blueprint.addBackend({ url: "unix:/run/c.sock", name: "c" });
  blueprint.setBackendWeight("b", 5);
  await blueprint.drainBackend("b");
  await blueprint.removeBackend("127.0.0.1:4001");
  const { balancer, draining } = blueprint.setup();
  expect(balancer.backends).toEqual([
    { url: "http://127.0.0.1:4002", name: "b", weight: 5 },
    { url: "unix:/run/c.sock", name: "c", weight: 1 },
  ]);
  expect(draining).toEqual(["b"]);
  expect([blueprint.hasBackend("b"), blueprint.hasBackend("127.0.0.1:4001")]).toEqual([true, false]);
  blueprint.restoreBackend("b");
  expect(blueprint.setup().draining).toEqual([]);
});

it("has a worker remove the backend that it cannot be made without when none is left", async () => {
  const blueprint = await start();
  await Promise.all([blueprint.removeBackend("b"), blueprint.removeBackend("127.0.0.1:4001")]);
  expect(blueprint.setup()).toMatchObject({ removed: ["127.0.0.1:4001"], draining: [] });
  expect(blueprint.setup().balancer.backends).toEqual([{ url: "http://127.0.0.1:4001" }]);
});
