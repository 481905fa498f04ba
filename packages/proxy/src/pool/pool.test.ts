import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { BalancerOptionsError } from "../options/options.js";
import { startExamplePool } from "../test-support/pool-example.js";
import type { BackendState, Policy, PolicyRequest } from "../policies/policy.js";
import { builtInPolicies, parsePolicy } from "../policies/parse-policy.js";
import { exampleRequest } from "../testing/example-pool.js";
import { Latency, type Upstream, type Waiter } from "./upstream.js";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const request = exampleRequest(0);
const handed = { handedMs: 0, waitedMs: undefined };
const waiter = (takeTurn: () => unknown = () => undefined): Waiter => ({
  takeTurn: vi.fn<() => void>(() => void takeTurn()),
  dismissed: vi.fn<() => void>(),
});
const namesOf = (list: readonly { readonly name: string }[]): string => list.map(({ name }) => name).join("");

/** Notes whether a promise is done. */
function watch(promise: Promise<void>) {
  const state = { done: false };
  void promise.then(() => (state.done = true));
  return state;
}

describe("picking", () => {
  it("leaves out those that were tried, and leaves them as they were, also when the policy throws", () => {
    const { pool, upstream, opened } = startExamplePool([1, 1, 1]);
    expect([1, 2, 3, 4].map(() => pool.pick(request)?.name)).toEqual(["a", "b", "c", "a"]);
    void pool.drain("c");
    const tried = [upstream("a"), upstream("c")];
    expect(pool.pick(request, tried)?.name).toBe("b");
    expect(pool.pick(request, [...tried, upstream("b")])).toBeUndefined();
    expect([opened, pool.upstreams.map(({ available }) => available)]).toEqual([
      ["a", "b", "c"],
      [true, true, false],
    ]);

    const pick = (): never => {
      throw new Error("broken policy");
    };
    const broken = startExamplePool([1, 1], { policy: { name: "broken", create: () => ({ pick }) } });
    expect(() => broken.pool.pick(request, [broken.upstream("a")])).toThrow("broken policy");
    expect(broken.upstream("a").available).toBe(true);
  });

  it("takes no backend from a policy that is not available or was tried", () => {
    const policy = { name: "first", create: () => ({ pick: <B>(backends: readonly B[]) => backends[0] }) };
    const { pool, upstream } = startExamplePool([1, 1], { policy });
    expect([pool.pick(request)?.name, pool.pick(request, [upstream("a")])]).toEqual(["a", undefined]);
    void pool.drain("a");
    expect(pool.pick(request)).toBeUndefined();
  });
});

