import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { needs } from "@lbbench/test-support/needs.js";
import { temporaryFolder } from "@lbbench/test-support/temporary-folder.js";
import { readStoredResult } from "../../test/support/read-report.js";
import { runCommand } from "../../test/support/run-command.js";
import { rowOf } from "../judge/findings.js";
import { comparePolicies } from "../judge/rank-targets.js";

/** Runs a scenario once with each of two policies; resolves with what became of the requests of each. */
async function runScenario(words: string) {
  const folder = temporaryFolder();
  const line = `policies ${words} --policy round-robin --policy least-connections --trials 1 -o out -f json --quiet`;
  const { stderr } = await runCommand(line, folder);
  const [roundRobin, leastConnections] = readStoredResult(join(folder, "out")).steps.map(({ measurement, ...step }) => {
    const { within, requests, slices, backends = {} } = measurement ?? {};
    expect(step.state, stderr).toBe("completed");
    expect((step.faults ?? []).map(({ error }) => error).filter(Boolean)).toEqual([]);
    expect(requests?.inFlight).toBe(0);
    const first = slices?.backends?.["backend-1"] ?? [];
    return {
      /** Due, and not answered ok within the deadline. */
      missed: (within?.due ?? NaN) - (within?.ok ?? NaN),
      failed: (requests?.sent ?? NaN) - (requests?.ok ?? NaN),
      /** What backend-1 was given in slices of 100 ms, from one to before another. */
      given: (from: number, to: number) => first.slice(from, to).reduce((sum, count) => sum + count, 0),
      /** What each backend was given. */
      all: Object.values(backends).map((one) => one.requests),
      /** What failed at backend-1. */
      errors: backends["backend-1"]?.errors ?? 0,
    };
  });
  if (roundRobin === undefined || leastConnections === undefined) throw new Error(`expected two steps: ${stderr}`);
  return { roundRobin, leastConnections };
}

/** Round robin gives all backends the same, and misses what the first got in these slices; least connections gives it less than half of that. */
async function expectMissed(words: string, from: number, to: number): Promise<void> {
  const { roundRobin, leastConnections } = await runScenario(words);
  const given = roundRobin.given(from, to);
  expect(given).toBeGreaterThan(0);
  expect(roundRobin.missed).toBeGreaterThanOrEqual(given);
  expect(leastConnections.given(from, to)).toBeLessThan(given / 2);
  expect(leastConnections.missed).toBeLessThan(roundRobin.missed);
}

// A fault is seen to have taken effect within a few hundred milliseconds.
describe("scenarios of policies, by counts of real runs", () => {
  it("one-slow: 600 requests come while one of four is slow, and round robin sends a fourth of them there", async () => {
    await expectMissed("one-slow", 14, 39);
  });

  it("stalls: what comes in the first 600 ms of a stall of 1 s is late", async () => {
    await expectMissed("stalls", 22, 26);
  });

  it("cold: a backend that joins gets nothing before, and by round robin its whole part at once", async () => {
    const { roundRobin } = await runScenario("cold");
    expect(roundRobin.given(4, 19)).toBe(0);
    expect(roundRobin.given(24, 39)).toBeGreaterThan(0);
    expect(roundRobin.missed).toBeGreaterThanOrEqual(roundRobin.given(24, 39));
  });

  it("mixed: round robin sends a tenth to the backend that takes a second, least connections far less", async () => {
    const { roundRobin, leastConnections } = await runScenario("mixed");
    expect(Math.max(...roundRobin.all) - Math.min(...roundRobin.all)).toBeLessThanOrEqual(1);
    expect(roundRobin.missed).toBeGreaterThanOrEqual(roundRobin.all.at(-1) ?? NaN);
    expect(leastConnections.all.at(-1)).toBeLessThan((roundRobin.all.at(-1) ?? NaN) / 4);
  });

  it("flapping: no request fails but those that were tried on the dead backend", async () => {
    const { roundRobin, leastConnections } = await runScenario("flapping");
    for (const { failed, errors, given } of [roundRobin, leastConnections]) {
      expect(errors).toBeGreaterThan(0);
      expect(failed).toBeLessThanOrEqual(errors);
      // It is left out after three failures in a row.
      expect(given(14, 29)).toBeLessThan(given(0, 10) / 2);
    }
  });

  it.skipIf(!needs("nginx", "haproxy"))("one-slow of nginx and HAProxy: the same", async () => {
    for (const target of ["nginx", "haproxy"]) await expectMissed(`one-slow -t ${target}`, 14, 39);
  });
});

it("equal policies are not told apart: round robin, and by weight where all weights are equal", async () => {
  const folder = temporaryFolder();
  const slow = ["--slow", "backend-1 by 1500ms from 500ms to 1500ms", "-d", "2s"];
  const only = ["--policy", "round-robin", "--policy", "weighted-round-robin"];
  const { stderr } = await runCommand(["policies", ...slow, ...only, "-o", "out", "-f", "json", "--quiet"], folder);
  const { scenario, steps } = readStoredResult(join(folder, "out"));
  expect(steps.filter(({ state }) => state === "completed").length, stderr).toBe(2 * scenario.trials);
  // Both miss the same requests of the same schedule: what a stall of the machine adds is in single trials.
  // A policy is not compared where the machine was busy or the generator late in a trial: compared are the same figures without that.
  const undoubted = steps.map(({ findings, ...step }) => ({
    ...step,
    findings: findings.filter((finding) => !["moment", "generator"].includes(rowOf(finding).of ?? "")),
  }));
  const told = comparePolicies({ scenario, steps: undoubted });
  expect(told.map(({ args }) => args["withinIs"])).toEqual(["alike", "alike"]);
});
