import { expect, it } from "vitest";
import type { ProcessUsage } from "../model/usage.js";
import { aProcessUsage } from "../test-support/fixtures.js";
import { busyShare, processorLoad } from "./process-load.js";

it.each<[string, number, Partial<ProcessUsage>]>([
  ["the whole process where threads are not known", 0.7, { cpu: 0.7 }],
  ["the busiest thread where it is known", 0.4, { cpu: 0.7, busiestThread: 0.4 }],
  ["the share of the cores that may be used where that is more", 0.7, { cpu: 1.4, busiestThread: 0.4, cores: 2 }],
  [
    "the same of a descendant where that is most",
    0.8,
    { cpu: 1, busiestThread: 0.4, cores: 4, descendants: [{ name: "go", pid: 3, cpu: 0.8, rssBytes: 0, cores: 1 }] },
  ],
  ["not what a system without cores would give", 0.4, { cpu: 0.4, cores: 0 }],
])("the processor load of a process is %s", (_, expected, used) => {
  expect(processorLoad(aProcessUsage(used))).toBe(expected);
});

it("takes a process for as busy as its event loop where that is busier", () => {
  expect(busyShare(aProcessUsage({ cpu: 0.2, eventLoopUtilization: 0.6 }))).toBe(0.6);
  expect(busyShare(aProcessUsage({ cpu: 0.7, eventLoopUtilization: 0.6 }))).toBe(0.7);
});
