import { expect, it } from "vitest";
import { anEnvironment, aResult, aStep } from "../test-support/fixtures.js";
import type { NetworkSettings, Pressure } from "../model/pressure.js";
import { resultSchema } from "./result-schema.js";

const NETWORK: NetworkSettings = {
  ephemeralPorts: 28_232,
  tcpTwReuse: 2,
  tcpTwReuseDelayMs: null,
  tcpTimestamps: true,
  somaxconn: 4096,
  tcpMaxSynBacklog: null,
};

const PRESSURE: Pressure = {
  ports: 28_232,
  portsNeeded: null,
  timeWait: { before: 1, most: 2 },
  socketsMost: 3,
  portsTaken: [{ process: "balancer", destination: "127.0.0.1:8080", taken: 4 }],
  descriptors: [{ name: "generator-1", role: "generator", most: 5, limit: null }],
};

it("keeps what a step took of ports and descriptors, does without in files from before, and refuses what is damaged", () => {
  const steps = [
    aStep({ pressure: PRESSURE }),
    aStep({ pressure: { ...PRESSURE, timeWait: null, socketsMost: null } }),
  ];
  const result = aResult({ environment: anEnvironment({ network: NETWORK }), steps: [...steps, aStep()] });
  expect(resultSchema.parse(result)).toEqual(result);
  const damaged = { ...PRESSURE, timeWait: 5 } as unknown as Pressure;
  expect(resultSchema.safeParse(aResult({ steps: [aStep({ pressure: damaged })] })).success).toBe(false);
});
