import { describe, expect, it } from "vitest";
import type { Finding } from "../model/finding.js";
import type { DescriptorUse, Pressure } from "../model/pressure.js";
import type { StepResult } from "../model/result.js";
import type { Scenario } from "../model/scenario.js";
import { aMeasurement, anEnvironment, aScenario, aStep, type MeasurementOverrides } from "../test-support/fixtures.js";
import { findDescriptorLimit, findExhaustedPorts } from "./operating-system.js";

function aPressure(overrides: Partial<Pressure> = {}): Pressure {
  return {
    ports: 1000,
    portsNeeded: 100,
    timeWait: { before: 0, most: 10 },
    socketsMost: 100,
    descriptors: [],
    ...overrides,
  };
}

function aUse(overrides: Partial<DescriptorUse> = {}): DescriptorUse {
  return { name: "generator-1", role: "generator", most: 100, limit: 1000, ...overrides };
}

interface Given {
  readonly measurement?: MeasurementOverrides;
  readonly pressure?: Partial<Pressure>;
  readonly step?: Partial<StepResult>;
  readonly scenario?: Partial<Scenario>;
  readonly fdLimit?: number | null;
}

function judge(
  rule: typeof findExhaustedPorts,
  { measurement, pressure, step, scenario, fdLimit }: Given,
): readonly Finding[] {
  return rule(
    aStep({
      ...(measurement === undefined ? {} : { measurement: aMeasurement(measurement) }),
      ...(pressure === undefined ? {} : { pressure: aPressure(pressure) }),
      ...step,
    }),
    aScenario(scenario),
    anEnvironment({ portRange: [40_000, 40_999], ...(fdLimit === undefined ? {} : { fdLimit }) }),
  );
}

const NO_PORT = { requests: { connectErrors: 7 }, errorCodes: { EADDRNOTAVAIL: 7 } };

describe("findExhaustedPorts", () => {
  const ports = (given: Given): readonly Finding[] => judge(findExhaustedPorts, given);

  it("names the client, as an error, when a connection found no free port", () => {
    expect(ports({ measurement: NO_PORT })).toEqual([
      {
        code: "PORTS_EXHAUSTED",
        severity: "error",
        args: { process: "generator", count: 7, first: 40_000, last: 40_999 },
      },
    ]);
  });

  it("takes the same error for something else when not one connection was made with ports in plenty", () => {
    const measurement = { ...NO_PORT, connections: { opened: 0, established: 0 } };
    expect(ports({ measurement, pressure: {} })).toEqual([]);
    expect(ports({ measurement, pressure: { timeWait: { before: 990, most: 990 } } })).toHaveLength(1);
    expect(ports({ measurement })).toHaveLength(1);
  });

  it.each([
    ["generator", 801],
    ["balancer", 950],
  ] as const)("warns when the %s had %d of 1000 ports taken, and says for which destination", (process, taken) => {
    const portsTaken = [{ process, destination: "127.0.0.1:8080", taken }];
    expect(ports({ pressure: { portsTaken } })).toEqual([
      {
        code: "PORTS_EXHAUSTED",
        severity: "warning",
        args: { process, taken, ports: 1000, destination: "127.0.0.1:8080" },
      },
    ]);
  });

  it("does not warn of 80 %, nor of sockets that are none of the step's", () => {
    const portsTaken = [{ process: "generator", destination: "127.0.0.1:8080", taken: 800 }] as const;
    expect(ports({ pressure: { portsTaken } })).toEqual([]);
    expect(ports({ pressure: { timeWait: { before: 5000, most: 9000 }, portsTaken: [] } })).toEqual([]);
  });

  describe("where nobody looked", () => {
    const withoutKeepAlive = { keepAlive: false, warmupMs: 0 };

    it("warns of a rate without keep-alive that needs more than 80 % of the ports", () => {
      expect(ports({ scenario: withoutKeepAlive, measurement: { requests: { ok: 751 } } })).toEqual([
        { code: "PORTS_EXHAUSTED", severity: "warning", args: { process: "generator", needed: 801, ports: 1000 } },
      ]);
      expect(ports({ scenario: withoutKeepAlive, measurement: { requests: { ok: 750 } } })).toEqual([]);
    });

    it("warns of connections that are kept, and of as many of the warm-up", () => {
      const step = aStep({ level: { connections: 401, durationMs: 3000 } });
      expect(ports({ step, scenario: { warmupMs: 100 } })).toMatchObject([{ args: { needed: 802 } }]);
      expect(ports({ step, scenario: { warmupMs: 0 } })).toEqual([]);
    });

    it("knows from the settings when ports may be used again after a second", () => {
      const url = (host: string): Scenario["targets"] => [
        { name: "single", server: "url", options: { url: `http://${host}/` } },
      ];
      const network = {
        ephemeralPorts: 1000,
        tcpTwReuse: 2,
        tcpTwReuseDelayMs: 1000,
        tcpTimestamps: true,
        somaxconn: null,
        tcpMaxSynBacklog: null,
      };
      const needed = (host: string): readonly Finding[] =>
        findExhaustedPorts(
          aStep({ measurement: aMeasurement({ elapsedMs: 3000, requests: { ok: 1500 } }) }),
          aScenario({ ...withoutKeepAlive, targets: url(host) }),
          anEnvironment({ network }),
        );
      expect(needed("127.0.0.1:8080")).toEqual([]);
      expect(needed("example.org")).toMatchObject([{ args: { needed: 1550, ports: 1000 } }]);
    });

    it("says nothing where the ports are unknown", () => {
      const step = aStep({ measurement: aMeasurement({ requests: { ok: 1_000_000 } }) });
      expect(findExhaustedPorts(step, aScenario(withoutKeepAlive), anEnvironment({ portRange: null }))).toEqual([]);
    });
  });
});

