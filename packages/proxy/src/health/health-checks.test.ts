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
  it.each([
    ["at once, and then once in each interval", { takesMs: 30 }, "0 100 200 300"],
    // The timer of no time at all takes 1 ms.
    ["never twice at a time", { takesMs: 130 }, "0 131 262"],
    ["up to a tenth of the interval earlier", { random: 1 }, "0 90 180 270"],
  ])("checks %s", async (_, options, times) => {
    const { checks, begun, told } = start(options);
    checks.add("a");
    checks.add("a");
    await vi.advanceTimersByTimeAsync(335);
    expect(begun).toEqual(times.split(" ").map((time) => `a ${time}`));
    expect(new Set(told)).toEqual(new Set(["a true"]));
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
