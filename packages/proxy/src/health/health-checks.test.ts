import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import type { CheckOutcome } from "./check-backend.js";
import { startHealthChecks } from "./health-checks.js";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** Checks every 100 ms of the fake clock; each takes as long as it is told, and is cut short when it is ended. */
function start({ takesMs = 0, random = 0 } = {}) {
  const begun: string[] = [];
  const told: string[] = [];
  let cutShort = 0;
  const checks = startHealthChecks<string>({
    intervalMs: 100,
    nowMs: () => performance.now() - startedMs,
    random: () => random,
    check: (target, signal) => {
      begun.push(`${target} ${performance.now() - startedMs}`);
      return new Promise<CheckOutcome>((resolve) => {
        const timer = setTimeout(() => resolve({ ok: true }), takesMs);
        signal.addEventListener("abort", () => {
          cutShort += 1;
          clearTimeout(timer);
          resolve({ ok: false, reason: "ended" });
        });
      });
    },
    onOutcome: (target, { ok }) => void told.push(`${target} ${ok}`),
  });
  onTestFinished(() => checks.close());
  const startedMs = performance.now();
  return { checks, begun, told, cutShort: () => cutShort };
}

describe("startHealthChecks", () => {
  it("checks at once, and then once in each interval", async () => {
    const { checks, begun, told } = start({ takesMs: 30 });
    checks.add("a");
    await vi.advanceTimersByTimeAsync(50);
    checks.add("b");
    checks.add("b");
    await vi.advanceTimersByTimeAsync(200);
    expect(begun).toEqual(["a 0", "b 50", "a 100", "b 150", "a 200", "b 250"]);
    expect(told).toEqual(["a true", "b true", "a true", "b true", "a true"]);
  });

  it("never checks twice at a time", async () => {
    const { checks, begun } = start({ takesMs: 250 });
    checks.add("a");
    await vi.advanceTimersByTimeAsync(600);
    // The timer of no time at all takes 1 ms.
    expect(begun).toEqual(["a 0", "a 251", "a 502"]);
  });

  it("leaves out up to a tenth of the interval", async () => {
    const { checks, begun } = start({ random: 1 });
    checks.add("a");
    await vi.advanceTimersByTimeAsync(185);
    expect(begun).toEqual(["a 0", "a 90", "a 180"]);
  });

  it("ends the check of one that is removed, and tells nothing more of it", async () => {
    const { checks, begun, told, cutShort } = start({ takesMs: 30 });
    checks.add("a");
    checks.add("b");
    await vi.advanceTimersByTimeAsync(10);
    checks.remove("a");
    checks.remove("unknown");
    await vi.advanceTimersByTimeAsync(100);
    expect(begun).toEqual(["a 0", "b 0", "b 100"]);
    expect(told).toEqual(["b true"]);
    expect(cutShort()).toBe(1);
  });

  it("closes at once between two checks and within one, and leaves no timer", async () => {
    const { checks, begun } = start({ takesMs: 30 });
    checks.add("between");
    await vi.advanceTimersByTimeAsync(50);
    checks.add("within");
    await checks.close();
    checks.add("late");
    await checks.close();
    expect(vi.getTimerCount()).toBe(0);
    expect(begun).toEqual(["between 0", "within 50"]);
  });
});
