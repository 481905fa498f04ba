import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { BALANCER_DEFAULTS } from "../options/defaults.js";
import type { OutlierOptions } from "../options/options.js";
import { startExamplePool } from "../test-support/pool-example.js";
import { exampleRequest } from "../testing/example-pool.js";
import { type BackendWindow, findOutliers, Recent } from "./outliers.js";

/** So many times of the same length. */
function times(count: number, ms: number): Recent {
  const recent = new Recent();
  for (let index = 0; index < count; index++) recent.add(ms);
  return recent;
}

/** What backends did: `100/3` are 3 failures of 100 requests, `@20` the time that each took. */
function windowsOf(texts: string): readonly BackendWindow[] {
  return texts.split(" ").map((text) => {
    const [, requests, failures = "0", ms = "20"] = /^(\d+)(?:\/(\d+))?(?:@([\d.]+))?$/.exec(text) ?? [];
    const waitedMs = times(Number(requests) - Number(failures), Number(ms));
    return { requests: Number(requests), failures: Number(failures), waitedMs, gaveUpAfterMs: new Recent() };
  });
}

describe("an outlier", () => {
  it.each<[what: string, windows: string, reasons: string]>([
    ["fails more than the others by more than the share", "100 100/31 100", "- errors -"],
    ["is none that fails no more than by the share", "100 100/30 100", "- - -"],
    ["is none where all fail alike", "100/90 100/80 100/95", "- - -"],
    ["is compared with the others together, by their requests", "900 100/90 100/50", "- errors errors"],
    ["is also one of two", "100 100/50", "- errors"],
    ["is none with too few requests", "100 19/19 100", "- - -"],
    ["is none with too few of the others", "19 100/90", "- -"],
    ["is none alone", "100/100", "-"],
    ["takes longer than the others by more than the factor", "50@20 50@101 50@20", "- latency -"],
    ["is none that takes no longer than by the factor", "50@20 50@100 50@20", "- - -"],
    ["is none that takes longer by a few ms alone", "50@1 50@11 50@1", "- - -"],
    ["is compared with the median of the others", "50@20 50@900 50@900 50@20 50@20", "- latency latency - -"],
    ["is none where one of two is quicker", "50@20 50@90", "- -"],
    ["fails, and takes longer, and is told for its errors", "100 100/50@900", "- errors"],
  ])("%s: %s", (_, windows, reasons) => {
    const found = findOutliers(windowsOf(windows), BALANCER_DEFAULTS.outliers);
    expect(found.map((outlier) => outlier?.reason ?? "-").join(" ")).toBe(reasons);
  });

  it("says what it did, and what the others did", () => {
    const texts = findOutliers(windowsOf("200 100/50 50@123.456"), BALANCER_DEFAULTS.outliers).map((one) => one?.text);
    expect(texts).toEqual([
      undefined,
      "failed 50 % of 100 requests; the others failed 0 %",
      "took 123 ms to begin an answer (median of 50); the others took 20 ms",
    ]);
  });

  it("is also one whose clients gave up later than the others answer, not one whose clients gave up at once", () => {
    const gaveUp = (ms: number, answered: number): BackendWindow => ({
      requests: answered,
      failures: 0,
      waitedMs: times(answered, 20),
      gaveUpAfterMs: times(30, ms),
    });
    const reasonOf = (window: BackendWindow) =>
      findOutliers([...windowsOf("50"), window], BALANCER_DEFAULTS.outliers)[1]?.reason;
    const reasons = [gaveUp(1000, 0), gaveUp(1000, 25), gaveUp(1000, 40), gaveUp(1, 25)].map(reasonOf);
    expect(reasons).toEqual(["latency", "latency", undefined, undefined]);
  });
});

