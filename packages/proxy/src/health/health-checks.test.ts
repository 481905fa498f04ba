import { afterEach, beforeEach, expect, it, onTestFinished, vi } from "vitest";
import { keepChecking } from "./health-checks.js";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it.each([
  ["at once, and then once in each interval", { takesMs: 30, random: 0 }, [0, 100, 200, 300]],
  // The timer of no time at all takes 1 ms.
  ["never twice at a time", { takesMs: 130, random: 0 }, [0, 131, 262]],
  ["up to a tenth of the interval earlier", { takesMs: 0, random: 1 }, [0, 90, 180, 270]],
])("health is checked %s", async (_, { takesMs, random }, times) => {
  const startedMs = performance.now();
  const nowMs = (): number => performance.now() - startedMs;
  const begun: number[] = [];
  const end = keepChecking({
    intervalMs: 100,
    nowMs,
    random: () => random,
    check: (signal) => {
      begun.push(nowMs());
      return new Promise((resolve) => {
        setTimeout(resolve, takesMs);
        signal.addEventListener("abort", () => resolve());
      });
    },
    onChecked: () => undefined,
  });
  onTestFinished(end);
  await vi.advanceTimersByTimeAsync(335);
  expect(begun).toEqual(times);
});
