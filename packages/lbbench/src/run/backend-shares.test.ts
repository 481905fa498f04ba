import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import {
  ownBetween,
  inFlightBySlice,
  sharesBetween,
  sharesBySlice,
  watchShares,
  type Shares,
  type ToldShares,
} from "./backend-shares.js";

/** An answer at a time: requests by backend. */
const at = (atMs: number, requests: Readonly<Record<string, number>>): ToldShares => ({
  atMs,
  shares: Object.fromEntries(Object.entries(requests).map(([name, count]) => [name, { requests: count }])),
});

describe("what backends were given", () => {
  it.each<
    [string, readonly ToldShares[], Readonly<Record<string, number>>, Readonly<Record<string, readonly number[]>>]
  >([
    ["no answers", [], {}, {}],
    ["one answer", [at(0, { a: 5 })], {}, {}],
    [
      "an answer at every border",
      [at(-1e9, { a: 100, b: 7 }), at(100, { a: 110, b: 7 }), at(200, { a: 110, b: 9 }), at(1e9, { a: 113, b: 9 })],
      { a: 13, b: 2 },
      { a: [10, 0, 3], b: [0, 2, 0] },
    ],
    [
      "answers between borders",
      [at(0, { a: 0 }), at(50, { a: 4 }), at(150, { a: 14 }), at(250, { a: 15 })],
      { a: 15 },
      { a: [9, 6, 0] },
    ],
    ["no answer for a long time", [at(0, { a: 0 }), at(100, { a: 1 }), at(300, { a: 9 })], { a: 9 }, { a: [1, 0, 8] }],
    [
      "a backend that was started anew, or is not in every answer",
      [at(0, { a: 900 }), at(100, { a: 910, constructor: 2 }), at(200, {}), at(300, { a: 4, constructor: 5 })],
      { a: 14, constructor: 5 },
      { a: [10, 0, 4], constructor: [2, 0, 3] },
    ],
  ])("from %s", (_, told, sums, slices) => {
    expect(sharesBetween(told)).toEqual(
      Object.fromEntries(Object.entries(sums).map(([name, requests]) => [name, { requests }])),
    );
    expect(sharesBySlice(told, { ms: 100, count: 3 })).toEqual(slices);
  });

  it("adds up how long answers took, from 0 again in a backend that was started anew", () => {
    const one = (atMs: number, count: number, totalMs: number): ToldShares => ({
      atMs,
      shares: { a: { requests: count, answered: { count, totalMs } } },
    });
    expect(sharesBetween([one(0, 10, 100), one(50, 30, 500), one(90, 5, 20)])).toEqual({
      a: { requests: 25, answered: { count: 25, totalMs: 420 } },
    });
  });

  it("adds up connections accepted, tells those that were open before, and the most that were open or busy when asked", () => {
    const one = (atMs: number, requests: number, [accepted = 0, open = 0, active = 0]: readonly number[]) => {
      const share = { requests, received: 2 * accepted, connections: { before: 0, accepted, open, active } };
      return { atMs, shares: { a: share, ...(atMs > 0 ? { late: share } : {}) }, server: share };
    };
    // The backend was started anew before the third answer, and the balancer, which counts the requests, before the last.
    const told = [one(0, 10, [10, 4]), one(50, 30, [12, 6, 3]), one(90, 50, [2, 2, 1]), one(99, 5, [7, 5, 2])];
    const connections = { before: 4, accepted: 9, open: 6, active: 3 };
    expect(sharesBetween(told)).toEqual({
      a: { requests: 45, received: 18, connections },
      late: { requests: 55, received: 38, connections: { ...connections, before: 0, accepted: 19 } },
    });
    expect(ownBetween(told)).toEqual({ requests: 45, received: 18, connections });
    expect(ownBetween([at(0, {}), at(1, {})])).toBeUndefined();
    // Of a step too short to be asked meanwhile: what was open when measuring began, or nothing.
    const connectionsOf = (open: number, accepted: number) =>
      ownBetween([one(0, 10, [10, open, 1]), one(99, 20, [10 + accepted])])?.connections;
    expect([connectionsOf(4, 0), connectionsOf(0, 3)]).toEqual([
      { before: 4, accepted: 0, open: 4, active: 1 },
      { before: 0, accepted: 3 },
    ]);
  });

  it("counts errors where they are told, and leaves nothing out where requests cannot be shared evenly", () => {
    const one = (atMs: number, requests: number, errors: number): ToldShares => ({
      atMs,
      shares: { a: { requests, errors } },
    });
    const told = [one(0, 10, 4), one(95, 17, 6), one(191, 18, 7), one(260, 3, 1), one(1e9, 5, 1)];
    expect(sharesBetween(told)).toEqual({ a: { requests: 13, errors: 4 } });
    const slices = sharesBySlice(told, { ms: 30, count: 10 })["a"] ?? [];
    expect(slices.reduce((sum, count) => sum + count, 0)).toBe(13);
    expect(Math.min(...slices)).toBeGreaterThanOrEqual(0);
    expect(sharesBySlice(told, { ms: 100, count: 0 })).toEqual({});
  });
});

describe("a balancer is asked", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it("again and again, but not before it has answered, until that is ended", async () => {
    const takesMs = [1, 250, Number.NaN, 1, Infinity];
    let asked = 0;
    const backends = async (): Promise<Shares> => {
      const ms = takesMs[asked] ?? 0;
      asked += 1;
      if (Number.isNaN(ms)) throw new Error("no answer");
      await new Promise<void>((resolve) => ms < Infinity && setTimeout(resolve, ms));
      return { a: { requests: asked } };
    };
    const beganMs = Date.now();
    const passedMs = (): number => Date.now() - beganMs;
    // Slices begin 20 ms later, which is known after 250 ms.
    const clock = { passedMs, startMs: () => (passedMs() < 250 ? 0 : 20) };
    const end = watchShares({ backends }, 100, clock);
    await vi.advanceTimersByTimeAsync(2000);
    expect(end().map(({ atMs, shares }) => [atMs, shares["a"]?.requests])).toEqual([
      [101, 1],
      [450, 2],
      [621, 4],
    ]);
    await vi.advanceTimersByTimeAsync(1e6);
    expect(asked).toBe(5);
    expect(watchShares({}, 100, clock)()).toEqual([]);
    expect(vi.getTimerCount()).toBe(0);
  });
});

it("tells what each backend had at the end of each slice, and nothing where no balancer tells", () => {
  const one = (atMs: number, a: number | undefined): ToldShares => ({
    atMs,
    shares: { a: { requests: 1, ...(a !== undefined && { inFlight: a }) }, b: { requests: 1, inFlight: 7 } },
  });
  // Answers come a little late; the one at 350 ms is that of the slice before.
  const told = [one(-20, 1), one(104, 2), one(203, undefined), one(349, 4), one(900, 5)];
  expect(inFlightBySlice(told, { ms: 100, count: 4 })).toEqual({
    inFlight: { a: [2, null, 4, null], b: [7, 7, 7, null] },
  });
  expect(inFlightBySlice([{ atMs: 100, shares: { a: { requests: 3 } } }], { ms: 100, count: 1 })).toEqual({});
});
