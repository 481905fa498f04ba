import { describe, expect, it } from "vitest";
import type { NetworkSettings } from "../model/pressure.js";
import type { StepResult } from "../model/result.js";
import { aMeasurement, anEnvironment, aStep } from "../test-support/fixtures.js";
import { aRampStep } from "../test-support/ramps.js";
import { holdMs, isLoopback, portNeed, portSupply, type PortNeedInput } from "./port-need.js";

const SETTINGS: NetworkSettings = {
  ephemeralPorts: 28_232,
  tcpTwReuse: 2,
  tcpTwReuseDelayMs: 1000,
  tcpTimestamps: true,
  somaxconn: 4096,
  tcpMaxSynBacklog: 2048,
};

describe("holdMs", () => {
  it.each<[string, Partial<NetworkSettings>, boolean, number]>([
    ["60 s without reuse", { tcpTwReuse: 0 }, true, 60_000],
    ["a second on the loopback", { tcpTwReuse: 2 }, true, 1000],
    ["60 s elsewhere when reuse is for the loopback only", { tcpTwReuse: 2 }, false, 60_000],
    ["a second everywhere with reuse everywhere", { tcpTwReuse: 1 }, false, 1000],
    ["as long as the system says", { tcpTwReuse: 1, tcpTwReuseDelayMs: 200 }, false, 200],
    ["60 s without timestamps, whatever reuse says", { tcpTwReuse: 1, tcpTimestamps: false }, true, 60_000],
    ["60 s where the system does not tell", { tcpTwReuse: null, tcpTwReuseDelayMs: null }, true, 60_000],
  ])("lets a port rest for %s", (_, settings, toLoopback, expected) => {
    expect(holdMs({ ...SETTINGS, ...settings }, toLoopback)).toBe(expected);
  });

  it("lets a port rest for 60 s in files that have no settings", () => {
    expect(holdMs(undefined, true)).toBe(60_000);
  });
});

it.each([
  ["localhost", true],
  ["127.0.0.1", true],
  ["127.1.2.3", true],
  ["[::1]", true],
  ["::1", true],
  ["10.0.0.1", false],
  ["127.0.0.1.example.org", false],
  ["[2001:db8::1]", false],
])("isLoopback: %s is %j", (host, expected) => {
  expect(isLoopback(host)).toBe(expected);
});

describe("portSupply", () => {
  it("leaves out what is reserved", () => {
    expect(portSupply(anEnvironment({ network: { ...SETTINGS, ephemeralPorts: 20_000 } }))).toBe(20_000);
  });

  it("is the range in files that know no more", () => {
    expect(portSupply(anEnvironment({ portRange: [40_000, 40_099] }))).toBe(100);
  });

  it("is unknown where the system does not tell, never zero", () => {
    expect(portSupply(anEnvironment({ portRange: null }))).toBeNull();
    expect(portSupply(anEnvironment({ portRange: null, network: { ...SETTINGS, ephemeralPorts: null } }))).toBeNull();
  });
});

/** 10 000 requests per second for 3 s, which left so many sockets in TIME_WAIT. */
function earlierStep(timeWait: number | null): StepResult {
  return aStep({
    measurement: aMeasurement({ elapsedMs: 3000, requests: { ok: 30_000 } }),
    pressure: {
      ports: 28_232,
      portsNeeded: null,
      timeWait: timeWait === null ? null : { before: 0, most: timeWait },
      socketsMost: 100,
      descriptors: [],
    },
  });
}

describe("portNeed", () => {
  const need = (given: Partial<PortNeedInput>): number | null =>
    portNeed({
      scenario: { keepAlive: false, warmupMs: 0 },
      level: { connections: 50, durationMs: 3000 },
      holdMs: 60_000,
      earlier: [],
      ...given,
    });

  it("is the connections of a level with keep-alive", () => {
    expect(need({ scenario: { keepAlive: true, warmupMs: 0 } })).toBe(50);
  });

  it("counts those of the warm-up, whose ports still rest", () => {
    expect(need({ scenario: { keepAlive: true, warmupMs: 100 } })).toBe(100);
  });

  it("is the users of a ramp with keep-alive", () => {
    expect(need({ scenario: { keepAlive: true, warmupMs: 0 }, level: { users: 80, durationMs: 3000 } })).toBe(80);
  });

  it("goes by the busiest second of an earlier ramp, as its end is what takes most", () => {
    const ramp = aRampStep({ at: (users) => ({ ok: users * 10 }) });
    const level = { users: 100, durationMs: 100_000 };
    expect(need({ earlier: [ramp], level, holdMs: 10_000 })).toBe(100 + 10_000);
  });

  it("is a port for each request without keep-alive, when no rate is known", () => {
    expect(need({ level: { connections: 50, requests: 30_000 } })).toBe(30_050);
  });

  it("cannot be told of a time without a rate", () => {
    expect(need({})).toBeNull();
  });

  it("is what earlier steps make expect in the time that a port rests", () => {
    expect(need({ earlier: [earlierStep(30_000)] })).toBe(50 + 30_000);
    expect(need({ earlier: [earlierStep(30_000)], holdMs: 1000 })).toBe(50 + 10_000);
    expect(need({ earlier: [earlierStep(30_000)], level: { connections: 50, durationMs: 600_000 } })).toBe(
      50 + 600_000,
    );
  });

  it("counts the load of the warm-up", () => {
    const scenario = { keepAlive: false, warmupMs: 500 };
    expect(need({ earlier: [earlierStep(30_000)], scenario })).toBe(50 + 35_000);
  });

  it("is never more than the requests there are", () => {
    expect(need({ earlier: [earlierStep(30_000)], level: { connections: 50, requests: 2000 } })).toBe(2050);
  });

  it("is the connections where the server closes first, and keeps the TIME_WAIT", () => {
    expect(need({ earlier: [earlierStep(0)] })).toBe(50);
  });

  it("supposes the worst where nobody looked, and ignores steps without a measurement", () => {
    const { measurement: _, ...failed } = aStep();
    expect(need({ earlier: [earlierStep(null), failed] })).toBe(50 + 30_000);
    expect(need({ earlier: [failed] })).toBeNull();
  });
});
