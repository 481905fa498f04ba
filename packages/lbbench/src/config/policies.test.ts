import { describe, expect, it } from "vitest";
import { knownPlugins } from "../api/load-plugins.js";
import { type PoliciesInput, parseSweepInput } from "../api/sweep.js";
import type { Scenario } from "../model/scenario.js";
import { formatFault } from "../stats/faults.js";
import { POLICY_SCENARIO_NAMES } from "./policy-scenarios.js";
import { resolveScenario } from "./resolve.js";

const PLUGINS = knownPlugins();
const resolve = async (input: PoliciesInput): Promise<Scenario> =>
  resolveScenario("policies", parseSweepInput(input, "test"), PLUGINS);
const faultsOf = ({ faults = [] }: Scenario): readonly string[] => faults.map(formatFault);
const namesOf = ({ targets }: Scenario): readonly string[] => targets.map(({ name }) => name);
const handlersOf = ({ targets }: Scenario): readonly unknown[] =>
  ((targets[0]?.options["backends"] ?? []) as { readonly options: { readonly handler: string } }[]).map(
    ({ options }) => options.handler,
  );

describe("the scenario of a comparison of policies", () => {
  it("is every policy of the balancer that can differ, one slow backend, an open loop, and trials enough for a test", async () => {
    const scenario = await resolve({});
    const names = ["round-robin", "least-connections", "random", "power-of-two-choices"];
    expect(namesOf(scenario)).toEqual(expect.arrayContaining(names));
    expect(namesOf(scenario)).not.toEqual(expect.arrayContaining(["ip-hash"]));
    expect(scenario).toMatchObject({
      name: "policies",
      reference: null,
      restart: "step",
      levels: [{ rate: 200, durationMs: 6000 }],
      arrival: { spacing: "poisson" },
      policies: {
        scenario: "one-slow",
        withinMs: 1000,
        default: "round-robin",
        compared: expect.arrayContaining([{ target: "random", balancer: "balanced", policy: "random" }]),
      },
    });
    expect(faultsOf(scenario)).toEqual(["slow backend-1 by 2s at 1s", "slow backend-1 by 0 at 4s"]);
    expect(handlersOf(scenario)).toEqual(Array.from({ length: 4 }, () => "sleep:20ms"));
    for (const { name, options } of scenario.targets) expect(options["policy"]).toBe(name);
  });

  it("has each policy of each balancer, and as many trials as a test of the pairs of each takes", async () => {
    const only = ["round-robin", "least-connections", "random"];
    const scenario = await resolve({ targets: ["nginx", "haproxy"], policies: { only } });
    expect(namesOf(scenario)).toEqual(["nginx", "haproxy"].flatMap((one) => only.map((policy) => `${one}: ${policy}`)));
    expect(scenario.trials).toBe(5);
    expect((await resolve({ policies: { only: only.slice(0, 2) } })).trials).toBe(4);
    expect((await resolve({ trials: 9 })).trials).toBe(9);
  });

  it.each(POLICY_SCENARIO_NAMES)("can be %s, whose faults are in order and end within the time", async (name) => {
    const scenario = await resolve({ policies: { scenario: name, only: ["random"] } });
    expect(scenario.policies).toMatchObject({ scenario: name });
    expect(scenario.levels).toEqual([{ rate: 200, durationMs: 6000 }]);
    expect(handlersOf(scenario)).toHaveLength(name === "mixed" ? 10 : 4);
  });

  it("repeats what comes back, as long as all of it fits", async () => {
    const of = async (scenario: "stalls" | "flapping", duration: string) =>
      faultsOf(await resolve({ duration, policies: { scenario, only: ["random"] } }));
    expect(await of("stalls", "13s")).toEqual(["pause backend-1 at 2s", "resume backend-1 at 3s"]);
    expect(await of("stalls", "13.1s")).toHaveLength(4);
    expect((await of("flapping", "20s")).slice(-2)).toEqual(["kill backend-1 at 16s", "start backend-1 at 18s"]);
  });

  it("slows the backend that is named, and lasts beyond that", async () => {
    const scenario = await resolve({
      policies: { slow: "backend-3 by 2s from 10s to 40s", backends: 11, handler: "sleep:5ms", within: "1500ms" },
    });
    expect(faultsOf(scenario)).toEqual(["slow backend-3 by 2s at 10s", "slow backend-3 by 0 at 40s"]);
    expect(scenario.levels).toEqual([{ rate: 200, durationMs: 42_000 }]);
    expect(scenario.policies?.withinMs).toBe(1500);
    expect(handlersOf(scenario)).toEqual(Array.from({ length: 11 }, () => "sleep:5ms"));
  });

  it("can be a closed loop, a number of requests, and backends of one's own", async () => {
    const backends = ["sleep:uniform(0ms,10ms)", "hello"];
    const scenario = await resolve({
      connections: 50,
      requests: 1000,
      policies: { scenario: "mixed", backends, only: ["consistent-hash:header:x-user"] },
    });
    expect(scenario).toMatchObject({ levels: [{ connections: 50, requests: 1000 }], arrival: null });
    expect(handlersOf(scenario)).toEqual(backends);
    expect(namesOf(scenario)).toEqual(["consistent-hash:header:x-user"]);
  });
});

it("has a deadline that other runs have not", async () => {
  const thresholds = ["within>99%"];
  expect((await resolve({ thresholds })).thresholds).toMatchObject([{ metric: "within", operator: ">", value: 0.99 }]);
  const sweep = resolveScenario("sweep", parseSweepInput({ thresholds }, "test"), PLUGINS);
  await expect(sweep).rejects.toThrow('expected "within>99%" in a comparison of policies alone (lbbench policies)');
});
