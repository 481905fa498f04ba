import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { weightedRoundRobin } from "../policies/weighted-round-robin.js";
import { countEach } from "../test-support/pick-many.js";
import { startExamplePool } from "../test-support/pool-example.js";
import { exampleRequest } from "../testing/example-pool.js";
import type { Waiter } from "./slots.js";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const health = { passive: { failures: 3, ejectMs: 1000, maxEjectMs: 30_000 } };
const request = exampleRequest(0);
const waiter = (): Waiter => ({ takeTurn: () => undefined });

describe("the health of a pool", () => {
  it("ejects a backend that fails and takes it back when its time is over", () => {
    const { pool, fail, conditions, upstream } = startExamplePool([1, 1], { health });
    fail("a", 3);
    expect(conditions()).toEqual(["a ejected", "b up"]);
    expect([upstream("a").available, pool.pick(request)?.name, pool.pick(request)?.name]).toEqual([false, "b", "b"]);
    vi.advanceTimersByTime(999);
    expect(upstream("a").available).toBe(false);
    vi.advanceTimersByTime(2);
    expect(conditions()).toEqual(["a up", "b up"]);
    expect(pool.pick(request, [upstream("b")])?.name).toBe("a");
  });

  it("counts failures in a row only", () => {
    const { pool, fail, conditions, upstream } = startExamplePool([1, 1], { health });
    fail("a", 2);
    pool.succeeded(upstream("a"));
    fail("a", 2);
    expect(conditions()).toEqual(["a up", "b up"]);
  });

  it("changes nothing for a success when all is well", () => {
    const { pool, upstream } = startExamplePool([1, 1], { health });
    const before = upstream("a").health;
    pool.succeeded(upstream("a"));
    expect(upstream("a").health).toBe(before);
    expect(vi.getTimerCount()).toBe(0);
  });

  it("never ejects the last available backend, and does so when it is not the last any more", () => {
    const { fail, conditions } = startExamplePool([1, 1], { health });
    fail("a", 3);
    fail("b", 10);
    expect(conditions()).toEqual(["a ejected", "b up"]);
    vi.advanceTimersByTime(1001);
    fail("b");
    expect(conditions()).toEqual(["a up", "b ejected"]);
  });

  it("ejects nothing from a pool of one", () => {
    const { pool, fail } = startExamplePool([1], { health });
    fail("a", 100);
    expect(pool.pick(request)?.name).toBe("a");
  });

  it("has one timer for all backends, which does not run on when nothing is due", () => {
    const { fail, conditions } = startExamplePool([1, 1, 1, 1], { health });
    fail("a", 3);
    vi.advanceTimersByTime(400);
    fail("b", 3);
    expect(vi.getTimerCount()).toBe(1);
    vi.advanceTimersByTime(601);
    expect(conditions()).toEqual(["a up", "b ejected", "c up", "d up"]);
    expect(vi.getTimerCount()).toBe(1);
    vi.advanceTimersByTime(400);
    expect(conditions()).toEqual(["a up", "b up", "c up", "d up"]);
    expect(vi.getTimerCount()).toBe(0);
  });

  it("gives a backend that is back a weight that grows", () => {
    const { pool, fail, conditions, upstream } = startExamplePool([1, 4], { health: { ...health, slowStartMs: 1000 } });
    expect(conditions()).toEqual(["a up", "b up"]);
    fail("b", 3);
    vi.advanceTimersByTime(1001);
    expect(conditions()).toEqual(["a up", "b slow-start"]);
    expect(upstream("b").weight).toBeCloseTo(0.4, 1);
    vi.advanceTimersByTime(501);
    expect(upstream("b").weight).toBeGreaterThan(2);
    expect(upstream("b").weight).toBeLessThan(2.3);
    pool.setWeight("b", 8);
    expect(upstream("b").weight).toBeGreaterThan(4);
    expect(upstream("b").snapshot().weight).toBe(8);
    vi.advanceTimersByTime(501);
    expect([upstream("b").weight, upstream("b").condition]).toEqual([8, "up"]);
    expect(vi.getTimerCount()).toBe(0);
  });

  it("lets a backend that is added start slowly, and those that were there not", () => {
    const { pool, conditions, upstream } = startExamplePool([1], { health: { slowStartMs: 1000 } });
    pool.add({ url: "http://127.0.0.1:5000", name: "new", weight: 2 });
    expect(conditions()).toEqual(["a up", "new slow-start"]);
    expect(upstream("new").weight).toBeCloseTo(0.2, 6);
    vi.advanceTimersByTime(1001);
    expect([conditions()[1], upstream("new").weight]).toEqual(["new up", 2]);
  });

  it("keeps the shares of weighted round robin while retries leave backends out", () => {
    const { pool, upstream } = startExamplePool([3, 1], { policy: weightedRoundRobin() });
    const picked: string[] = [];
    const retried: string[] = [];
    for (let index = 0; index < 400; index++) {
      picked.push(pool.pick(request)?.name ?? "none");
      if (index % 40 === 39) retried.push(pool.pick(request, [upstream("a")])?.name ?? "none");
    }
    expect(retried).toEqual(Array.from({ length: 10 }, () => "b"));
    expect(countEach(picked)).toEqual({ a: 300, b: 100 });
    expect(pool.upstreams.every(({ available }) => available)).toBe(true);
  });

  it("hands over those that wait for a backend that goes out, in order, when its state is known already", () => {
    const { fail, upstream, dismissed } = startExamplePool([1, 1], { health, limits: { connectionsPerBackend: 1 } });
    const [first, second, third] = [waiter(), waiter(), waiter()];
    for (const one of [first, second, third]) upstream("a").slots.take(one);
    fail("a", 2);
    expect(dismissed).toEqual([]);
    fail("a");
    expect(dismissed).toEqual([second, third]);
    expect(upstream("a").slots.queued).toBe(0);
  });

  it("says when the soonest ejected backend returns, in whole seconds", () => {
    const { pool, fail } = startExamplePool([1, 1, 1], { health: { passive: { failures: 1, ejectMs: 2500 } } });
    expect(pool.retryAfterSeconds()).toBe(1);
    fail("a");
    expect(pool.retryAfterSeconds()).toBe(3);
    vi.advanceTimersByTime(1000);
    fail("b");
    expect(pool.retryAfterSeconds()).toBe(2);
    vi.advanceTimersByTime(1400);
    expect(pool.retryAfterSeconds()).toBe(1);
  });

  it("says 1 second when nobody knows, because a backend is out for ever or draining", () => {
    const passive = { failures: 1, ejectMs: Infinity, maxEjectMs: Infinity };
    const { pool, fail } = startExamplePool([1, 1], { health: { passive } });
    fail("a");
    void pool.drain("b");
    expect(pool.pick(request)).toBeUndefined();
    expect(pool.retryAfterSeconds()).toBe(1);
    expect(vi.getTimerCount()).toBe(0);
  });

  it("takes a clock of its own", () => {
    let now = 0;
    const { fail, upstream } = startExamplePool([1, 1], { health, nowMs: () => now });
    fail("a", 3);
    vi.advanceTimersByTime(1001);
    expect(upstream("a").available).toBe(false);
    now = 1000;
    vi.advanceTimersByTime(1001);
    expect(upstream("a").available).toBe(true);
  });
});
