import { NETWORK } from "../../test-support/fixtures.js";
import type { Calibration, Readings } from "../diagnosis.js";
import { TOOLS } from "../read-machine.js";

/** Builds the readings of a machine with which nothing is wrong; without a calibration. */
export function someReadings(overrides: Partial<Readings> = {}): Readings {
  return {
    nodeVersion: "v22.13.0",
    cores: { model: "Sample CPU", present: 8, allowed: 8, quota: null },
    loadAverage: 0.1,
    memory: { totalBytes: 16 * 1024 ** 3, availableBytes: 12 * 1024 ** 3 },
    descriptors: { soft: 524_288, hard: 524_288 },
    portRange: [32_768, 60_999],
    network: NETWORK,
    sockets: { inUse: 20, timeWait: 3 },
    governor: "performance",
    steal: 0,
    clockStepMs: 0.00004,
    timerDelay: { p50Ms: 0.1, p99Ms: 0.4 },
    pngProblem: null,
    tools: TOOLS.map(({ name }) => ({ name, version: "1.2.3" })),
    workers: { asked: false, packageProblem: null, python: "python3", locust: "2.43.3", hosts: [] },
    ...overrides,
  };
}

/** Builds a calibration in which the generator was the limit. */
export function aCalibration(overrides: Partial<Calibration> = {}): Calibration {
  return {
    requestsPerSecond: 54_321,
    p99Ms: 2.34,
    connections: 50,
    generatorCpu: 1.02,
    generatorLoop: 0.99,
    serverCpu: 0.6,
    failed: 0,
    ...overrides,
  };
}