describe("findDescriptorLimit", () => {
  const descriptors = (given: Given): readonly Finding[] => judge(findDescriptorLimit, given);

  it("names the client and its limit, as an error, when it ran out", () => {
    const measurement = { requests: { connectErrors: 6 }, errorCodes: { EMFILE: 6 } };
    const args = { code: "EMFILE", count: 6, process: "generator" };
    expect(descriptors({ measurement, pressure: { descriptors: [aUse({ limit: 512 })] }, fdLimit: 1024 })).toEqual([
      { code: "FD_LIMIT", severity: "error", args: { ...args, fdLimit: 512 } },
    ]);
    expect(descriptors({ measurement, fdLimit: 1024 })).toMatchObject([{ args: { ...args, fdLimit: 1024 } }]);
  });

  it("gives no limit of a process when those of the whole system ran out", () => {
    const measurement = { requests: { connectErrors: 6 }, errorCodes: { ENFILE: 6 } };
    expect(descriptors({ measurement })).toEqual([
      { code: "FD_LIMIT", severity: "error", args: { code: "ENFILE", count: 6, process: "generator" } },
    ]);
  });

  it("warns of the process that came closest to its limit", () => {
    const uses = [
      aUse({ most: 810 }),
      aUse({ name: "balancer", role: "balancer", most: 950 }),
      aUse({ name: "backend-1", role: "backend", most: 2000, limit: 20_000 }),
    ];
    expect(descriptors({ pressure: { descriptors: uses } })).toEqual([
      {
        code: "FD_LIMIT",
        severity: "warning",
        args: { process: "balancer", role: "balancer", used: 950, fdLimit: 1000 },
      },
    ]);
  });

  it("does not warn of 80 %, nor of a process without a limit", () => {
    expect(
      descriptors({ pressure: { descriptors: [aUse({ most: 800 }), aUse({ most: 9000, limit: null })] } }),
    ).toEqual([]);
  });
});
