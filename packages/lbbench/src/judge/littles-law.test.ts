import { describe, expect, it } from "vitest";
import type { StepResult } from "../model/result.js";
import { aLatency, aMeasurement, aProcessUsage, aScenario, aStep, aUsage } from "../test-support/fixtures.js";
import type { MeasurementOverrides } from "../test-support/fixtures.js";
import { aRampScenario, aRampStep } from "../test-support/ramps.js";
import { findLittlesLawBroken } from "./littles-law.js";

/**
 * A run long enough that connecting explains next to nothing: 50 connections, 100 s, 10 ms, faultless with 500 000 ok.
 */
function longStep(measurement: MeasurementOverrides = {}, step: Partial<StepResult> = {}): StepResult {
  return aStep({
    level: { connections: 50, durationMs: 100_000 },
    measurement: aMeasurement({ elapsedMs: 100_000, requests: { ok: 500_000 }, ...measurement }),
    ...step,
  });
}

function busy(cpu: number): Partial<StepResult> {
  return { usage: aUsage({ generator: [aProcessUsage({ cpu })] }) };
}

describe("findLittlesLawBroken", () => {
  it.each<[string, StepResult, number]>([
    ["latencies that are 20 % too long", longStep({ requests: { ok: 600_000 } }), 60],
    ["latencies that are too long in a short run", longStep({ elapsedMs: 100, requests: { ok: 700 } }), 70],
    [
      "latencies that are too long in a run of N requests",
      longStep({ requests: { ok: 600_000 } }, { level: { connections: 50, requests: 600_000 } }),
      60,
    ],
    ["latencies that are too long, whatever the generator did", longStep({ requests: { ok: 600_000 } }, busy(1)), 60],
    ["a fifth of the time missing", longStep({ requests: { ok: 400_000 } }), 40],
    [
      "a fifth of the time missing, of users that share connections",
      longStep({ requests: { ok: 400_000 }, connections: { asked: 4, opened: 4, established: 4 } }),
      40,
    ],
    [
      "a fifth of the time missing, failed answers counted",
      longStep({ requests: { ok: 300_000, non2xx: 200_000 }, failedLatency: aLatency({ mean: 5 }) }),
      40,
    ],
  ])("finds %s", (_, step, computed) => {
    const [finding] = findLittlesLawBroken(step, aScenario());
    expect(finding).toMatchObject({ code: "LITTLES_LAW", severity: "error", args: { asked: 50, kind: "connections" } });
    expect(finding?.args["computed"]).toBeCloseTo(computed, 6);
  });

  const missing = { requests: { ok: 300_000 } };

  it.each<[string, StepResult]>([
    ["a faultless run", longStep()],
    ["users that share connections", longStep({ connections: { asked: 4, opened: 4, established: 4 } })],
    ["a deviation within the tolerance", longStep({ requests: { ok: 460_000 } })],
    ["an excess within the tolerance", longStep({ requests: { ok: 545_000 } })],
    [
      "quick failures that complete the sum",
      longStep({ requests: { ok: 300_000, non2xx: 400_000 }, failedLatency: aLatency({ mean: 5 }) }),
    ],
    ["failures whose latency is unknown", longStep({ requests: { ok: 300_000, non2xx: 400_000 } })],
    [
      "connections that are done in a run of N requests",
      longStep(missing, { level: { connections: 50, requests: 300_000 } }),
    ],
    ["a saturated generator", longStep(missing, busy(0.96))],
    ["a generator of which nothing is known", { ...withoutUsage(longStep(missing)) }],
    [
      "timeouts, which end after the last answer",
      longStep({ requests: { ok: 300_000, timedOut: 4000 }, failedLatency: aLatency() }),
    ],
    [
      "back-off after connect errors",
      longStep({ requests: { ok: 300_000, connectErrors: 4000 }, failedLatency: aLatency() }),
    ],
    ["reconnects", longStep({ ...missing, connections: { established: 10_000 } })],
    ["a level that was not reached", longStep({ ...missing, connections: { opened: 30 } })],
    ["an interrupted step", longStep(missing, { state: "aborted" })],
    [
      "fewer than ten requests per connection",
      longStep({ requests: { ok: 499 }, latency: aLatency({ mean: 100, max: 200 }) }),
    ],
    [
      "requests in flight for as long as the slowest took",
      longStep({ requests: { ok: 1000, inFlight: 50 }, latency: aLatency({ mean: 4000, max: 20_000 }) }),
    ],
    [
      "a single connection to a quick target, whose generator takes a third of the time",
      aStep({
        level: { connections: 1, durationMs: 100_000 },
        measurement: aMeasurement({
          elapsedMs: 100_000,
          connections: { asked: 1, opened: 1, established: 1 },
          requests: { ok: 1_000_000 },
          latency: aLatency({ mean: 0.06, max: 4 }),
        }),
        ...busy(0.35),
      }),
    ],
    [
      "connections that took a second to be made",
      aStep({ measurement: aMeasurement({ elapsedMs: 3000, requests: { ok: 10_000 } }) }),
    ],
    ["no measurement", withoutMeasurement(aStep({ state: "failed" }))],
    ["no time", longStep({ elapsedMs: 0 })],
  ])("does not find %s", (_, step) => {
    expect(findLittlesLawBroken(step, aScenario())).toEqual([]);
  });
});

describe("findLittlesLawBroken in a ramp", () => {
  /** 50 users on average over the first 99 s, and 100 for one second more: 50.5. */
  const scenario = aRampScenario();

  it("holds it to the users there were on average", () => {
    expect(findLittlesLawBroken(aRampStep({ at: (users) => ({ ok: users * 100 }) }), scenario)).toEqual([]);
    const [finding] = findLittlesLawBroken(aRampStep({ at: (users) => ({ ok: users * 100, p50: 12 }) }), scenario);
    expect(finding).toMatchObject({ code: "LITTLES_LAW", severity: "error", args: { kind: "users" } });
    expect(finding?.args["asked"]).toBeCloseTo(50.5, 6);
    expect(finding?.args["computed"]).toBeCloseTo(60.6, 6);
  });

  it("finds time that is missing, but allows a second of connecting for each of them", () => {
    const missing = (p50: number): StepResult => aRampStep({ at: (users) => ({ ok: users * 100, p50 }), ...unbusy });
    const unbusy = { step: { usage: aUsage({ generator: [] }) } };
    expect(findLittlesLawBroken(missing(8), scenario)).toHaveLength(1);
    // A tenth, half a user, and the second of each: 6.55 of 50.5.
    expect(findLittlesLawBroken(missing(8.75), scenario)).toEqual([]);
  });

  it("counts only the users who had come when it was cut short", () => {
    const cut = aRampStep({ at: (users) => ({ ok: users * 100, p50: 15 }), durationMs: 20_000 });
    expect(findLittlesLawBroken(cut, scenario)[0]?.args["asked"]).toBeCloseTo(10.5, 6);
  });

  it("says nothing of users without a ramp, nor of a schedule", () => {
    const step = aRampStep({ at: (users) => ({ ok: users * 100, p50: 20 }) });
    expect(findLittlesLawBroken(step, aScenario())).toEqual([]);
    expect(findLittlesLawBroken({ ...step, level: { rate: 5, durationMs: 100_000 } }, scenario)).toEqual([]);
  });
});

function withoutUsage(step: StepResult): StepResult {
  const { usage: _, ...rest } = step;
  return rest;
}

function withoutMeasurement(step: StepResult): StepResult {
  const { measurement: _, ...rest } = step;
  return rest;
}
