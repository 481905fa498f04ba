import { equal } from "node:assert/strict";
import { describe, it } from "node:test";
import { examplePool, exampleRequest, policyContract } from "@lbbench/proxy/testing";
import policy from "./spill-over.mjs";

describe("the policy", () => {
  for (const { name, run } of policyContract(() => policy)) it(name, run);

  it("gives the second backend only what is too much for the first", () => {
    const pool = examplePool([1, 1]);
    const [first, second] = pool;
    const picker = policy.create();
    equal(picker.pick(pool, exampleRequest(0)), first);
    if (first !== undefined) first.inFlight = 8;
    equal(picker.pick(pool, exampleRequest(1)), second);
  });
});
