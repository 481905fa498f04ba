import { expect, it } from "vitest";
import { aProcessUsage } from "../../test-support/fixtures.js";
import { stepUsage } from "./step-usage.js";

const GENERATOR = aProcessUsage({ cpu: 0.4 });

it("puts the processes of a step in order of their roles, with all that is known of them", () => {
  const backend = aProcessUsage({
    name: "nginx",
    cpu: 1.2,
    busiestThread: 0.95,
    threads: 3,
    cores: 2,
    descendants: [{ name: "nginx", pid: 7, cpu: 1.2, rssBytes: 10 }],
  });
  const balancer = aProcessUsage({ name: "balancer", eventLoopUtilization: 0.5 });
  const window = {
    processes: [
      { role: "backend" as const, ...backend },
      { role: "balancer" as const, ...balancer },
    ],
    machine: 0.6,
    steal: 0.01,
    windowMs: 1000,
  };
  expect(stepUsage(window, [GENERATOR])).toEqual({
    generator: [GENERATOR],
    balancer: [balancer],
    backends: [backend],
    machine: 0.6,
    steal: 0.01,
    windowMs: 1000,
    bottleneck: "backend",
  });
});

it("leaves out the roles of which nobody was watched, and what the system does not tell", () => {
  expect(stepUsage({ processes: [], machine: 0.5, windowMs: 1000 }, [GENERATOR])).toEqual({
    generator: [GENERATOR],
    machine: 0.5,
    windowMs: 1000,
    bottleneck: "none",
  });
});

it("knows nothing but the generators where there was no window", () => {
  expect(stepUsage(undefined, [GENERATOR])).toEqual({
    generator: [GENERATOR],
    machine: 0,
    windowMs: 0,
    bottleneck: "none",
  });
});
