import { describe, expect, it } from "vitest";
import { policyContract, type PolicyPromises } from "../testing/policy-contract.js";
import { builtInPolicies, parsePolicy } from "./parse-policy.js";
import type { Picker, Policy } from "./policy.js";

const byChance: PolicyPromises = { shares: "by-weight", tolerance: 0.02 };

const promises = new Map<string, PolicyPromises>([
  ["round-robin", { shares: "equal" }],
  ["weighted-round-robin", { shares: "by-weight" }],
  ["least-connections:seed:1", byChance],
  ["random:seed:2", byChance],
  ["power-of-two-choices:seed:3", byChance],
  ["peak-ewma:decay:500ms:seed:4", byChance],
  ["least-response-time:seed:5", byChance],
  ["ip-hash", byChance],
  ["consistent-hash:path", byChance],
  ["consistent-hash:header:X-User", byChance],
  ["consistent-hash:cookie:session", byChance],
  // No request has it, so weighted round robin is left.
  ["consistent-hash:header:constructor", { shares: "by-weight" }],
]);

describe.each([...promises])("%s keeps the contract of policies: it", (text, promised) => {
  it.each(policyContract(() => parsePolicy(text), promised).map(({ name, run }) => [name, run] as const))(
    "%s",
    (_, run) => expect(run).not.toThrow(),
  );
});

describe("policyContract", () => {
  it("is kept here by every built-in policy", () => {
    expect(new Set([...promises.keys()].map((text) => parsePolicy(text).name))).toEqual(
      new Set(builtInPolicies.keys()),
    );
  });

  /** The check whose name begins so. */
  const checkOf = (policy: Policy, begins: string, promised?: PolicyPromises) =>
    policyContract(() => policy, promised).find(({ name }) => name.startsWith(begins))?.run;

  let shared = 0;
  const GREEDY = "gives backends of one weight equal shares of 10000 requests";
  it.each<[promise: string, wrong: RegExp, pick: Picker["pick"]]>([
    ["picks the only backend that is available", /the only one available, got backend-0/, (all) => all[0]],
    ["skips backends that are not available", /which is not/, (all) => all[0]],
    ["leaves the backends and their list as they are", /./, (all) => (all as (typeof all)[number][]).reverse()[0]],
    ["makes pickers that share no state", /./, (all) => all[shared++ % all.length]],
    ["picks one of the backends that it is given", /./, (all) => all.map((one) => ({ ...one }))[0]],
    [GREEDY, /./, (all) => all.find(({ available }) => available)],
  ])("tells of a policy that breaks what it says: %s", (promise, wrong, pick) => {
    expect(checkOf({ name: "bad", create: () => ({ pick }) }, promise, { shares: "equal" })).toThrow(wrong);
  });

  it.each(["began", "answering", "ended"])("tells of a policy that throws as it is told: %s", (event) => {
    const boom = (): never => {
      throw new Error("boom");
    };
    const picker: Picker = { pick: (all) => all.find((one) => one.available), [event]: boom };
    expect(checkOf({ name: "bad", create: () => picker }, "goes on whatever becomes")).toThrow("boom");
  });

  it("tells of a policy that forgets a backend whose requests have ended", () => {
    const create = (): Picker => {
      const gone = new Set<string>();
      return {
        pick: (all) =>
          all.find(({ available, name }) => available && !gone.has(name)) ?? (gone.size < 3 ? all[0] : undefined),
        ended: ({ name }) => void gone.add(name),
      };
    };
    const wrong = /^expected one of the available backends, got undefined/;
    expect(checkOf({ name: "bad", create }, "goes on whatever becomes")).toThrow(wrong);
  });

  it("tells of a policy to which requests stick that it sends elsewhere", () => {
    const check = checkOf({ ...parsePolicy("round-robin"), sticks: () => true }, "picks the same backend again");
    expect(check).toThrow(/^expected backend-0 again for a request that sticks, got backend-2/);
  });

  it("asks for shares and repeatable pickers only where they are promised", () => {
    const names = (promised: PolicyPromises) =>
      policyContract(() => parsePolicy("random"), promised)
        .map(({ name }) => name)
        .join("\n");
    expect(names({ repeatable: false })).not.toMatch(/shares|share no state/);
    expect(names({ shares: "equal" })).toMatch(/share no state[^]*equal shares/);
  });
});