describe("picking among backends that are busy", () => {
  const limits = { connectionsPerBackend: 1, queuePerBackend: 1 };
  const take = (upstream: Upstream<string>, times: number): void => {
    for (let taken = 0; taken < times; taken++) upstream.slots.take(waiter());
  };
  const sticky = (): Policy => ({ ...parsePolicy("round-robin"), sticks: ({ method }) => method === "GET" });

  it("takes one with a connection free, then one with a place in its queue, then any for an answer of 503", () => {
    const { pool, upstream } = startExamplePool([1, 1, 1], { limits });
    const picked = () => [1, 2, 3].map(() => pool.pick(request)?.name).join("");
    take(upstream("a"), 1);
    take(upstream("b"), 2);
    expect(picked()).toBe("ccc");
    take(upstream("c"), 1);
    expect(picked()).toBe("aca");
    take(upstream("a"), 1);
    take(upstream("c"), 1);
    expect(picked()).toBe("bca");
    expect(pool.upstreams.every(({ available }) => available)).toBe(true);
    upstream("b").slots.release();
    expect(picked()).toBe("bbb");
  });

  it("has a request that cannot be repeated rather wait than go to a backend on probation, but not be refused", () => {
    const health = { passive: { failures: 1, ejectMs: 1000 } };
    const { pool, fail, upstream } = startExamplePool([1, 1], { limits, health });
    fail("a");
    vi.advanceTimersByTime(1001);
    const picked = (mayRepeat: boolean) => pool.pick(request, [], mayRepeat)?.name;
    take(upstream("b"), 1);
    expect([picked(true), picked(false)]).toEqual(["a", "b"]);
    take(upstream("b"), 1);
    expect(picked(false)).toBe("a");
    take(upstream("a"), 1);
    expect(picked(false)).toBe("a");
  });

  it("asks a policy that picks none of those that are free once more, with those that have a queue", () => {
    const asked: string[] = [];
    const pick = <B extends BackendState>(backends: readonly B[]) => {
      asked.push(namesOf(backends.filter(({ available }) => available)));
      return backends[0]?.available === true ? backends[0] : undefined;
    };
    const policy = { name: "first", create: () => ({ pick }) };
    const { pool, upstream } = startExamplePool([1, 1, 1], { limits, policy });
    take(upstream("a"), 1);
    take(upstream("b"), 2);
    expect([pool.pick(request)?.name, asked]).toEqual(["a", ["c", "ac"]]);
  });

  it("leaves a request that sticks where it is if it is to wait, until another backend has failed it", () => {
    const waits = startExamplePool([1, 1], { limits, policy: sticky(), whenFull: "wait" });
    take(waits.upstream("a"), 2);
    expect([1, 2].map(() => waits.pool.pick(request)?.name)).toEqual(["a", "b"]);
    expect([1, 2].map(() => waits.pool.pick({ ...request, method: "POST" })?.name)).toEqual(["b", "b"]);
    expect(waits.pool.pick(request, [waits.upstream("b")])).toBeUndefined();
    const goes = startExamplePool([1, 1], { limits, policy: sticky() });
    take(goes.upstream("a"), 1);
    expect([1, 2].map(() => goes.pool.pick(request)?.name)).toEqual(["b", "b"]);
  });

  const step = fc.record({
    does: fc.constantFrom("pick", "pick", "pick", "release", "drain", "restore"),
    at: fc.nat({ max: 3 }),
    tried: fc.subarray([0, 1, 2, 3], { maxLength: 2 }),
  });
  const stories = fc.record({
    steps: fc.array(step, { maxLength: 60 }),
    connectionsPerBackend: fc.integer({ min: 1, max: 3 }),
    queuePerBackend: fc.nat(2),
  });
  const roomOf = ({ slots }: Upstream<string>): number => (slots.isFree ? 2 : slots.isFull ? 0 : 1);

  it.each([...builtInPolicies.keys()])("never takes one with less room than another one has: %s", (name) => {
    const holds = fc.property(stories, ({ steps, ...sizes }) => {
      const { pool } = startExamplePool([1, 2, 3, 4], { policy: parsePolicy(name), limits: sizes });
      const holders = new Map(pool.upstreams.map((upstream) => [upstream, new Set<Waiter>()]));
      const places = (tried: readonly number[]) => pool.upstreams.filter((_, index) => tried.includes(index));
      const pickOne = (key: number, tried: readonly Upstream<string>[]): void => {
        const able = pool.upstreams.filter((upstream) => upstream.available && !tried.includes(upstream));
        const before = pool.upstreams.map(({ available }) => available);
        const best = Math.max(-1, ...able.map(roomOf));
        const picked = pool.pick(exampleRequest(key), tried);
        expect(pool.upstreams.map(({ available }) => available)).toEqual(before);
        expect(picked === undefined ? -1 : roomOf(picked)).toBe(best === 0 && tried.length > 0 ? -1 : best);
        expect(able.length === 0 || picked === undefined || able.includes(picked)).toBe(true);
        const holder = waiter(() => picked !== undefined && holders.get(picked)?.add(holder));
        if (picked?.slots.take(holder) === "taken") holder.takeTurn();
      };
      for (const [index, { does, at, tried }] of steps.entries()) {
        for (const upstream of places([at])) {
          const [holder] = holders.get(upstream) ?? [];
          if (does === "pick") pickOne(index, places(tried));
          else if (does === "drain") void pool.drain(upstream.name);
          else if (does === "restore") pool.restore(upstream.name);
          else if (holder !== undefined) {
            holders.get(upstream)?.delete(holder);
            upstream.slots.release();
          }
        }
      }
      expect([...holders.values()].every(({ size }) => size <= sizes.connectionsPerBackend)).toBe(true);
    });
    fc.assert(holds);
  });
});

