import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createDueTimer } from "./due-timer.js";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function start() {
  const startedMs = performance.now();
  const calls: number[] = [];
  const nowMs = () => performance.now() - startedMs;
  return { timer: createDueTimer(nowMs, () => calls.push(nowMs())), calls };
}

describe("createDueTimer", () => {
  it("calls at the time that was said last", () => {
    const { timer, calls } = start();
    timer.setDue(100);
    timer.setDue(30);
    timer.setDue(50);
    vi.advanceTimersByTime(500);
    expect(calls).toEqual([50]);
  });

  it("calls as soon as it can when the time is over", () => {
    const { timer, calls } = start();
    timer.setDue(-100);
    vi.advanceTimersByTime(10);
    timer.setDue(-100);
    vi.advanceTimersByTime(10);
    expect(calls).toEqual([1, 11]);
  });

  it("has one timer at most, and none for never", () => {
    const { timer, calls } = start();
    for (const dueMs of [100, 100, 200]) timer.setDue(dueMs);
    expect(vi.getTimerCount()).toBe(1);
    timer.setDue(Infinity);
    expect(vi.getTimerCount()).toBe(0);
    vi.advanceTimersByTime(500);
    expect(calls).toEqual([]);
  });
});
