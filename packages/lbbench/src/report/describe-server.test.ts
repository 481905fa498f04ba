import { expect, it } from "vitest";
import { describeServer } from "./describe-server.js";

const group = { name: null, server: "single", options: { handler: "hello" }, count: 1, weight: 1 };

it("puts what stands behind a balancer in brackets, at any depth", () => {
  const inner = {
    ...group,
    name: "inner",
    server: "balanced",
    options: { backends: [{ ...group, count: 2 }] },
    weight: 3,
  };
  expect(describeServer("nginx", { backends: [group, inner], policy: "random" })).toBe(
    'nginx, backends (single, handler "hello"; "inner": balanced, backends (2 x single, handler "hello"), weight 3), policy "random"',
  );
});

it("takes anything for an option", () => {
  expect(describeServer("mine", { backends: 4, list: [1, null], odd: [{ server: 1 }], none: null })).toBe(
    'mine, backends 4, list [1,null], odd [{"server":1}], none null',
  );
});