describe("a pool with outliers", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  const WINDOW = BALANCER_DEFAULTS.outliers.windowMs;
  type How = Readonly<Partial<Record<"status" | "afterMs" | "grpc", number>>>;

  /** A pool whose backends are each given requests, which end as `ends` says: a status, or 0 for none. */
  function start(count: number, outliers: OutlierOptions | true = true) {
    const weights = Array.from({ length: count }, () => 1);
    const started = startExamplePool(weights, { health: { passive: false, outliers, slowStartMs: 1000 } });
    const serve = (name: string, times: number, { status = 200, afterMs = 5, grpc = -1 }: How = {}): void => {
      const upstream = started.upstream(name);
      for (let served = 0; served < times; served++) {
        const request = { handedMs: performance.now() - afterMs, waitedMs: undefined };
        upstream.begin(request, false);
        if (status === 0) upstream.endUnanswered(request, "failed");
        else {
          upstream.beginAnswer(request);
          upstream.endAnswered(request, status, grpc);
        }
      }
    };
    const reasons = () => started.pool.upstreams.map((one) => one.snapshot().ejectedFor ?? one.condition);
    return { ...started, serve, reasons };
  }

  it("ejects one that fails requests, tells why, and gives it a growing share when it is back", () => {
    const { pool, serve, reasons, told, upstream } = start(3);
    for (const name of ["a", "c"]) serve(name, 30);
    serve("b", 30, { status: 0 });
    vi.advanceTimersByTime(WINDOW);
    expect(reasons()).toEqual(["up", "errors", "up"]);
    expect(told).toEqual(["Backend b was ejected for 10 s: it failed 100 % of 30 requests; the others failed 0 %."]);
    expect(new Set([1, 2, 3, 4].map(() => pool.pick(exampleRequest(0))?.name))).toEqual(new Set(["a", "c"]));
    vi.advanceTimersByTime(10_001);
    expect(reasons()).toEqual(["up", "slow-start", "up"]);
    expect(upstream("b").weight).toBeCloseTo(0.1, 1);
    expect(upstream("b").snapshot().ejections).toEqual({ failures: 0, errors: 1, latency: 0 });
  });

  it.each<[string, OutlierOptions, How, string]>([
    ["500 and more", {}, { status: 503 }, "errors"],
    ["500 and more, where they are no faults", { serverErrors: false }, { status: 500 }, "up"],
    ["400 to 499, which are no faults of it", {}, { status: 429 }, "up"],
    ["a fault as a status of gRPC", {}, { grpc: 14 }, "errors"],
    ["another status of gRPC", {}, { grpc: 5 }, "up"],
    ["late answers", {}, { afterMs: 900 }, "latency"],
  ])("counts answers of a server: %s", (_, rules, how, expected) => {
    const { serve, reasons } = start(2, rules);
    serve("a", 30);
    serve("b", 30, how);
    vi.advanceTimersByTime(WINDOW);
    expect(reasons()).toEqual(["up", expected]);
  });

  it.each([
    ["the worst of several, up to a third", 6, 0.34, "bcd", "up up latency latency up up"],
    ["at least one, however small the share", 3, 0, "b", "up latency up"],
    ["all but the last", 2, 1, "b", "up latency"],
  ])("ejects %s", (_, count, mostEjected, slow, expected) => {
    const { pool, serve, reasons } = start(count, { mostEjected });
    for (const { name } of pool.upstreams) serve(name, 30);
    for (const [index, name] of slow.split("").entries()) serve(name, 100, { afterMs: 1000 * (index + 1) });
    vi.advanceTimersByTime(WINDOW);
    expect(reasons().join(" ")).toBe(expected);
  });

  it("never ejects the last one that is available", () => {
    const { pool, serve, reasons } = start(2, { mostEjected: 1 });
    serve("a", 30);
    serve("b", 30, { afterMs: 900 });
    void pool.drain("a");
    vi.advanceTimersByTime(WINDOW);
    expect(reasons()).toEqual(["draining", "up"]);
  });

  it("counts each window anew, and nothing that ends while a backend is ejected", () => {
    const { serve, reasons, told } = start(2, { ejectMs: WINDOW / 2 });
    const both = (how: How): void => {
      serve("a", 15);
      serve("b", 15, how);
      vi.advanceTimersByTime(WINDOW);
    };
    both({ afterMs: 900 });
    both({ afterMs: 900 });
    expect(reasons()).toEqual(["up", "up"]);
    serve("a", 15);
    both({});
    serve("a", 30);
    serve("b", 30, { afterMs: 900 });
    vi.advanceTimersByTime(WINDOW);
    serve("b", 30, { afterMs: 900 });
    vi.advanceTimersByTime(WINDOW / 2 + 1);
    serve("a", 30);
    vi.advanceTimersByTime(WINDOW / 2);
    expect([reasons()[1], told.length]).toEqual(["up", 1]);
  });

  it("compares latencies also of more requests than it keeps", () => {
    const { serve, reasons } = start(2, { leastRequests: 1100 });
    const both = (times: number): void => {
      serve("a", times);
      serve("b", times, { afterMs: 900 });
      vi.advanceTimersByTime(WINDOW);
    };
    both(1099);
    expect(reasons()).toEqual(["up", "up"]);
    both(1100);
    expect(reasons()).toEqual(["up", "latency"]);
  });

  it("leaves no timer when it is closed", async () => {
    const { pool } = start(2);
    expect(vi.getTimerCount()).toBe(1);
    await pool.close();
    expect(vi.getTimerCount()).toBe(0);
  });
});
