import { describe, expect, it } from "vitest";
import { describePolicyContract, fakeBackends, pickMany } from "../test-support/policy-contract.js";
import { builtInPolicies } from "./built-in-policies.js";
import { roundRobin } from "./round-robin.js";

describePolicyContract(roundRobin);

describe("roundRobin", () => {
  it("takes the backends in turn, beginning with the first", () => {
    const picked = pickMany(roundRobin().create(), fakeBackends(3), 7);
    expect(picked).toEqual([0, 1, 2, 0, 1, 2, 0].map((index) => `backend-${index}`));
  });

  it("gives each of four backends exactly 2500 of 10 000 requests", () => {
    const counts = new Map<string | undefined, number>();
    for (const name of pickMany(roundRobin().create(), fakeBackends(4), 10_000)) {
      counts.set(name, (counts.get(name) ?? 0) + 1);
    }
    expect([...counts.values()]).toEqual([2500, 2500, 2500, 2500]);
  });
});

describe("builtInPolicies", () => {
  it("has each policy under the name that it bears", () => {
    for (const [name, create] of builtInPolicies) expect(create().name).toBe(name);
  });
});
