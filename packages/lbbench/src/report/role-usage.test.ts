import { expect, it } from "vitest";
import { aProcessUsage, aUsage } from "../test-support/fixtures.js";
import { cpuOf, loopOf, memoryOf } from "./role-usage.js";

const USAGE = aUsage({
  backends: [
    aProcessUsage({ cpu: 0.5, rssBytes: 10, eventLoopUtilization: 0.4 }),
    aProcessUsage({ cpu: 0.25, rssBytes: 30, eventLoopUtilization: 0.9 }),
    aProcessUsage({ cpu: 0.25, rssBytes: 5 }),
  ],
});

it("adds up processor time and memory of a role, and takes its busiest event loop", () => {
  expect([cpuOf(USAGE, "backend"), memoryOf(USAGE, "backend"), loopOf(USAGE, "backend")]).toEqual([1, 45, 0.9]);
});

it("has no figures of a role that cannot be seen", () => {
  expect([cpuOf(USAGE, "balancer"), memoryOf(USAGE, "balancer"), loopOf(USAGE, "balancer")]).toEqual([
    null,
    null,
    null,
  ]);
});

it("has no event loop of processes that cannot tell", () => {
  expect(loopOf(aUsage({ backends: [aProcessUsage()] }), "backend")).toBeNull();
});

it("does not tell processor time of so short a time that ticks of 10 ms are most of it", () => {
  expect(cpuOf({ ...USAGE, windowMs: 199 }, "backend")).toBeNull();
  expect(memoryOf({ ...USAGE, windowMs: 199 }, "backend")).not.toBeNull();
  expect(cpuOf({ ...USAGE, windowMs: 200 }, "backend")).not.toBeNull();
});
