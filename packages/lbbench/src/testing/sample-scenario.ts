import type { Environment } from "../model/result.js";
import type { RequestSpec, Scenario } from "../model/scenario.js";

/** What of a sample can vary. */
export interface SampleShape {
  /** How many there are; 2 by default. All but the first stand behind a balancer. */
  readonly targets?: number;
  /** Levels; 1, 50, 100 and 500 by default. */
  readonly connections?: readonly number[];
  /** 2 by default. */
  readonly trials?: number;
}

/** GET of `/`, any body, a status of 2xx expected. */
export const SAMPLE_REQUEST: RequestSpec = {
  method: "GET",
  path: "/",
  headers: [],
  body: null,
  bodyEncoding: "utf8",
  expectStatus: "2xx",
  expectBody: null,
};

/** The scenario of a sample result. */
export function sampleScenario({ targets = 2, connections = [1, 50, 100, 500], trials = 2 }: SampleShape): Scenario {
  return {
    name: "sample",
    targets: Array.from({ length: targets }, (_, index) =>
      index === 0
        ? { name: "single", server: "single", options: { handler: "hello", port: 0 } }
        : { name: `balanced | <${index * 4}>`, server: "balanced", options: { backends: index * 4 } },
    ),
    reference: "single",
    levels: connections.map((value) => ({ connections: value, durationMs: 3000 })),
    trials,
    request: { ...SAMPLE_REQUEST, headers: [["Accept", "*/*"]] },
    mix: null,
    httpVersion: "1.1",
    warmupMs: 500,
    restart: "trial",
    timeoutMs: 10_000,
    keepAlive: true,
    arrival: null,
    ramp: null,
    engine: { name: "fake", generators: 1, options: {} },
    thresholds: [{ source: "p99<1s", metric: "p99", operator: "<", value: 1000 }],
    margin: null,
    errorMargin: 0.001,
    stopOn: [],
    order: "interleaved",
    seed: 1,
    search: null,
  };
}

/** A machine with 4 cores and 65 536 descriptors for each process. */
export const SAMPLE_ENVIRONMENT: Environment = {
  cpuModel: "Sample CPU",
  cores: 4,
  memoryBytes: 16_000_000_000,
  os: "Linux x64",
  kernel: "6.1.0",
  node: "v20.19.0",
  fdLimit: 65_536,
  portRange: [32_768, 60_999],
  loadAverage: 0.1,
};
