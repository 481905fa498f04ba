import { getEventListeners } from "node:events";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { deferred, inTime, succeeds, unless, within } from "./settle.js";

beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] }));
afterEach(() => void vi.useRealTimers());

const NEVER = new Promise<never>(() => {});

describe("a promise that is waited for", () => {
  it.each([
    ["is fulfilled", async () => 7, 7],
    ["is rejected", () => Promise.reject(new Error("no")), new Error("no")],
  ])("settles as it does when it %s, and leaves neither timer nor listener", async (_, make, outcome) => {
    const { signal } = new AbortController();
    const waiting = inTime<unknown>(make(), { limitMs: 100, late: "late", signal });
    expect(await waiting.catch((error: unknown) => error)).toEqual(outcome);
    expect(vi.getTimerCount()).toBe(0);
    expect(getEventListeners(signal, "abort")).toEqual([]);
  });

  it("is given up after its limit, and not before", async () => {
    const told: unknown[] = [];
    const waiting = inTime(NEVER, { limitMs: 100, late: "late" }).catch((error: Error) => told.push(error.message));
    await vi.advanceTimersByTimeAsync(99);
    expect(told).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    await waiting;
    expect(told).toEqual(["late"]);
  });

  it("is given up with the reason of a signal that aborts, or has aborted", async () => {
    const controller = new AbortController();
    const waiting = inTime(NEVER, { limitMs: 100, signal: controller.signal });
    controller.abort("enough");
    await expect(waiting).rejects.toBe("enough");
    await expect(inTime(Promise.resolve(7), { signal: controller.signal })).rejects.toBe("enough");
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe("a promise that is waited for unless another is rejected", () => {
  it("settles as it does, or is rejected as the other is, also where that was rejected before", async () => {
    const over = deferred<never>();
    const waiting = [unless(over.promise, NEVER), unless(over.promise, NEVER)];
    expect(await unless(over.promise, Promise.resolve(7))).toBe(7);
    await expect(unless(over.promise, Promise.reject(new Error("no")))).rejects.toThrow("no");
    over.reject(new Error("over"));
    for (const one of [...waiting, unless(over.promise, NEVER)]) await expect(one).rejects.toThrow("over");
  });

  it("leaves nothing of what it has settled with on the other", async () => {
    setFlagsFromString("--expose-gc");
    const collect = runInNewContext("gc") as () => void;
    const settled = async (): Promise<WeakRef<object>> => new WeakRef(await unless(NEVER, Promise.resolve({})));
    const held = await settled();
    // A reference that was just made or read is held until the end of the turn.
    await new Promise((resolve) => setImmediate(resolve));
    collect();
    expect(held.deref()).toBeUndefined();
  });
});

it("what may stay away is nothing where it is late, aborted or rejected", async () => {
  const late = within(100, NEVER);
  await vi.advanceTimersByTimeAsync(100);
  const outcomes = [late, within(100, NEVER, AbortSignal.abort()), within(100, Promise.reject(new Error("no")))];
  expect(await Promise.all([...outcomes, within(100, Promise.resolve(7))])).toEqual([
    ...outcomes.map(() => undefined),
    7,
  ]);
});

it("a promise that is settled from outside may be rejected without a listener", async () => {
  const { promise, reject } = deferred<void>();
  reject(new Error("no"));
  expect(await succeeds(promise)).toBe(false);
  expect(await succeeds(Promise.resolve())).toBe(true);
});
