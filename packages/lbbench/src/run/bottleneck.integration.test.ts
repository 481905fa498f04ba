import { fork, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { cpus } from "node:os";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { sweep } from "../api/sweep.js";
import type { SweepInput } from "../config/sweep-input.js";
import { MACHINE_SATURATION } from "../judge/bottleneck.js";
import { busyShare } from "../judge/process-load.js";
import type { Bottleneck, ProcessUsage, Usage } from "../model/usage.js";

type Target = NonNullable<SweepInput["targets"]>[number];

const FOLDER = fileURLToPath(new URL("./test-support/", import.meta.url));
const command = (...words: readonly string[]): Target => ({
  name: "command",
  server: "command",
  options: { command: [process.execPath, ...words] },
});

/** Measures a target with 20 connections for a second. */
async function measure(target: Target, more: SweepInput = {}): Promise<Usage> {
  const input: SweepInput = { targets: [target], connections: [20], duration: "1s", warmup: "300ms", ...more };
  const { result } = await sweep(input, { folder: FOLDER });
  const [step] = result.steps;
  expect(step).toMatchObject({ state: "completed" });
  expect(step?.measurement?.requests.ok).toBeGreaterThan(0);
  if (step?.usage === undefined) throw new Error("Expected the usage of a completed step");
  return step.usage;
}

/** Processes of a run, by the role that reports give them. */
function processes({ generator, balancer = [], backends = [] }: Usage): Record<string, readonly ProcessUsage[]> {
  return { generator, balancer, backend: backends };
}

/** Whether others than the processes of a run took so much of the cores that the run had to wait for them. */
function isDisturbed(usage: Usage): boolean {
  const ours = Object.values(processes(usage)).flat();
  return usage.machine * cpus().length - ours.reduce((sum, { cpu }) => sum + cpu, 0) > 0.3;
}

/** Measures up to five times, until the bottleneck is what it should be: others may take the cores, and so may the host. */
async function measureUntil(expected: Bottleneck, target: Target, more?: SweepInput): Promise<Usage> {
  let usage = await measure(target, more);
  for (let times = 1; times < 5 && (isDisturbed(usage) || usage.bottleneck !== expected); times += 1) {
    usage = await measure(target, more);
  }
  return usage;
}

/** Expects a bottleneck. What it is while others take the cores is not for a test to say, but it is no other role. */
function expectBottleneck(usage: Usage, expected: Bottleneck): void {
  const accepted = isDisturbed(usage) ? [expected, "machine", "none"] : [expected];
  expect(accepted, JSON.stringify(usage)).toContain(usage.bottleneck);
}

/** Expects that no role is as busy as this one. */
function expectBusiest(usage: Usage, expected: string): void {
  const busiest = Object.entries(processes(usage))
    .map(([role, ours]) => ({ role, share: Math.max(0, ...ours.map(busyShare)) }))
    .toSorted((a, b) => b.share - a.share)[0];
  expect(busiest?.role, JSON.stringify(usage)).toBe(expected);
  expect(busiest?.share).toBeGreaterThan(0.5);
}

describe("the bottleneck of a run", () => {
  it("is the backend when that takes 5 ms of processor time for an answer", async () => {
    const usage = await measureUntil("backend", { name: "slow", server: "single", options: { handler: "cpu:5ms" } });
    expectBusiest(usage, "backend");
    expectBottleneck(usage, "backend");
  });

  it("is the balancer when its policy takes 2 ms for a pick and its backends nothing", async () => {
    const options = { backends: 3, policy: "./slow-policy.mjs" };
    const usage = await measureUntil("balancer", { name: "balanced", server: "balanced", options });
    expect(usage.backends).toHaveLength(3);
    expectBusiest(usage, "balancer");
    expectBottleneck(usage, "balancer");
  });

  it("is the generator when answers cost their reader more than their writer", async () => {
    const request = { expectBody: "x".repeat(100_000) };
    const usage = await measureUntil("generator", command("large-answers.mjs"), { request });
    expectBusiest(usage, "generator");
    expectBottleneck(usage, "generator");
  });

  it("is the machine when others keep all cores busy and there is little load", async () => {
    const others = cpus().map(() => fork(`${FOLDER}busy-core.mjs`));
    try {
      await Promise.all(others.map((other) => once(other, "message")));
      const target: Target = { name: "light", server: "single", options: { handler: "sleep:20ms" } };
      const light = (): Promise<Usage> => measure(target, { connections: [2] });
      let usage = await light();
      // Where the host stops a core for a moment, that core counts as idle for it.
      for (let times = 1; times < 3 && usage.machine < MACHINE_SATURATION; times += 1) usage = await light();
      expect(usage.machine).toBeGreaterThanOrEqual(MACHINE_SATURATION);
      expect(usage.bottleneck).toBe("machine");
    } finally {
      await Promise.all(others.map(end));
    }
  });

  it("is nothing when the backend only waits for 20 ms", async () => {
    const target: Target = { name: "waits", server: "single", options: { handler: "sleep:20ms" } };
    const usage = await measureUntil("none", target, { connections: [5] });
    expect(Math.max(...Object.values(processes(usage)).flat().map(busyShare))).toBeLessThan(0.9);
    expectBottleneck(usage, "none");
  });
});

it("tells apart what the workers of a user's own cluster use, event loops included", async () => {
  const { backends = [] } = await measure(command("cluster-server.mjs"));
  const [own] = backends;
  expect(backends).toHaveLength(1);
  expect(own?.eventLoopUtilization).toBeGreaterThan(0);
  expect(own?.cpu).toBeGreaterThan(0.1);
  if (process.platform !== "linux") return;
  expect(own?.descendants).toHaveLength(2);
  for (const { cpu, eventLoopUtilization = 0 } of own?.descendants ?? []) {
    expect(cpu).toBeGreaterThan(0);
    expect(eventLoopUtilization).toBeGreaterThan(0);
  }
  expect(own?.threads).toBeGreaterThan(3);
});

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill("SIGKILL");
  await once(child, "exit");
}
