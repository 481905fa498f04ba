import { describe, expect, it } from "vitest";
import type { DoneFault } from "../model/fault.js";
import type { Level } from "../model/level.js";
import { doneFault as done, slicesOf, type Slice } from "../test-support/faulty-steps.js";
import { aMeasurement, aStep } from "../test-support/fixtures.js";
import { harms } from "../stats/faults.js";
import { faultResponses } from "./fault-response.js";
import { metricValue } from "./metrics.js";

function respond(events: Parameters<typeof slicesOf>[0], faults: readonly DoneFault[], level: Level = { rate: 500 }) {
  const measurement = aMeasurement({ slices: slicesOf(events) });
  return faultResponses(aStep({ level, measurement, faults }));
}

describe("a fault", () => {
  it("that nothing is lost by has a recovery of 0 and leaves the latency as it was", () => {
    const [response] = respond([], [done("kill", 3000)]);
    expect(response).toMatchObject({
      lost: 0,
      failures: {},
      slow: 0,
      recoveryMs: 0,
      firstLostMs: null,
      lastLostMs: null,
    });
    expect(response?.p99Ms).toBe(response?.p99BeforeMs);
  });

  it("is told with what was lost, how, from when to when, and until when", () => {
    const outage: Slice = { ok: 30, resets: 15, timedOut: 5 };
    const [response] = respond([[30, 37, outage]], [done("kill", 3020)]);
    expect(response).toMatchObject({
      lost: 140,
      failures: { resets: 105, timedOut: 35 },
      recoveryMs: 680,
      firstLostMs: 0,
      lastLostMs: 680,
      lookedMs: 6980,
    });
  });

  it("whose failures end has not recovered before answers come as often as before, and are counted as slow where they were", () => {
    const [response] = respond(
      [
        [30, 35, { ok: 0 }],
        [35, 40, { ok: 40, latencyMs: 400 }],
      ],
      [done("pause", 3000)],
    );
    expect(response).toMatchObject({ lost: 0, slow: 200, recoveryMs: 1000 });
    expect(response?.p99Ms).toBeGreaterThan(400);
    expect(response?.p99BeforeMs).toBeLessThan(3);
  });

  it("has in its p99 what was held back until it had recovered", () => {
    const [response] = respond(
      [
        [30, 40, { ok: 10 }],
        [40, 41, { latencyMs: 1000 }],
      ],
      [done("pause", 3000)],
    );
    expect(response).toMatchObject({ recoveryMs: 1000, slow: 50 });
    expect(response?.p99Ms).toBeGreaterThan(1000);
  });

  it("has recovered once for all: what fails again later was no recovery, but a single failure of thousands is none", () => {
    const again = respond(
      [
        [30, 32, { ok: 20, resets: 30 }],
        [60, 64, { ok: 20, resets: 30 }],
      ],
      [done("kill", 3000)],
    );
    expect(again[0]?.recoveryMs).toBe(3400);
    const [single] = respond(
      [
        [30, 32, { ok: 20, resets: 30 }],
        [70, 71, { ok: 49, resets: 1 }],
      ],
      [done("kill", 3000)],
    );
    expect(single).toMatchObject({ recoveryMs: 200, lost: 61, lastLostMs: 4100 });
  });

  it("has what was lost from when it was begun, though its effect came late", () => {
    const stopped = { ...done("stop", 5000), beganMs: 3000 };
    const [response] = respond([[30, 32, { ok: 45, resets: 5 }]], [stopped]);
    expect(response).toMatchObject({ lost: 10, firstLostMs: 0, lookedMs: 5000, recoveryMs: 0 });
  });

  it("has recovered before a last slice that was cut short", () => {
    const events = [[80, 90, { resets: 50, ok: 0 }] as const, [99, 100, { sent: 0, ok: 0 }] as const];
    const [response] = respond(events, [done("kill", 8000)], { connections: 10 });
    expect(response?.recoveryMs).toBe(1000);
  });

  it.each<[string, Parameters<typeof slicesOf>[0]]>([
    ["never ends", [[30, 100, { ok: 25, resets: 25 }]]],
    ["ends too late to tell", [[30, 97, { ok: 25, resets: 25 }]]],
  ])("that %s has no recovery", (_, events) => {
    expect(respond(events, [done("kill", 3000)])[0]?.recoveryMs).toBeNull();
  });

  it("is looked at until the next one that harms", () => {
    const [killed, paused] = respond(
      [
        [30, 31, { resets: 4 }],
        [60, 61, { resets: 7 }],
      ],
      [done("kill", 3000), done("start", 4500), done("pause", 6000)],
    );
    expect([killed?.lost, paused?.lost, killed?.lookedMs]).toEqual([4, 7, 2900]);
  });

  it("has no recovery, nor was there none, where the next one came too early to tell", () => {
    const responses = respond([[30, 35, { resets: 4 }]], [done("kill", 3000), done("pause", 3400)]);
    expect(responses[0]).toMatchObject({ lost: 12, lookedMs: 300 });
    expect(responses[0]).not.toHaveProperty("recoveryMs");
    expect(responses[1]).toMatchObject({ lost: 8, recoveryMs: 100 });
    const measurement = aMeasurement({ slices: slicesOf([[30, 35, { resets: 4 }]]) });
    const faults = [done("kill", 3000), done("pause", 3400)];
    expect(metricValue(aStep({ level: { rate: 500 }, measurement, faults }), "recovery")).toBe(100);
  });

  it("at the same moment as the next one is told with it", () => {
    const [both, ...others] = respond(
      [[29, 34, { resets: 4 }]],
      [done("kill", 3012, "backend-1"), done("kill", 3030), done("pause", 9990)],
    );
    expect(both).toMatchObject({ fault: { part: "backend-2" }, lost: 20, recoveryMs: 370 });
    expect(others).toMatchObject([{ lookedMs: 10, recoveryMs: null }]);
  });

  it("with nothing before it is compared with the rate that was asked for, and tells of no share", () => {
    const faults = [done("kill", 30), done("start", 1000)];
    const [response] = respond([[0, 20, { ok: 20, given: [20, 0] }]], faults);
    expect(response).toMatchObject({ lost: 0, recoveryMs: 1970 });
    expect(response).not.toHaveProperty("shareBackMs");
  });

  it("in an open loop at random is not measured by the requests that did not come", () => {
    const few: Slice = { sent: 42, ok: 42 };
    expect(respond([[30, 60, few]], [done("kill", 3000)])[0]?.recoveryMs).toBe(0);
    // Users of a closed loop who wait send less.
    expect(respond([[30, 60, few]], [done("kill", 3000)], { connections: 10 })[0]?.recoveryMs).toBe(3000);
  });

  it("tells the share that the backend still got, and when it got its share again", () => {
    const dead: Slice = { given: [45, 5] };
    const [response] = respond([[30, 60, dead]], [done("kill", 3000), done("start", 5000)]);
    expect(response?.shareDuring).toBeCloseTo(0.1, 9);
    expect(response?.shareBackMs).toBeCloseTo(700, -3);
    expect(response?.shareBackMs).toBeGreaterThanOrEqual(700);
    expect(respond([[30, 100, dead]], [done("kill", 3000), done("start", 5000)])[0]?.shareBackMs).toBeNull();
    expect(respond([[30, 100, dead]], [done("kill", 3000)])[0]).not.toHaveProperty("shareBackMs");
    // Too late to tell.
    expect(respond([[30, 100, dead]], [done("kill", 3000), done("start", 9600)])[0]).not.toHaveProperty("shareBackMs");
    expect(respond([], [done("pause", 3000, "balancer")])[0]?.shareDuring).toBeNull();
  });
});

