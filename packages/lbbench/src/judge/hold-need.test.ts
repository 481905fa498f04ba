import { expect, it } from "vitest";
import { anEnvironment, aScenario, NETWORK } from "../test-support/fixtures.js";
import { planHold, sourceAddresses } from "./hold-need.js";

const ENVIRONMENT = anEnvironment({ fdLimit: 20_000, portRange: [32_768, 60_999], network: NETWORK });

function plan(connections: number, overrides: Parameters<typeof aScenario>[0] = {}, host = "127.0.0.1") {
  const scenario = aScenario({
    hold: { everyMs: 4000 },
    engine: { name: "wire", options: {}, generators: "auto" },
    ...overrides,
  });
  return planHold(scenario, { connections, durationMs: 10_000 }, ENVIRONMENT, host);
}

it("takes as many local addresses as three quarters of the ports of each suffice for, and none where one is enough", () => {
  expect(sourceAddresses(6, 8, "127.0.0.1")).toEqual([]);
  expect(sourceAddresses(7, 8, "127.0.0.1")).toEqual(["127.0.0.1", "127.0.0.2"]);
  expect(sourceAddresses(50_000, 28_232, "localhost")).toEqual(["127.0.0.1", "127.0.0.2", "127.0.0.3"]);
  expect(sourceAddresses(50_000, 28_232, "10.0.0.1")).toEqual([]);
  expect(sourceAddresses(50_000, 28_232, "::1")).toEqual([]);
});

it("splits connections over processes that have descriptors enough, those of a burst among them", () => {
  expect(plan(1000)).toEqual({ generators: 1, sources: [] });
  expect(plan(15_936)).toMatchObject({ generators: 1 });
  expect(plan(15_937)).toMatchObject({ generators: 2 });
  expect(plan(15_900, { hold: { everyMs: 4000, burst: 100 } })).toMatchObject({ generators: 2 });
  expect(plan(50_000)).toEqual({ generators: 4, sources: ["127.0.0.1", "127.0.0.2", "127.0.0.3"] });
});

it("tells what is not there for so many: descriptors, with the generators that suffice, or ports", () => {
  const one = { engine: { name: "wire", options: {}, generators: 1 } };
  expect(plan(50_000, one)?.lack).toContain("50,064 descriptors each, and a process may have 20,000");
  expect(plan(50_000, one)?.lack).toContain("--generators 4");
  expect(plan(1_000_000)?.lack).toContain("16 generators would need 62,564 descriptors each");
  expect(plan(40_000, {}, "10.0.0.1")?.lack).toContain("28,232 ports for connections to 10.0.0.1");
  expect(plan(28_000, {}, "10.0.0.1")?.lack).toBeUndefined();
});
