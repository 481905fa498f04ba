import { describe, expect, it } from "vitest";
import type { Finding } from "../model/finding.js";
import type { Result } from "../model/result.js";
import { seededRandom } from "../stats/seeded-random.js";
import { mostByChance } from "../stats/test-support/simulated-trials.js";
import { aPolicyResult } from "../test-support/policy-results.js";
import { aFaultyResult } from "../report/test-support/fault-results.js";
import { compareFaultCosts, comparePolicies } from "./rank-targets.js";

const figures = (result: Result, ...keys: readonly string[]): readonly object[] =>
  comparePolicies(result).map(({ args }) => Object.fromEntries(["target", ...keys].map((key) => [key, args[key]])));

const CLEAR = {
  "round-robin": [0.874, 0.875, 0.876, 0.875, 0.877],
  "least-connections": [0.994, 0.995, 0.993, 0.996, 0.994],
  random: [0.871, 0.88, 0.86, 0.874, 0.879],
};

describe("the comparison of policies", () => {
  it("tells the best from those that a test tells from it, and what the default is", () => {
    expect(figures(aPolicyResult(CLEAR), "within", "withinIs", "isDefault", "trialsNeeded")).toEqual([
      { target: "least-connections", within: 0.994, withinIs: "most", isDefault: undefined, trialsNeeded: 5 },
      { target: "round-robin", within: 0.875, withinIs: "less", isDefault: 1, trialsNeeded: 5 },
      { target: "random", within: 0.874, withinIs: "less", isDefault: undefined, trialsNeeded: 5 },
    ]);
  });

  it("tells nothing of one trial, however far apart", () => {
    const one = aPolicyResult({ "round-robin": [0.5], random: [0.99] });
    expect(figures(one, "withinIs", "trialsNeeded", "trialsLikely")).toEqual([
      { target: "random", withinIs: "alike", trialsNeeded: 4, trialsLikely: undefined },
      { target: "round-robin", withinIs: "alike", trialsNeeded: 4, trialsLikely: undefined },
    ]);
  });

  it("says how many trials would tell what these do not, and nothing where there is nothing to tell", () => {
    const close = { "round-robin": [0.9, 0.92, 0.91, 0.93], random: [0.91, 0.93, 0.92, 0.94] };
    expect(figures(aPolicyResult(close), "withinIs", "trialsLikely")).toEqual([
      { target: "random", withinIs: "alike", trialsLikely: undefined },
      { target: "round-robin", withinIs: "alike", trialsLikely: 27 },
    ]);
    const same = { random: [1, 1, 1, 1], "round-robin": [1, 1, 1, 1] };
    // Of equal ones the default is the first.
    expect(figures(aPolicyResult(same), "withinIs", "trialsLikely")).toEqual([
      { target: "round-robin", withinIs: "alike", trialsLikely: undefined },
      { target: "random", withinIs: "alike", trialsLikely: undefined },
    ]);
  });

  it("compares the policies of each balancer with one another alone", () => {
    const shares = Object.fromEntries(
      ["nginx", "haproxy"].flatMap((balancer, at) =>
        Object.entries(CLEAR).map(([policy, all]) => [`${balancer}: ${policy}`, all.map((one) => one - at / 10)]),
      ),
    );
    const told = figures(aPolicyResult(shares), "balancer", "withinIs");
    expect(told.filter((one) => "withinIs" in one && one.withinIs === "most")).toEqual([
      { target: "nginx: least-connections", balancer: "nginx", withinIs: "most" },
      { target: "haproxy: least-connections", balancer: "haproxy", withinIs: "most" },
    ]);
  });

  it.each([
    ["the requests were counted wrongly", "REQUESTS_LOST", "error"],
    ["the generator was at its limit", "GENERATOR_SATURATED", "warning"],
  ] as const)("leaves a policy out of which %s, and says why", (_, because, severity) => {
    const doubt: Finding = { code: because, severity, args: {} };
    const doubtful = aPolicyResult(CLEAR, (target) => (target === "random" ? [doubt] : []));
    expect(figures(doubtful, "because", "withinIs")).toContainEqual({
      target: "random",
      because,
      withinIs: undefined,
    });
  });

  it("is made of no other run", () => {
    const { scenario, steps } = aPolicyResult(CLEAR);
    const { policies: _, ...others } = scenario;
    expect(comparePolicies({ scenario: others, steps })).toEqual([]);
  });
});

describe("simulated comparisons of policies", () => {
  const RUNS = 300;
  const POLICIES = ["round-robin", "a", "b", "c"];
  /** How many of some runs of 5 trials tell any policy from another: binomial counts of 1,200 requests. */
  const claims = (shareOf: (policy: string) => number): number => {
    const random = seededRandom(7);
    const draw = (share: number): number => {
      let ok = 0;
      for (let request = 0; request < 1200; request += 1) ok += random() < share ? 1 : 0;
      return ok / 1200;
    };
    const once = (): boolean => {
      const shares = POLICIES.map(
        (policy) => [policy, Array.from({ length: 5 }, () => draw(shareOf(policy)))] as const,
      );
      const told = comparePolicies(aPolicyResult(Object.fromEntries(shares)));
      return told.some(({ args }) => args["withinIs"] === "most");
    };
    return Array.from({ length: RUNS }, once).filter(Boolean).length;
  };

  it("tell equal policies apart in at most one of twenty", () => {
    expect(claims(() => 0.95)).toBeLessThanOrEqual(mostByChance(RUNS, 0.05));
  });

  it("find in nearly all that the default loses an eighth of the requests", () => {
    expect(claims((policy) => (policy === "round-robin" ? 0.875 : 0.99))).toBeGreaterThan(0.95 * RUNS);
  });
});

describe("the comparison of what faults cost", () => {
  it("leaves no target out for a fault that an interruption kept from being done", () => {
    const result = aFaultyResult({ lost: { a: 41, b: 7 } });
    const undone = result.steps.slice(0, 1).map((step) => ({
      ...step,
      trial: 9,
      faults: step.faults?.map((fault) => ({ ...fault, effectMs: null, error: "the measurement ended before" })) ?? [],
    }));
    const namesUndone = (state: "aborted" | "failed"): readonly unknown[] =>
      compareFaultCosts({ ...result, steps: [...result.steps, ...undone.map((step) => ({ ...step, state }))] })
        .filter(({ args }) => args["undone"] !== undefined)
        .map(({ args }) => args["target"]);
    expect([namesUndone("aborted"), namesUndone("failed")]).toEqual([[], ["a"]]);
  });
});