it("long measurements are read once, however late a fault ends", () => {
  let reads = 0;
  const usual = slicesOf([]);
  const repeated = (counts: readonly number[] = []): readonly number[] =>
    Array.from({ length: 20 }, () => counts).flat();
  const ok = new Proxy(repeated(usual.ok), {
    get(counts, key, receiver): unknown {
      reads += 1;
      return Reflect.get(counts, key, receiver);
    },
  });
  const resets = repeated(usual.failures.resets).map((count, at) => (at >= 1990 ? 50 : count));
  const slices = { ...usual, sent: repeated(usual.sent), ok, failures: { resets } };
  const [response] = faultResponses(
    aStep({ level: { rate: 500 }, measurement: aMeasurement({ slices }), faults: [done("kill", 3000)] }),
  );
  expect(response?.recoveryMs).toBeNull();
  expect(reads).toBeLessThan(10 * ok.length);
});

it("faults that took no effect, that heal, or without slices tell nothing", () => {
  expect(respond([], [done("kill", null), done("start", 3000)])).toEqual([]);
  expect(
    faultResponses(aStep({ level: { rate: 500 }, measurement: aMeasurement({}), faults: [done("kill", 1)] })),
  ).toEqual([]);
});

it.each([
  [{ kind: "kill" }, true],
  [{ kind: "start" }, false],
  [{ kind: "slow", byMs: 200 }, true],
  [{ kind: "slow", byMs: 0 }, false],
  [{ kind: "errors", share: 0.5 }, true],
  [{ kind: "errors", share: 0 }, false],
] as const)("%j harms: %s", (fault, expected) => {
  expect(harms(fault)).toBe(expected);
});