describe("changes", () => {
  it("add a backend, and refuse one that is none", () => {
    const { pool, opened } = startExamplePool([1]);
    pool.add({ url: "http://127.0.0.1:5000", weight: 2 });
    const rows = pool.upstreams.map(({ name, weight, condition }) => [name, weight, condition]);
    expect(rows).toEqual([
      ["a", 1, "up"],
      ["127.0.0.1:5000", 2, "up"],
    ]);
    const twice = { url: "http://127.0.0.1:6000", name: "a" };
    expect(() => pool.add(twice)).toThrow(/^backend\.name: .* "a" for the second time/);
    expect(() => pool.add({ url: "5000" })).toThrow(/^backend\.url: expected a URL/);
    expect([opened.length, pool.upstreams.length]).toEqual([2, 2]);
  });

  it("take a backend out at once, give its name free, and close its link when its last request has ended", async () => {
    const { pool, opened, closed, upstream } = startExamplePool([1, 1], { limits: { connectionsPerBackend: 1 } });
    const leaving = upstream("a");
    leaving.begin(handed, false);
    const [served, waiting] = [waiter(), waiter()];
    for (const one of [served, waiting]) leaving.slots.take(one);
    const state = watch(pool.remove("a"));
    expect([leaving.available, leaving.condition, namesOf(pool.upstreams)]).toEqual([false, "draining", "b"]);
    expect([served, waiting].map(({ dismissed }) => vi.mocked(dismissed).mock.calls.length)).toEqual([0, 1]);
    pool.add({ url: "http://127.0.0.1:4001", name: "a" });
    expect([namesOf(pool.upstreams), opened]).toEqual(["ba", ["a", "b", "a"]]);
    await vi.advanceTimersByTimeAsync(29_000);
    expect([state.done, closed]).toEqual([false, []]);
    leaving.endAnswered(handed, 200);
    pool.succeeded(leaving);
    await vi.advanceTimersByTimeAsync(0);
    expect([state.done, closed, vi.getTimerCount()]).toEqual([true, ["link to a"], 0]);
    await pool.remove("b");
    expect(closed).toEqual(["link to a", "link to b"]);
  });

  it.each([
    ["30 s", undefined, 30_000],
    ["no grace period", { graceMs: 0 }, 1],
    ["the longest time that a timer knows, where it is longer", { graceMs: 2 ** 40 }, 2 ** 31 - 1],
  ])("cut off what a removed backend has after %s", async (_, options, tookMs) => {
    const { pool, closed, upstream } = startExamplePool([1, 1]);
    upstream("a").begin(handed, false);
    const state = watch(pool.remove("a", options));
    if (tookMs > 1) await vi.advanceTimersByTimeAsync(tookMs - 1);
    expect(closed).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    expect([state.done, closed]).toEqual([true, ["link to a"]]);
  });

  it("drain a backend and keep it in the list until it is restored, be it the last", async () => {
    const { pool, upstream, conditions } = startExamplePool([1, 1]);
    upstream("a").begin(handed, false);
    const state = watch(pool.drain("a"));
    await vi.advanceTimersByTimeAsync(100_000);
    expect([state.done, conditions(), pool.pick(request)?.name]).toEqual([false, ["a draining", "b up"], "b"]);
    upstream("a").endUnanswered(handed, "aborted");
    await vi.advanceTimersByTimeAsync(0);
    expect(state.done).toBe(true);
    await pool.drain("b");
    expect(pool.pick(request)).toBeUndefined();
    pool.restore("a");
    expect(conditions()).toEqual(["a up", "b draining"]);
  });

  it("end the wait for a drain when its backend is restored, with requests in flight", async () => {
    const { pool, upstream, closed } = startExamplePool([1, 1]);
    upstream("a").begin(handed, false);
    const drained = watch(pool.drain("a"));
    pool.restore("a");
    await vi.advanceTimersByTimeAsync(0);
    expect(drained.done).toBe(true);
    const removed = watch(pool.remove("a"));
    await vi.advanceTimersByTimeAsync(0);
    expect([removed.done, closed]).toEqual([false, []]);
  });

  it("refuse a weight, a name and a grace period that are none, and change nothing then", async () => {
    const { pool, upstream } = startExamplePool([1, 1]);
    pool.setWeight("a", 2.5);
    expect(() => pool.setWeight("a", -1)).toThrow(/^weight: expected a number from 0\.001 to 1000000, got -1/);
    expect([upstream("a").weight, upstream("a").snapshot().weight]).toEqual([2.5, 2.5]);
    const error = new BalancerOptionsError('name: expected the name of a backend, got "x". There are "a", "b".');
    expect(() => pool.restore("x")).toThrow(error);
    await expect(pool.remove("x")).rejects.toThrow(error);
    await expect(pool.remove("a", { graceMs: -1 })).rejects.toThrow(/^graceMs: expected a whole number/);
    expect(namesOf(pool.upstreams)).toBe("ab");
  });

  it("of the whole list are made one after the other, each whole, and wait for no drain", async () => {
    const { pool, upstream, closed } = startExamplePool([1, 1]);
    const listed = (name: string) => ({ name, url: upstream(name).url });
    const [a, b] = [listed("a"), listed("b")];
    const c = { name: "c", url: "http://127.0.0.1:5000" };
    upstream("a").begin(handed, false);
    const leaving = upstream("a");
    const first = watch(pool.reload([b, c]));
    expect(namesOf(pool.upstreams)).toBe("bc");
    const second = watch(pool.reload([a, { ...b, weight: 5 }], { graceMs: 0 }));
    expect([namesOf(pool.upstreams), upstream("b").weight]).toEqual(["ba", 5]);
    await vi.advanceTimersByTimeAsync(1);
    expect([first.done, second.done, closed]).toEqual([false, true, ["link to c"]]);
    const third = watch(pool.reload([{ ...b, url: c.url }, c]));
    await vi.advanceTimersByTimeAsync(0);
    expect([namesOf(pool.upstreams), upstream("b").url, third.done]).toEqual(["cb", c.url, true]);
    leaving.endAnswered(handed, 200);
    await vi.advanceTimersByTimeAsync(0);
    expect(first.done).toBe(true);
  });

  it("of the whole list change nothing when something is wrong with it", async () => {
    const { pool, upstream } = startExamplePool([1, 1], { mode: "http" });
    const good = { url: upstream("a").url, name: "new" };
    const before = pool.upstreams;
    for (const [list, options] of [
      [[good, { url: "tcp://127.0.0.1:5000" }], {}],
      [[good, { ...good, weight: 1e308, name: "b" }], {}],
      [[good, good], {}],
      [[], {}],
      [[good], { graceMs: -1 }],
    ] as const) {
      await expect(pool.reload(list, options)).rejects.toThrow(BalancerOptionsError);
      expect(pool.upstreams).toBe(before);
    }
    await pool.close();
    await expect(pool.reload([good])).rejects.toThrow("The balancer is closed");
  });

  it("end with close(), which closes each link once, also of those that are leaving, and leaves no timer", async () => {
    const { pool, closed, fail, upstream } = startExamplePool([1, 1, 1, 1], {
      closeLink: (link) => (link === "link to c" ? Promise.reject(new Error("c broke")) : undefined),
    });
    fail("b", 3);
    upstream("a").begin(handed, false);
    const removed = pool.remove("a", { graceMs: Infinity });
    await expect(Promise.all([pool.close(), pool.close()])).rejects.toMatchObject({ errors: [new Error("c broke")] });
    await removed;
    expect(closed.toSorted()).toEqual(["link to a", "link to b", "link to c", "link to d"]);
    fail("c", 3);
    expect(vi.getTimerCount()).toBe(0);
    expect(() => pool.add({ url: "http://127.0.0.1:5000" })).toThrow("The balancer is closed");
  });
});

