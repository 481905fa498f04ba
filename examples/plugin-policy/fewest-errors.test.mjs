import { equal } from "node:assert/strict";
import { describe, it } from "node:test";
import { examplePool, exampleRequest, policyContract } from "@lbbench/proxy/testing";
import policy from "./fewest-errors.mjs";

describe("the policy", () => {
  for (const { name, run } of policyContract(() => policy, { repeatable: false })) it(name, run);

  it("leaves a backend that failed, and goes back to it when the other one has failed more", () => {
    const pool = examplePool([1, 1]);
    const picker = policy.create();
    const fail = (place = 0) => {
      const [backend] = pool.slice(place);
      const failure = /** @type {const} */ ({ outcome: "failed", status: 0, grpcStatus: undefined });
      if (backend !== undefined) picker.ended?.(backend, { ...failure, ms: 1, waitedMs: undefined });
    };
    fail(0);
    equal(picker.pick(pool, exampleRequest(0)), pool[1]);
    fail(1);
    fail(1);
    equal(picker.pick(pool, exampleRequest(1)), pool[0]);
  });
});
