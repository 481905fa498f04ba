import { describe, expect, it } from "vitest";
import { BalancerOptionsError } from "../options/balancer-options-error.js";
import { builtInPolicies } from "./built-in-policies.js";

describe("builtInPolicies", () => {
  it("has each policy under the name that it bears, and makes it without options", () => {
    for (const [name, create] of builtInPolicies) expect(create().name).toBe(name);
  });

  it("refuses an option that a policy does not have", () => {
    const create = () => builtInPolicies.get("random")?.({ key: "path" });
    expect(create).toThrow(BalancerOptionsError);
    expect(create).toThrow('random: expected no option but "seed", got "key".');
    expect(() => builtInPolicies.get("ip-hash")?.({ seed: 1 })).toThrow('ip-hash: expected no options, got "seed".');
  });

  it.each([-1, 0.5, 2 ** 32, Number.NaN])("refuses %s as a seed", (seed) => {
    expect(() => builtInPolicies.get("random")?.({ seed })).toThrow(
      /^seed: expected a whole number from 0 to 4294967295/,
    );
  });
});
