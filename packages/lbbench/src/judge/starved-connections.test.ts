import { describe, expect, it } from "vitest";
import type { StepResult } from "../model/result.js";
import { aLatency, aMeasurement, aProcessUsage, aScenario, aStep, aUsage } from "../test-support/fixtures.js";
import type { MeasurementOverrides } from "../test-support/fixtures.js";
import { findStarvedConnections } from "./starved-connections.js";

const LEVEL = { connections: 1000, durationMs: 3000 };
const OPEN = { asked: 1000, opened: 1000, established: 1000 };

/** Of 1000 connections 300 are served all the time, and 700 wait with their first request until the end. */
function starvedStep(measurement: MeasurementOverrides = {}, step: Partial<StepResult> = {}): StepResult {
  return aStep({
    level: LEVEL,
    measurement: aMeasurement({
      connections: OPEN,
      requests: { ok: 18_000, inFlight: 1000 },
      latency: aLatency({ mean: 50, max: 2900 }),
      ...measurement,
    }),
    ...step,
  });
}

const find = (step: StepResult) => findStarvedConnections(step, aScenario());

describe("findStarvedConnections", () => {
  it("finds connections that were not served, and tells how many were", () => {
    expect(find(starvedStep())).toEqual([
      { code: "CONNECTIONS_STARVED", severity: "info", args: { asked: 1000, answered: 300 } },
    ]);
  });

  it("counts the time of failed requests as well", () => {
    const failing = { ok: 12_000, non2xx: 12_000, inFlight: 1000 };
    const [found] = find(starvedStep({ requests: failing, failedLatency: aLatency({ mean: 25 }) }));
    expect(found?.args).toEqual({ asked: 1000, answered: 300 });
  });

  it.each<[string, StepResult]>([
    ["that are all served", starvedStep({ requests: { ok: 59_000, inFlight: 1000 } })],
    ["of which a few had to wait", starvedStep({ requests: { ok: 49_000, inFlight: 1000 } })],
    [
      "that waited for the generator",
      starvedStep({}, { usage: aUsage({ generator: [aProcessUsage({ cpu: 0.96 })] }) }),
    ],
    [
      "of which one at a time is with its generator",
      aStep({
        level: { connections: 1, durationMs: 3000 },
        measurement: aMeasurement({
          connections: { asked: 1, opened: 1, established: 1 },
          requests: { ok: 30_000 },
          latency: aLatency({ mean: 0.06 }),
        }),
        usage: aUsage({ generator: [aProcessUsage({ cpu: 0.35 })] }),
      }),
    ],
    ["that were done with their share", starvedStep({}, { level: { connections: 1000, requests: 18_000 } })],
    ["that were opened anew", starvedStep({ connections: { ...OPEN, established: 9000 } })],
    ["whose level was not reached", starvedStep({ connections: { ...OPEN, opened: 400 } })],
    [
      "for which Little's law is broken",
      starvedStep({ requests: { ok: 18_000 }, elapsedMs: 3000, latency: aLatency({ mean: 10 }) }),
    ],
  ])("says nothing of connections %s", (_, step) => {
    expect(find(step)).toEqual([]);
  });
});
