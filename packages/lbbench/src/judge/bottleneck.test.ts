import { expect, it } from "vitest";
import type { Bottleneck, ProcessUsage, Usage, WorkerShare } from "../model/usage.js";
import { aProcessUsage, aScenario, aStep, aUsage, aWorker, anEnvironment } from "../test-support/fixtures.js";
import { attributeBottleneck, findSaturation } from "./bottleneck.js";
import { FINDINGS } from "./findings.js";

function processes(...cpus: readonly number[]): readonly ProcessUsage[] {
  return cpus.map((cpu) => aProcessUsage({ cpu }));
}

/** Processes that use little of a core, with event loops as busy as this. */
function loops(...utilizations: readonly number[]): readonly ProcessUsage[] {
  return utilizations.map((eventLoopUtilization) => aProcessUsage({ eventLoopUtilization }));
}

const LOOPS = { generator: loops(0.96), balancer: loops(0.99) };
it.each<[string, Bottleneck, Partial<Usage>]>([
  ["nothing is busy", "none", {}],
  ["the generator's event loop never waits", "generator", { generator: loops(0.3, 0.99) }],
  ["the balancer is as busy as the host lets it be", "balancer", { balancer: processes(0.85), steal: 0.1 }],
  ["the host takes time that nobody would have needed", "none", { balancer: processes(0.5), steal: 0.3 }],
  ["all backends are busy", "backend", { backends: processes(0.95, 0.9, 0.99, 0.93) }],
  ["only one of four backends is busy", "none", { backends: processes(1, 0.3, 0.3, 0.3) }],
  ["the cores are busy with no process at its limit", "machine", { backends: processes(0.5, 0.5), machine: 0.96 }],
  ["the event loop of the backend never waits", "backend", { backends: loops(0.97) }],
  ["two event loops never wait, the busier of them", "balancer", { ...LOOPS, backends: loops(0.4) }],
  ["an event loop never waits because the cores are busy", "machine", { generator: loops(1), machine: 0.97 }],
  ["no process of the server is seen", "unknown", { backends: [] }],
  ["a balancer with time left is seen without its backends", "unknown", { balancer: processes(0.5), backends: [] }],
  ["the generator never waits for a server not seen", "generator", { generator: processes(0.97), backends: [] }],
  ["the window is too short to tell", "unknown", { windowMs: 199, generator: processes(1), machine: 1 }],
])("when %s, the bottleneck is %s", (_, expected, usage) => {
  expect(attributeBottleneck(aUsage(usage))).toBe(expected);
});

const SPREAD = { cpu: 1, busiestThread: 0.6, cores: 8 };
const FULL = { name: "server", pid: 2, cpu: 0.95, rssBytes: 1, cores: 1 };
it.each<[string, Bottleneck, Partial<ProcessUsage>]>([
  ["has one thread at its limit", "backend", { cpu: 1.3, busiestThread: 0.93, cores: 8 }],
  ["spreads what makes more than one core over its threads", "none", { cpu: 1.3, busiestThread: 0.5, cores: 8 }],
  ["uses all cores that it may use", "backend", { cpu: 1.85, busiestThread: 0.5, cores: 2 }],
  ["has a descendant that uses all cores that it may use", "backend", { ...SPREAD, descendants: [FULL] }],
])("a backend that %s makes the bottleneck %s", (_, expected, used) => {
  expect(attributeBottleneck(aUsage({ backends: [aProcessUsage(used)] }))).toBe(expected);
});

/** A machine that only runs lbbench while others load a server that it does not see. */
const ALONE = { generator: [], backends: [] };
it.each<[string, Bottleneck, Partial<WorkerShare>, Partial<Usage>?]>([
  ["has a core for itself", "generator", { cpu: 0.97 }],
  ["has an event loop that never waits", "generator", { eventLoopUtilization: 0.97 }],
  ["has a full machine", "generator", { machineCpu: 0.96 }],
  ["has nearly a full machine", "none", { machineCpu: 0.94 }],
  ["has time left, while the backend has none", "backend", { cpu: 0.5 }, { backends: processes(0.97) }],
  ["has time left, while this machine with the target is full", "machine", {}, { machine: 0.97 }],
  ["has time left, while this machine is full without a target", "unknown", {}, { ...ALONE, machine: 0.97 }],
  ["lacks what the host of this machine took", "none", { cpu: 0.8 }, { steal: 0.2 }],
])("one of two workers that %s makes the bottleneck %s", (_, expected, used, usage) => {
  expect(attributeBottleneck(aUsage({ generator: [], ...usage }), [aWorker(), aWorker(used)])).toBe(expected);
});

const KEPT = { cpu: 0.137, busiestThread: 0.12, eventLoopUtilization: 1 };
const busy = (cpu: number) => ({ cpu, eventLoopUtilization: 1 });
const SHARED = { machine: 0.99, steal: 0.2 };
const [GENERATOR, MACHINE] = ["GENERATOR_SATURATED", "MACHINE_SATURATED"] as const;
it.each<[string, Partial<ProcessUsage>, Partial<Usage>, readonly string[], string]>([
  ["is kept from running by a full machine", KEPT, { machine: 1 }, [MACHINE], "had to wait for a core (it got 13.7 %"],
  ["is kept from running by one at 97 %", KEPT, { machine: 0.97 }, [MACHINE], "all cores together were 97.0 % busy"],
  ["is kept from running at 90 %", KEPT, { machine: 0.9 }, [GENERATOR], "generator-1 was kept from running"],
  ["is kept from running by a quota", KEPT, { machine: 0.3 }, [GENERATOR], "it got 13.7 % of a core"],
  ["uses its core of a full machine", busy(0.96), { machine: 0.99 }, [GENERATOR, MACHINE], "was busy all the time"],
  ["uses what its host leaves of it", busy(0.75), SHARED, [GENERATOR, MACHINE, "HOST_BUSY"], "process generator-1 was"],
])("a generator that %s is judged by the time that it got", (_, own, machine, codes, words) => {
  const usage = aUsage({ generator: [aProcessUsage(own)], ...machine });
  const found = findSaturation(aStep({ usage }), aScenario(), anEnvironment());
  expect(found.map(({ code }) => code)).toEqual(codes);
  const [first = "", ...others] = found.map(({ code, args }) => FINDINGS[code].sentence(args));
  expect(first).toContain(words);
  expect(others.join()).not.toContain("had to wait");
});
