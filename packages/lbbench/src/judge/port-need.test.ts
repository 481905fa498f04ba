import { describe, expect, it } from "vitest";
import type { NetworkSettings } from "../model/pressure.js";
import type { StepResult } from "../model/result.js";
import { aMeasurement, anEnvironment, aStep, NETWORK } from "../test-support/fixtures.js";
import { aRampStep } from "../test-support/ramps.js";
import { foreseePressure, type PressureBefore } from "./pressure.js";
import { holdMs, portNeed, portSupply, type PortNeedInput } from "./port-need.js";

const SETTINGS: NetworkSettings = { ...NETWORK, ephemeralPorts: 20_000 };

it.each<[string, Partial<NetworkSettings> | undefined, boolean, number]>([
  ["60 s without reuse", { tcpTwReuse: 0 }, true, 60_000],
  ["a second on the loopback", { tcpTwReuse: 2 }, true, 1000],
  ["60 s elsewhere when reuse is for the loopback only", { tcpTwReuse: 2 }, false, 60_000],
  ["a second everywhere with reuse everywhere", { tcpTwReuse: 1 }, false, 1000],
  ["60 s without timestamps, whatever reuse says", { tcpTwReuse: 1, tcpTimestamps: false }, true, 60_000],
  ["60 s in files that have no settings", undefined, true, 60_000],
])("a port rests for %s", (_, settings, toLoopback, expected) => {
  expect(holdMs(settings && { ...SETTINGS, ...settings }, toLoopback)).toBe(expected);
});

it("ports are those of the range less what is reserved, and unknown, never none, where nobody tells", () => {
  expect(portSupply(anEnvironment({ network: SETTINGS }))).toBe(20_000);
  expect(portSupply(anEnvironment({ portRange: [40_000, 40_099] }))).toBe(100);
  expect(portSupply(anEnvironment({ portRange: null }))).toBeNull();
  expect(portSupply(anEnvironment({ portRange: null, network: { ...SETTINGS, ephemeralPorts: null } }))).toBeNull();
});

describe("portNeed", () => {
  /** 10 000 requests per second for 3 s, which left so many sockets in TIME_WAIT. */
  const earlierStep = (timeWait: number | null): StepResult =>
    aStep({
      measurement: aMeasurement({ elapsedMs: 3000, requests: { ok: 30_000 } }),
      pressure: {
        ports: 28_232,
        portsNeeded: null,
        timeWait: timeWait === null ? null : { before: 0, most: timeWait },
        socketsMost: 100,
        descriptors: [],
      },
    });
  const earlier = [earlierStep(30_000)];
  const { measurement: _, ...failed } = aStep();
  const kept = { keepAlive: true, warmupMs: 0 };
  const ramp = aRampStep({ at: (users) => ({ ok: users * 10 }) });

  it.each<[string, Partial<PortNeedInput>, number | null]>([
    ["the connections of a level with keep-alive", { scenario: kept }, 50],
    ["those of the warm-up as well, whose ports still rest", { scenario: { ...kept, warmupMs: 100 } }, 100],
    ["the users of a ramp with keep-alive", { scenario: kept, level: { users: 80, durationMs: 3000 } }, 80],
    ["a port for each request without it", { level: { connections: 50, requests: 30_000 } }, 30_050],
    ["unknown of a time without a rate", {}, null],
    ["what earlier steps make expect", { earlier }, 50 + 30_000],
    [
      "with a warm-up as long as the longest of them had",
      {
        scenario: { keepAlive: false, warmupMs: "auto" },
        earlier: [{ ...earlierStep(30_000), warmup: { durationMs: 2000, steady: true } }],
      },
      50 + 50_000,
    ],
    ["no more than the requests there are", { earlier, level: { connections: 50, requests: 2000 } }, 2050],
    ["the connections where the server closes first", { earlier: [earlierStep(0)] }, 50],
    ["unknown where nothing was measured", { earlier: [failed] }, null],
    [
      "that of the busiest second of an earlier ramp",
      { earlier: [ramp], level: { users: 100, durationMs: 100_000 }, holdMs: 10_000 },
      100 + 10_000,
    ],
  ])("is %s", (_text, given, expected) => {
    const level = { connections: 50, durationMs: 3000 };
    const scenario = { keepAlive: false, warmupMs: 0 };
    expect(portNeed({ scenario, level, holdMs: 60_000, earlier: [], ...given })).toBe(expected);
  });
});

describe("foreseePressure", () => {
  const processes = (["balancer", "backend", "backend"] as const).map((role, index) => ({
    name: index === 0 ? role : `${role}-${index}`,
    role,
    open: 25,
    limit: 1000,
  }));
  const descriptors = { process: "generator", role: "generator", connections: 400, needed: 464, fdLimit: 512 };
  const ports = { process: "generator", needed: 801, ports: 1000 };

  it.each<[string, Partial<PressureBefore>, object | undefined]>([
    ["nothing where there is enough of everything", {}, undefined],
    ["too few ports, with those that earlier steps have left taken", { portsTaken: 401 }, ports],
    ["nothing of unknown ports", { ports: null, portsNeeded: 1e6 }, undefined],
    ["nothing of an unknown limit", { generatorLimit: null }, undefined],
    ["a generator with too few descriptors", { generatorLimit: 512 }, descriptors],
    ["two that share the connections", { generatorLimit: 512, generators: 2 }, undefined],
    [
      "the balancer first, which needs two for each connection",
      { processes },
      { process: "balancer", role: "balancer", connections: 400, needed: 825, fdLimit: 1000 },
    ],
    ["a balancer of connections that are held, which needs one", { processes, isHeld: true }, undefined],
    [
      "nothing of a balancer that keeps no connection",
      { processes: processes.map((one) => (one.role === "balancer" ? { ...one, keepsNone: true } : one)) },
      undefined,
    ],
  ])("takes %s", (_, given, args) => {
    const found = foreseePressure({
      level: { connections: 400, durationMs: 3000 },
      generators: 1,
      generatorLimit: 10_000,
      processes: [],
      isHeld: false,
      ports: 1000,
      portsTaken: 0,
      portsNeeded: 400,
      ...given,
    });
    const code = args === ports ? "PORTS_EXHAUSTED" : "FD_LIMIT";
    expect(found).toEqual(args === undefined ? [] : [{ code, severity: "warning", args }]);
  });
});