describe("health", () => {
  const health = { passive: { failures: 3, ejectMs: 1000, maxEjectMs: 30_000 } };

  it("ejects a backend that fails in a row, and takes it back when its time is over", () => {
    const { pool, fail, conditions, upstream } = startExamplePool([1, 1, 1, 1], { health });
    fail("a", 2);
    pool.succeeded(upstream("a"));
    expect([conditions()[0], vi.getTimerCount()]).toEqual(["a up", 0]);
    fail("a", 3);
    expect([1, 2, 3].map(() => pool.pick(request)?.name)).toEqual(["b", "c", "d"]);
    vi.advanceTimersByTime(400);
    fail("b", 3);
    vi.advanceTimersByTime(599);
    expect(upstream("a").available).toBe(false);
    vi.advanceTimersByTime(2);
    expect(conditions()).toEqual(["a up", "b ejected", "c up", "d up"]);
    vi.advanceTimersByTime(400);
    expect([conditions()[1], vi.getTimerCount()]).toEqual(["b up", 0]);
  });

  it("gives a backend that is back, or is added, a weight that grows", () => {
    const { pool, fail, conditions, upstream } = startExamplePool([1, 4], { health: { ...health, slowStartMs: 1000 } });
    fail("b", 3);
    vi.advanceTimersByTime(1001);
    expect(conditions()).toEqual(["a up", "b slow-start"]);
    expect(upstream("b").weight).toBeCloseTo(0.4, 1);
    vi.advanceTimersByTime(501);
    expect(upstream("b").weight).toBeCloseTo(2.2, 0);
    pool.setWeight("b", 8);
    expect([upstream("b").weight > 4, upstream("b").snapshot().weight]).toEqual([true, 8]);
    pool.add({ url: "http://127.0.0.1:5000", name: "new", weight: 2 });
    expect(upstream("new").weight).toBeCloseTo(0.2, 6);
    vi.advanceTimersByTime(1001);
    expect([conditions(), upstream("b").weight, upstream("new").weight]).toEqual([["a up", "b up", "new up"], 8, 2]);
    expect(vi.getTimerCount()).toBe(0);
  });

  it.each([...builtInPolicies.keys()])("starts backends of the least and of the greatest weight slowly: %s", (name) => {
    for (const weight of [0.001, 1_000_000]) {
      const options = { policy: parsePolicy(name), health: { ...health, slowStartMs: 1000 } };
      const { pool, upstream } = startExamplePool([weight, weight], options);
      pool.add({ url: "http://127.0.0.1:5000", name: "new", weight });
      expect(upstream("new").weight).toBeCloseTo(weight / 10, 6);
      const picked = Array.from({ length: 2100 }, (_, index) => pool.pick(exampleRequest(index))?.name);
      const share = picked.filter((one) => one === "new").length / picked.length;
      const [least, most] = name === "round-robin" ? [0.33, 0.34] : [0.02, 0.08];
      // Two at a time are drawn, and none has anything in flight: the one that is drawn first is taken.
      expect([weight, share >= least && share <= most]).toEqual([weight, true]);
    }
  });

  it("tells those that wait for a backend that goes out, in order, when another one can be picked", () => {
    const { pool, fail, upstream } = startExamplePool([1, 1], { health, limits: { connectionsPerBackend: 1 } });
    const next: string[] = [];
    for (const name of ["first", "second", "third"]) {
      upstream("a").slots.take({ ...waiter(), dismissed: () => next.push(`${name} to ${pool.pick(request)?.name}`) });
    }
    fail("a", 3);
    expect([next, upstream("a").slots.queued]).toEqual([["second to b", "third to b"], 0]);
  });

  it("gives a backend that is back nothing that cannot be repeated before it has succeeded, if there is another one", () => {
    const { pool, fail, upstream } = startExamplePool([1, 1], { health: { passive: { failures: 1, ejectMs: 1000 } } });
    const picked = (mayRepeat: boolean) => new Set([1, 2].map(() => pool.pick(request, [], mayRepeat)?.name));
    fail("a");
    vi.advanceTimersByTime(1001);
    expect([picked(false), picked(true)]).toEqual([new Set(["b"]), new Set(["a", "b"])]);
    void pool.drain("b");
    expect(picked(false)).toEqual(new Set(["a"]));
    pool.restore("b");
    pool.succeeded(upstream("a"));
    expect(picked(false)).toEqual(new Set(["a", "b"]));
  });

  it("gives a backend that has been back as long as it was out one request that cannot be repeated at a time", () => {
    const { pool, fail, upstream } = startExamplePool([1, 1], { health: { passive: { failures: 1, ejectMs: 1000 } } });
    // One that was begun before the ejection, and does not end.
    upstream("a").begin(handed, false);
    const picked = (post: PolicyRequest) => namesOf([1, 2].flatMap(() => pool.pick(post, [], false) ?? []));
    const newPost = () => ({ ...request, ...handed });
    const [first, second, third] = [newPost(), newPost(), newPost()] as const;
    fail("a");
    vi.advanceTimersByTime(1999);
    expect(picked(first)).toBe("bb");
    vi.advanceTimersByTime(2);
    expect([picked(first), picked(second)]).toEqual(["ab", "bb"]);
    // Its client goes away: that is no verdict.
    upstream("a").begin(first, false);
    upstream("a").endUnanswered(first, "aborted");
    expect([picked(second), picked(third)]).toEqual(["ab", "bb"]);
    fail("a");
    expect([upstream("a").condition, picked(third)]).toEqual(["ejected", "bb"]);
    upstream("a").begin(second, false);
    upstream("a").endUnanswered(second, "failed");
    vi.advanceTimersByTime(3999);
    expect([upstream("a").condition, picked(third)]).toEqual(["up", "bb"]);
    vi.advanceTimersByTime(2);
    expect(picked(third)).toBe("ab");
    pool.succeeded(upstream("a"));
    expect(new Set(picked(first))).toEqual(new Set(["a", "b"]));
  });

  it("says when the soonest ejected backend returns, in whole seconds; 1 when nobody knows", () => {
    const { pool, fail } = startExamplePool([1, 1, 1], { health: { passive: { failures: 1, ejectMs: 2500 } } });
    const said = [pool.retryAfterSeconds()];
    fail("a");
    said.push(pool.retryAfterSeconds());
    vi.advanceTimersByTime(1000);
    fail("b");
    said.push(pool.retryAfterSeconds());
    vi.advanceTimersByTime(1400);
    expect([...said, pool.retryAfterSeconds()]).toEqual([1, 3, 2, 1]);
    const passive = { failures: 1, ejectMs: Infinity, maxEjectMs: Infinity };
    const forEver = startExamplePool([1, 1], { health: { passive } });
    forEver.fail("a");
    void forEver.pool.drain("b");
    expect([forEver.pool.pick(request), forEver.pool.retryAfterSeconds()]).toEqual([undefined, 1]);
  });
});

