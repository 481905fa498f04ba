import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { LoadProgress } from "../plugin.js";
import { closedConnections } from "../stats/load.js";
import { rampStartsUs } from "../stats/ramp-seconds.js";
import { aLoad } from "../test-support/load.js";
import { createGenerator, type GeneratorProgress } from "./generator.js";
import { followProgress, measuringMs } from "./generators.js";
import { mergeRecords } from "./merge.js";
import { Recorder } from "./recorder.js";
import { splitLevel, userStartsUs } from "./shares.js";

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

describe("a level that is split over generators", () => {
  it("keeps its connections, users and requests, none too few for a generator, and whole connections where streams share them", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 60 }),
        fc.integer({ min: 0, max: 300 }),
        fc.integer({ min: 1, max: 9 }),
        fc.integer({ min: 1, max: 12 }),
        (users, more, generators, streams) => {
          const shares = splitLevel({ connections: users, requests: users + more }, generators, streams);
          const connections = Math.ceil(users / streams);
          expect(shares).toHaveLength(Math.min(generators, connections));
          expect(sum(shares.map(closedConnections))).toBe(users);
          expect(sum(shares.map(({ requests = Number.NaN }) => requests))).toBe(users + more);
          expect(sum(shares.map((share) => Math.ceil(closedConnections(share) / streams)))).toBe(connections);
          for (const share of shares) expect(share.requests).toBeGreaterThanOrEqual(closedConnections(share));
        },
      ),
    );
  });

  it("has its whole time in each", () => {
    expect(splitLevel({ connections: 5, durationMs: 3000 }, 2)).toEqual([
      { connections: 3, durationMs: 3000 },
      { connections: 2, durationMs: 3000 },
    ]);
    const ramp = { users: 5, durationMs: 1000 };
    expect(splitLevel(ramp, 4, 3)).toEqual([ramp, ramp]);
  });

  it("starts every user of a ramp once, and those of each generator as the whole rises", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 300 }),
        fc.integer({ min: 0, max: 300 }),
        fc.integer({ min: 1, max: 16 }),
        (from, others, generators) => {
          const users = from + others;
          const of = Math.min(generators, users);
          const ramp = { from, riseMs: 30_000, steps: null };
          const level = { users, durationMs: 40_000 };
          const shares = Array.from({ length: of }, (_, index) => userStartsUs({ level, ramp }, { index, of }));
          expect(shares.flat().toSorted((a, b) => a - b)).toEqual(rampStartsUs(users, ramp));
          expect(Math.min(...shares.map(({ length }) => length))).toBeGreaterThan(0);
        },
      ),
    );
  });
});

const fill = (users: number, pace: number) => ({ tookMs: 100, users, answered: users, pace });

it.each([
  ["as long as is asked where that is enough", 500, [fill(50, 5000)], 500],
  ["until each has had three answers at the pace of all generators", 100, [fill(200, 100), fill(100, 200)], 3300],
  ["no longer than 15 s for that", 1000, [fill(1000, 10)], 15_000],
  ["as long as is asked though that is more", 20_000, [fill(1000, 10)], 20_000],
  ["as long as is asked where nothing answers", 500, [fill(100, 0)], 500],
])("a closed loop that is at work is measured %s", (_, askedMs, fills, expected) => {
  expect(measuringMs(askedMs, fills)).toBe(expected);
});

/** Generators that are followed by a clock that a test sets. */
function follow(recorders: readonly Recorder[], areUsersTold = false): (ms: number) => Promise<LoadProgress> {
  let nowMs = 0;
  const ask = async (second: number): Promise<readonly GeneratorProgress[]> =>
    recorders.map((recorder) => ({ ...recorder.progress(), second: recorder.readSecond(second, nowMs * 1000) }));
  const progress = followProgress(ask, () => nowMs, areUsersTold);
  return (ms) => {
    nowMs = ms;
    return progress();
  };
}

/** Enters a request that is answered after so many microseconds. */
function answer(recorder: Recorder, sentUs: number, tookUs: number): void {
  recorder.sent(sentUs);
  recorder.ok(sentUs, sentUs + tookUs, 200);
}

describe("the progress of several generators", () => {
  it("tells a second as the timeline has it in the end, of all generators together", async () => {
    const [fast, slow] = [new Recorder({ mergeable: true }), new Recorder({ mergeable: true })];
    for (let count = 0; count < 90; count += 1) answer(fast, count, 1000);
    for (let count = 0; count < 10; count += 1) answer(slow, count, 100_000);
    slow.users(400_000, 1);
    slow.sent(500_000);
    slow.failed("timedOut", 500_000, 600_000, {});
    slow.sent(700_000);
    const { latest, ...counts } = await follow([fast, slow], true)(1000);
    expect(counts).toEqual({ sent: 102, done: 101, failed: 1, elapsedMs: 1000 });
    for (const recorder of [fast, slow]) answer(recorder, 1_000_005, 300);
    const { timeline } = mergeRecords([fast.finish(1, null), slow.finish(0, null)], { users: 2 }, new Date(0));
    expect(latest).toEqual(timeline[0]);
    expect(latest).toMatchObject({ second: 0, sent: 102, ok: 100, failed: 1, users: 1, p50: 1, max: 100 });
    // 1 ms and 100 ms averaged would be neither.
    expect(latest?.p99).toBeCloseTo(100, 0);
    expect((await follow([fast])(1000)).latest).not.toHaveProperty("users");
  });

  it("tells each second until the next is over, also where nothing happens any more", async () => {
    const recorder = new Recorder({ mergeable: false });
    answer(recorder, 10, 500);
    const at = follow([recorder]);
    const latest = [];
    for (const ms of [999, 1000, 1999, 2000]) latest.push((await at(ms)).latest);
    expect(latest[0]).toBeUndefined();
    expect(latest.slice(1)).toMatchObject([
      { second: 0, ok: 1 },
      { second: 0, ok: 1 },
      { second: 1, sent: 0, ok: 0, p99: null },
    ]);
  });

  it("does not tell the last second of a load that is cut while anything may still be counted in it", async () => {
    const [cut, going] = [1, 2].map(() => new Recorder({ mergeable: true, lastsMs: 2000 })) as [Recorder, Recorder];
    for (const recorder of [cut, going]) answer(recorder, 1_500_000, 500);
    const at = follow([cut, going]);
    await at(1000);
    cut.finish(0, 2_000_500);
    expect((await at(2001)).latest).toMatchObject({ second: 0 });
  });
});

it("a generator sends first requests of its own before it builds what sends a load", async () => {
  const order: string[] = [];
  const build = () => {
    order.push("clients");
    return { stop: async () => {} };
  };
  const { prepare } = createGenerator(build, async () => void order.push("first requests"));
  await prepare({ ...aLoad({ connections: 1 }), engine: "wire", folder: ".", place: { index: 0, of: 1 } });
  expect(order).toEqual(["first requests", "clients"]);
});
