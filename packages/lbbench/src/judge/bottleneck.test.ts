import { expect, it } from "vitest";
import type { Bottleneck, ProcessUsage, Usage } from "../model/usage.js";
import { aProcessUsage, aUsage } from "../test-support/fixtures.js";
import { attributeBottleneck } from "./bottleneck.js";

function processes(...cpus: readonly number[]): readonly ProcessUsage[] {
  return cpus.map((cpu) => aProcessUsage({ cpu }));
}

it.each<[string, Bottleneck, Partial<Usage>]>([
  ["nothing is busy", "none", {}],
  ["the generator is busy", "generator", { generator: processes(0.2, 0.93) }],
  [
    "the generator's event loop never waits",
    "generator",
    { generator: [aProcessUsage({ cpu: 0.5, eventLoopUtilization: 0.99 })] },
  ],
  ["the balancer is busy", "balancer", { balancer: processes(0.97) }],
  ["the balancer is busier than the generator", "balancer", { generator: processes(0.91), balancer: processes(0.98) }],
  ["the generator is busier than the balancer", "generator", { generator: processes(0.98), balancer: processes(0.91) }],
  ["the only backend is busy", "backend", { backends: processes(0.95) }],
  ["all backends are busy", "backend", { backends: processes(0.95, 0.9, 0.99, 0.93) }],
  ["only one of four backends is busy", "none", { backends: processes(1, 0.3, 0.3, 0.3) }],
  ["the cores are busy with no process at its limit", "machine", { backends: processes(0.5, 0.5), machine: 0.96 }],
  ["the cores are busy and so is the balancer", "balancer", { balancer: processes(0.95), machine: 1 }],
  ["the window is too short to tell", "none", { windowMs: 199, generator: processes(1), machine: 1 }],
])("when %s, the bottleneck is %s", (_, expected, usage) => {
  expect(attributeBottleneck(aUsage(usage))).toBe(expected);
});