describe("the slots of a backend", () => {
  const limits = { connectionsPerBackend: 1, queuePerBackend: 3 };

  it("go to those that wait, first come, first served, and from one that has its turn on to the next at once", () => {
    const { slots } = startExamplePool([1], { limits }).upstream("a");
    const turns: string[] = [];
    const taking = (name: string, goesOn = false): Waiter => ({
      ...waiter(),
      takeTurn: () => {
        turns.push(name);
        if (goesOn) slots.release();
      },
    });
    const leaver = taking("leaver");
    const all = [taking("first"), taking("second", true), leaver, taking("third"), taking("too many")];
    expect(all.map((one) => slots.take(one))).toEqual(["taken", "queued", "queued", "queued", "full"]);
    expect([slots.leave(leaver), slots.leave(leaver), slots.queued]).toEqual([true, false, 2]);
    slots.release();
    expect([turns, slots.queued]).toEqual([["second", "third"], 0]);
    slots.release();
    expect(slots.take(taking("last"))).toBe("taken");
  });
});

describe("the counts of a backend", () => {
  it("put each request in one place: requests are answers, errors, aborted ones and those in flight", () => {
    const upstream = startExamplePool([2]).upstream("a");
    for (const isRetry of [false, false, true, true, false, false, false, false]) upstream.begin(handed, isRetry);
    for (const status of [101, 204, 304, 499, 503]) upstream.endAnswered(handed, status);
    upstream.endUnanswered(handed, "failed");
    upstream.endUnanswered(handed, "aborted");
    const answers = { "1xx": 1, "2xx": 1, "3xx": 1, "4xx": 1, "5xx": 1 };
    expect(upstream.snapshot()).toMatchObject({ requests: 8, errors: 1, aborted: 1, inFlight: 1, retries: 2, answers });
    upstream.endAnswered(handed, 999);
    expect(upstream.snapshot()).toMatchObject({ inFlight: 0, answers });
    expect(upstream.snapshot().latency.counts.reduce((sum, count) => sum + count)).toBe(6);
  });

  it.each([
    [0, 0.0001],
    [0.100001, 0.00025],
    [60, 0.1],
    [10_000, 10],
    [10_001, undefined],
  ])("put a latency of %s ms in the bucket up to %s s", (ms, bound) => {
    const latency = new Latency();
    latency.record(ms);
    const { counts, boundsSeconds, sumSeconds } = latency.snapshot();
    expect([boundsSeconds[counts.indexOf(1)], sumSeconds]).toEqual([bound, ms / 1000]);
    expect(counts).toHaveLength(boundsSeconds.length + 1);
  });
});
