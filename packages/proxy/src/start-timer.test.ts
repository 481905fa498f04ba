import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { startTimer } from "./start-timer.js";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe("startTimer", () => {
  it("runs once when the time is over", () => {
    const run = vi.fn<() => void>();
    startTimer(run, 20);
    vi.advanceTimersByTime(19);
    expect(run).not.toHaveBeenCalled();
    vi.advanceTimersByTime(100);
    expect(run).toHaveBeenCalledOnce();
  });

  it("runs nothing after it was stopped", () => {
    const run = vi.fn<() => void>();
    startTimer(run, 20)();
    vi.advanceTimersByTime(100);
    expect(run).not.toHaveBeenCalled();
    expect(vi.getTimerCount()).toBe(0);
  });

  it("does not take a very long time for none", () => {
    const run = vi.fn<() => void>();
    startTimer(run, 2 ** 40);
    vi.advanceTimersByTime(24 * 86_400_000);
    expect(run).not.toHaveBeenCalled();
    vi.advanceTimersByTime(86_400_000);
    expect(run).toHaveBeenCalledOnce();
  });

  it("does not keep the process alive", () => {
    vi.useRealTimers();
    const timers = () => process.getActiveResourcesInfo().filter((kind) => kind === "Timeout").length;
    const before = timers();
    const stop = startTimer(() => undefined, 60_000);
    expect(timers()).toBe(before);
    stop();
  });

  it("starts nothing for ever", () => {
    startTimer(vi.fn<() => void>(), Infinity)();
    expect(vi.getTimerCount()).toBe(0);
  });
});
