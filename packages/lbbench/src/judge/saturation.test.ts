import { expect, it } from "vitest";
import type { ProcessUsage } from "../model/usage.js";
import { aProcessUsage, aUsage } from "../test-support/fixtures.js";
import { saturatedGenerator } from "./saturation.js";

it.each<[string, boolean, Partial<ProcessUsage>]>([
  ["uses a whole core", true, { cpu: 0.95 }],
  ["leaves some of its core", false, { cpu: 0.94 }],
  ["uses more than a core, with no thread at its limit", false, { cpu: 1.7, busiestThread: 0.85, cores: 8 }],
  ["has a thread at its limit", true, { cpu: 1.7, busiestThread: 0.96, cores: 8 }],
  ["uses all cores that it may use", true, { cpu: 1.95, busiestThread: 0.9, cores: 2 }],
  ["has an event loop that never waits", true, { cpu: 0.5, busiestThread: 0.5, eventLoopUtilization: 0.97 }],
])("a generator that %s is saturated: %s", (_, expected, used) => {
  expect(saturatedGenerator(aUsage({ generator: [aProcessUsage(used)] })) !== undefined).toBe(expected);
});

it("names the busiest of several generators", () => {
  const generator = [0.2, 0.96, 0.99].map((cpu, index) => aProcessUsage({ name: `generator-${index + 1}`, cpu }));
  expect(saturatedGenerator(aUsage({ generator }))?.name).toBe("generator-3");
});
