import { describe, expect, it } from "vitest";
import type { DoneFault } from "../model/fault.js";
import type { Level } from "../model/level.js";
import type { StepResult } from "../model/result.js";
import { harms } from "../stats/faults.js";
import { cellEndMs, latencyCell } from "../stats/latency-cells.js";
import { doneFault as done, slicesOf, type Slice } from "../test-support/faulty-steps.js";
import { aMeasurement, aStep } from "../test-support/fixtures.js";
import { faultResponses } from "./fault-response.js";
import { metricValue } from "./metrics.js";

type Events = Parameters<typeof slicesOf>[0];

function aFaultyStep(events: Events, faults: readonly DoneFault[], level: Level = { rate: 500 }): StepResult {
  return aStep({ level, measurement: aMeasurement({ slices: slicesOf(events) }), faults });
}
const respond = (...given: Parameters<typeof aFaultyStep>) => faultResponses(aFaultyStep(...given));

/** What goes on from one slice of 100 ms to before another. */
const from = (first: number, until: number, what: Slice): Events[number] => [first, until, what];
const above = (least: number): unknown => expect.toSatisfy((ms: number) => ms > least);

const [KILL, PAUSE] = [done("kill", 3000), done("pause", 3000)];
const CLOSED: Level = { connections: 10 };
const BAD: Slice = { ok: 20, resets: 30 };
const HALF: Slice = { ok: 25, resets: 25 };
/** As few as come at random. */
const FEW: Slice = { sent: 42, ok: 42 };
const USUAL_MS = cellEndMs(latencyCell(2000));

describe("a fault", () => {
  it.each<[string, Events, readonly DoneFault[], object | readonly object[], Level?]>([
    [
      "that nothing is lost by has a recovery of 0 and leaves the latency as it was",
      [],
      [KILL],
      {
        lost: 0,
        failures: {},
        slow: 0,
        recoveryMs: 0,
        firstLostMs: null,
        lastLostMs: null,
        p99Ms: USUAL_MS,
        p99BeforeMs: USUAL_MS,
      },
    ],
    [
      "is told with what was lost, how, from when to when, and until when",
      [from(30, 37, { ok: 30, resets: 15, timedOut: 5 })],
      [done("kill", 3020)],
      {
        lost: 140,
        failures: { resets: 105, timedOut: 35 },
        recoveryMs: 680,
        firstLostMs: 0,
        lastLostMs: 680,
        lookedMs: 6980,
      },
    ],
    [
      "without failures has recovered when answers come as often as before, and has in its p99 what was held back",
      [from(30, 40, { ok: 10 }), from(40, 41, { latencyMs: 1000 })],
      [PAUSE],
      { lost: 0, recoveryMs: 1000, slow: 50, p99Ms: above(1000), p99BeforeMs: USUAL_MS },
    ],
    [
      "has not recovered before requests fail for the last time",
      [from(30, 32, BAD), from(60, 64, BAD)],
      [KILL],
      { recoveryMs: 3400 },
    ],
    [
      "has recovered where a single request of thousands fails later",
      [from(30, 32, BAD), from(70, 71, { ok: 49, resets: 1 })],
      [KILL],
      { recoveryMs: 200, lost: 61, lastLostMs: 4100 },
    ],
    [
      "has what was lost from when it was begun, though its effect came late",
      [from(30, 32, { ok: 45, resets: 5 })],
      [{ ...done("stop", 5000), beganMs: 3000 }],
      { lost: 10, firstLostMs: 0, lookedMs: 5000, recoveryMs: 0 },
    ],
    [
      "has recovered before a last slice that was cut short",
      [from(80, 90, { resets: 50, ok: 0 }), from(99, 100, { sent: 0, ok: 0 })],
      [done("kill", 8000)],
      { recoveryMs: 1000 },
      CLOSED,
    ],
    ["that ends too late to tell has no recovery", [from(30, 97, HALF)], [KILL], { recoveryMs: null }],
    [
      "is looked at until the next one that harms",
      [from(30, 31, { resets: 4 }), from(60, 61, { resets: 7 })],
      [KILL, done("start", 4500), done("pause", 6000)],
      [{ lost: 4, lookedMs: 2900 }, { lost: 7 }],
    ],
    [
      "at the same moment as the next one is told with it",
      [from(29, 34, { resets: 4 })],
      [done("kill", 3012, "backend-1"), done("kill", 3030), done("pause", 9990)],
      [
        { fault: { part: "backend-2" }, lost: 20, recoveryMs: 370 },
        { lookedMs: 10, recoveryMs: null },
      ],
    ],
    ["in an open loop at random is not measured by what did not come", [from(30, 60, FEW)], [KILL], { recoveryMs: 0 }],
    ["in a closed loop is, whose users wait", [from(30, 60, FEW)], [KILL], { recoveryMs: 3000 }, CLOSED],
  ])("%s", (_, events, faults, expected, level) => {
    expect(respond(events, faults, level)).toMatchObject([expected].flat());
  });

  it("has no recovery, nor was there none, where the next one came too early to tell", () => {
    const step = aFaultyStep([from(30, 35, { resets: 4 })], [KILL, done("pause", 3400)]);
    const [killed, paused] = faultResponses(step);
    expect(killed).toMatchObject({ lost: 12, lookedMs: 300 });
    expect(killed).not.toHaveProperty("recoveryMs");
    expect(paused).toMatchObject({ lost: 8, recoveryMs: 100 });
    expect(metricValue(step, "recovery")).toBe(100);
  });

  it("with nothing before it is compared with the rate that was asked for, and tells of no share", () => {
    const [response] = respond([from(0, 20, { ok: 20, given: [20, 0] })], [done("kill", 30), done("start", 1000)]);
    expect(response).toMatchObject({ lost: 0, recoveryMs: 1970 });
    expect(response).not.toHaveProperty("shareBackMs");
  });

  it("tells the share that the backend still got, and when it got its share again", () => {
    const shareUntil = (slice: number, ...healed: readonly DoneFault[]) =>
      respond([from(30, slice, { given: [45, 5] })], [KILL, ...healed])[0];
    const back = shareUntil(60, done("start", 5000));
    expect(back?.shareDuring).toBeCloseTo(0.1, 9);
    expect(back?.shareBackMs).toBeCloseTo(700, -3);
    expect(back?.shareBackMs).toBeGreaterThanOrEqual(700);
    expect(shareUntil(100, done("start", 5000))?.shareBackMs).toBeNull();
    expect(shareUntil(100)).not.toHaveProperty("shareBackMs");
    // Too late to tell.
    expect(shareUntil(100, done("start", 9600))).not.toHaveProperty("shareBackMs");
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
  const [response] = faultResponses({ ...aFaultyStep([], [KILL]), measurement: aMeasurement({ slices }) });
  expect(response?.recoveryMs).toBeNull();
  expect(reads).toBeLessThan(10 * ok.length);
});

it("faults that took no effect, that heal, or without slices tell nothing", () => {
  expect(respond([], [done("kill", null), done("start", 3000)])).toEqual([]);
  expect(faultResponses({ ...aFaultyStep([], [KILL]), measurement: aMeasurement() })).toEqual([]);
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
