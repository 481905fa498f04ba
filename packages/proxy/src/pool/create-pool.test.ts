import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { BalancerOptionsError } from "../options/balancer-options-error.js";
import { startExamplePool } from "../test-support/pool-example.js";
import { exampleRequest } from "../testing/example-pool.js";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const request = exampleRequest(0);

/** Notes whether a promise is done. */
function watch(promise: Promise<void>) {
  const state = { done: false };
  const watched = promise.then(() => {
    state.done = true;
  });
  return { state, watched };
}

describe("createPool", () => {
  it("opens a link to each backend and picks in turn", () => {
    const { pool, opened } = startExamplePool([1, 1]);
    expect(opened).toEqual(["a", "b"]);
    expect(pool.upstreams.map(({ link }) => link)).toEqual(["link to a", "link to b"]);
    expect([1, 2, 3].map(() => pool.pick(request)?.name)).toEqual(["a", "b", "a"]);
  });

  it("picks none of those that were tried, and leaves them as they were", () => {
    const { pool, upstream } = startExamplePool([1, 1, 1]);
    void pool.drain("c");
    const tried = [upstream("a"), upstream("c")];
    expect(pool.pick(request, tried)?.name).toBe("b");
    expect(pool.pick(request, [...tried, upstream("b")])).toBeUndefined();
    expect(pool.upstreams.map(({ available }) => available)).toEqual([true, true, false]);
  });

  it("leaves those that were tried as they were when the policy throws", () => {
    const policy = {
      name: "broken",
      create: () => ({
        pick: () => {
          throw new Error("broken policy");
        },
      }),
    };
    const { pool, upstream } = startExamplePool([1, 1], { policy });
    expect(() => pool.pick(request, [upstream("a")])).toThrow("broken policy");
    expect(upstream("a").available).toBe(true);
  });

  it("takes no backend from a policy that is not available or was tried", () => {
    const policy = { name: "first", create: () => ({ pick: <B>(backends: readonly B[]) => backends[0] }) };
    const { pool, upstream } = startExamplePool([1, 1], { policy });
    expect(pool.pick(request)?.name).toBe("a");
    expect(pool.pick(request, [upstream("a")])).toBeUndefined();
    void pool.drain("a");
    expect(pool.pick(request)).toBeUndefined();
  });

  it("adds a backend in a new list", () => {
    const { pool } = startExamplePool([1]);
    const before = pool.upstreams;
    pool.add({ url: "http://127.0.0.1:5000", weight: 2 });
    expect(before).toHaveLength(1);
    expect(pool.upstreams.map(({ name, weight, condition }) => [name, weight, condition])).toEqual([
      ["a", 1, "up"],
      ["127.0.0.1:5000", 2, "up"],
    ]);
  });

  it.each<[string, Parameters<ReturnType<typeof startExamplePool>["pool"]["add"]>[0], RegExp]>([
    ["a name that is taken", { url: "http://127.0.0.1:5000", name: "a" }, /^backend\.name: .* "a" for the second time/],
    ["no URL", { url: "5000" }, /^backend\.url: expected a URL/],
    ["a weight of 0", { url: "http://127.0.0.1:5000", weight: 0 }, /^backend\.weight: expected a number above 0/],
  ])("refuses to add %s, and opens nothing", (_, backend, message) => {
    const { pool, opened } = startExamplePool([1]);
    expect(() => pool.add(backend)).toThrow(BalancerOptionsError);
    expect(() => pool.add(backend)).toThrow(message);
    expect([opened, pool.upstreams.length]).toEqual([["a"], 1]);
  });

  it("removes an idle backend at once", async () => {
    const { pool, closed } = startExamplePool([1, 1]);
    const before = pool.upstreams;
    await pool.remove("a");
    expect(pool.upstreams.map(({ name }) => name)).toEqual(["b"]);
    expect(before).toHaveLength(2);
    expect(closed).toEqual(["link to a"]);
    expect(vi.getTimerCount()).toBe(0);
  });

  it("takes a backend out at once and closes its link when its last request has ended", async () => {
    const { pool, closed, upstream } = startExamplePool([1, 1]);
    const leaving = upstream("a");
    leaving.begin(false);
    const { state, watched } = watch(pool.remove("a"));
    expect([leaving.available, leaving.condition, pool.upstreams.length]).toEqual([false, "draining", 1]);
    await vi.advanceTimersByTimeAsync(29_000);
    expect([state.done, closed]).toEqual([false, []]);
    leaving.endAnswered(200, 1);
    pool.succeeded(leaving);
    await watched;
    expect(closed).toEqual(["link to a"]);
    expect(vi.getTimerCount()).toBe(0);
  });

  it.each([
    ["30 s", undefined, 30_000],
    ["a grace period of its own", { graceMs: 50 }, 50],
    ["a grace period of 1 ms", { graceMs: 1 }, 1],
  ])("cuts off what a removed backend has after %s", async (_, options, tookMs) => {
    const { pool, closed, upstream } = startExamplePool([1, 1]);
    upstream("a").begin(false);
    const { watched } = watch(pool.remove("a", options));
    await vi.advanceTimersByTimeAsync(tookMs - 1);
    expect(closed).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    await watched;
    expect(closed).toEqual(["link to a"]);
  });

  it("cuts off at once what a removed backend has when there is no grace", async () => {
    const { pool, closed, upstream } = startExamplePool([1, 1]);
    upstream("a").begin(false);
    const { watched } = watch(pool.remove("a", { graceMs: 0 }));
    await vi.runAllTimersAsync();
    await watched;
    expect(closed).toEqual(["link to a"]);
  });

  it("gives the name of a removed backend free at once", async () => {
    const { pool, upstream, opened } = startExamplePool([1, 1]);
    upstream("a").begin(false);
    const { watched } = watch(pool.remove("a", { graceMs: 10 }));
    pool.add({ url: "http://127.0.0.1:4001", name: "a" });
    expect(pool.upstreams.map(({ name }) => name)).toEqual(["b", "a"]);
    expect(opened).toEqual(["a", "b", "a"]);
    await vi.advanceTimersByTimeAsync(10);
    await watched;
  });

  it("hands over those that wait for a removed backend, when it is out of the list", () => {
    const { pool, dismissed, upstream } = startExamplePool([1, 1], { limits: { connectionsPerBackend: 1 } });
    const leaving = upstream("a");
    leaving.begin(false);
    const waiting = { takeTurn: () => undefined };
    for (const waiter of [{ takeTurn: () => undefined }, waiting]) leaving.slots.take(waiter);
    void pool.remove("a");
    expect(dismissed).toEqual([waiting]);
  });

  it("drains a backend and keeps it in the list until it is restored", async () => {
    const { pool, upstream, conditions } = startExamplePool([1, 1]);
    upstream("a").begin(false);
    const { state, watched } = watch(pool.drain("a"));
    await vi.advanceTimersByTimeAsync(100_000);
    expect(state.done).toBe(false);
    expect([conditions(), pool.pick(request)?.name]).toEqual([["a draining", "b up"], "b"]);
    upstream("a").endAborted();
    await watched;
    pool.restore("a");
    expect(conditions()).toEqual(["a up", "b up"]);
  });

  it("may drain the last backend", async () => {
    const { pool } = startExamplePool([1]);
    await pool.drain("a");
    expect(pool.pick(request)).toBeUndefined();
  });

  it("sets a weight, and refuses one that is none", () => {
    const { pool, upstream } = startExamplePool([1]);
    pool.setWeight("a", 2.5);
    expect([upstream("a").weight, upstream("a").baseWeight]).toEqual([2.5, 2.5]);
    expect(() => pool.setWeight("a", -1)).toThrow(/^weight: expected a number above 0, got -1/);
    expect(upstream("a").weight).toBe(2.5);
  });

  it("names the backends that there are when a name is none of them", async () => {
    const { pool } = startExamplePool([1, 1]);
    const message = 'name: expected the name of a backend, got "x". There are "a", "b".';
    expect(() => pool.restore("x")).toThrow(new BalancerOptionsError(message));
    expect(() => pool.setWeight("x", 1)).toThrow(new BalancerOptionsError(message));
    await expect(pool.drain("x")).rejects.toThrow(new BalancerOptionsError(message));
    await expect(pool.remove("x")).rejects.toThrow(new BalancerOptionsError(message));
    await Promise.all([pool.remove("a"), pool.remove("b")]);
    expect(() => pool.restore("a")).toThrow('got "a". There is none.');
  });

  it("refuses a grace period that is none, and removes nothing then", async () => {
    const { pool } = startExamplePool([1]);
    await expect(pool.remove("a", { graceMs: -1 })).rejects.toThrow(/^graceMs: expected a whole number/);
    expect(pool.upstreams).toHaveLength(1);
  });

  it("closes each link once, also those of backends that are leaving, and leaves no timer", async () => {
    const { pool, closed, fail, upstream } = startExamplePool([1, 1, 1]);
    fail("b", 3);
    upstream("a").begin(false);
    const removed = watch(pool.remove("a", { graceMs: Infinity }));
    await Promise.all([pool.close(), pool.close()]);
    await pool.close();
    await removed.watched;
    expect(closed.toSorted()).toEqual(["link to a", "link to b", "link to c"]);
    fail("c", 3);
    expect(vi.getTimerCount()).toBe(0);
    expect(() => pool.add({ url: "http://127.0.0.1:5000" })).toThrow("The balancer is closed");
  });

  it("waits for links to be closed, closes all of them, and tells what went wrong", async () => {
    const { pool, closed } = startExamplePool([1, 1], {
      closeLink: (link) => (link === "link to a" ? Promise.reject(new Error("a broke")) : undefined),
    });
    await expect(pool.close()).rejects.toMatchObject({ errors: [new Error("a broke")] });
    expect(closed).toEqual(["link to a", "link to b"]);
  });
});
