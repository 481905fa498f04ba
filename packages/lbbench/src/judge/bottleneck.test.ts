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
  [
    "has a full machine, while the backend has a little left",
    "generator",
    { machineCpu: 1 },
    { backends: processes(0.93) },
  ],
  ["has nearly a full machine", "none", { machineCpu: 0.94 }],
  ["has time left, while the backend has none", "backend", { cpu: 0.5 }, { backends: processes(0.97) }],
  ["has time left, while this machine with the target is full", "machine", {}, { machine: 0.97 }],
  ["has time left, while this machine is full without a target", "unknown", {}, { ...ALONE, machine: 0.97 }],
  ["lacks what the host of this machine took", "none", { cpu: 0.8 }, { steal: 0.2 }],
])("one of two workers that %s makes the bottleneck %s", (_, expected, used, usage) => {
  expect(attributeBottleneck(aUsage({ generator: [], ...usage }), [aWorker(), aWorker(used)])).toBe(expected);
});

/** What is said of a step whose only generator used these shares of a core and of its time, on a machine as busy as that. */
function saturationOf(own: Partial<ProcessUsage>, machine: number, steal?: number) {
  const usage = aUsage({ generator: [aProcessUsage(own)], machine, ...(steal === undefined ? {} : { steal }) });
  return findSaturation(aStep({ usage }), aScenario(), anEnvironment()).map(({ code, args }) => ({
    code,
    sentence: FINDINGS[code].sentence(args),
  }));
}

const KEPT = { cpu: 0.137, busiestThread: 0.12, eventLoopUtilization: 1 };
it.each<[string, Partial<ProcessUsage>, number, readonly string[], string]>([
  [
    "on a full machine is not saturated",
    KEPT,
    1,
    ["MACHINE_SATURATED"],
    "generator-1 had to wait for a core (it got 13.7 %",
  ],
  ["on a machine at 97 % is not saturated", KEPT, 0.97, ["MACHINE_SATURATED"], "all cores together were 97.0 % busy"],
  ["on a machine at 90 % holds back what it measures", KEPT, 0.9, ["GENERATOR_SATURATED"], "was kept from running"],
  ["on an idle machine, by a quota, too", KEPT, 0.3, ["GENERATOR_SATURATED"], "it got 13.7 % of a core"],
])("a generator that is kept from running %s", (_, own, machine, codes, words) => {
  const said = saturationOf(own, machine);
  expect(said.map(({ code }) => code)).toEqual(codes);
  expect(said[0]?.sentence).toContain(words);
});

it("a generator that uses its core is saturated, also on a full machine, and where the host takes a part of it", () => {
  const said = saturationOf({ cpu: 0.96, eventLoopUtilization: 1 }, 0.99);
  expect(said.map(({ code }) => code)).toEqual(["GENERATOR_SATURATED", "MACHINE_SATURATED"]);
  expect(said[0]?.sentence).toContain("was busy all the time");
  expect(said[1]?.sentence).not.toContain("had to wait");
  const shared = saturationOf({ cpu: 0.75, eventLoopUtilization: 1 }, 0.99, 0.2);
  expect(shared.map(({ code }) => code)).toEqual(["GENERATOR_SATURATED", "MACHINE_SATURATED", "HOST_BUSY"]);
});
