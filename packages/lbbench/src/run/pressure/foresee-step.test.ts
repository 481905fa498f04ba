import { describe, expect, it } from "vitest";
import type { Finding } from "../../model/finding.js";
import type { Environment } from "../../model/result.js";
import { createFakeEngine } from "../../testing/fake-engine.js";
import { createFakeServer } from "../../testing/fake-server.js";
import { anEnvironment, aScenario, aStep } from "../../test-support/fixtures.js";
import { runStep, type StepContext } from "../run-step.js";
import { createStartTarget } from "../start-target.js";

const LEVEL = { connections: 400, requests: 20_000 };
const KEY = { target: "single", level: LEVEL, trial: 1 };

/** Runs a step with fakes; returns what it told, in order, and its result. */
async function run(environment: Partial<Environment>, context: Partial<StepContext> = {}) {
  const told: (string | Finding)[] = [];
  const scenario = context.scenario ?? aScenario({ warmupMs: 100 });
  const server = createFakeServer({ name: "single" });
  const step = await runStep(KEY, {
    scenario,
    environment: anEnvironment(environment),
    engines: new Map([[scenario.engine.name, createFakeEngine()]]),
    folder: ".",
    children: { acquire: () => [], close: async () => {} },
    signal: new AbortController().signal,
    startTarget: createStartTarget(scenario, { servers: new Map([["single", server]]), folder: ".", env: {} }),
    onPhase: (phase) => told.push(phase),
    onProgress: () => {},
    onWarning: (finding) => told.push(finding),
    ...context,
  });
  return { told, step };
}

describe("a step", () => {
  it("warns of its ports before any load is sent", async () => {
    const { told, step } = await run({ portRange: [40_000, 40_899] });
    expect(told.slice(0, 3)).toEqual([
      "starting",
      { code: "PORTS_EXHAUSTED", severity: "warning", args: { process: "generator", needed: 800, ports: 900 } },
      "warming up",
    ]);
    expect(step.pressure).toMatchObject({ portsNeeded: 800 });
  });

  it("warns of descriptors before any load is sent", async () => {
    const { told } = await run({ fdLimit: 512 });
    expect(told[1]).toMatchObject({
      code: "FD_LIMIT",
      severity: "warning",
      args: { process: "generator", needed: 464 },
    });
  });

  it("says nothing where there is enough of everything, or nothing is known", async () => {
    const phases = ["starting", "warming up", "measuring", "stopping"];
    expect((await run({})).told).toEqual(phases);
    expect((await run({ portRange: null, fdLimit: null })).told).toEqual(phases);
  });

  it("expects without keep-alive what earlier steps of the same target make likely", async () => {
    const scenario = aScenario({ keepAlive: false, warmupMs: 0 });
    const quick = aStep({ target: "other" });
    expect((await run({}, { scenario, history: [quick] })).step.pressure).toMatchObject({ portsNeeded: 20_400 });
    // 5000 requests per second, and what a minute holds of them.
    const own = aStep({
      pressure: { ports: 1, portsNeeded: 1, timeWait: { before: 0, most: 0 }, socketsMost: 1, descriptors: [] },
    });
    expect((await run({}, { scenario, history: [quick, own] })).step.pressure).toMatchObject({ portsNeeded: 400 });
  });
});
