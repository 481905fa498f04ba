import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { IdleSweep } from "./idle-sweep.js";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test("everything in it is looked at four times in the idle time", () => {
  const sweep = new IdleSweep(400);
  const members = [{ sweep: vi.fn<() => void>() }, { sweep: vi.fn<() => void>() }];
  for (const member of members) sweep.add(member);
  vi.advanceTimersByTime(400);
  expect(members.map((member) => member.sweep.mock.calls.length)).toEqual([4, 4]);
});

test("long idle times are looked at each second", () => {
  const sweep = new IdleSweep(60_000);
  const member = { sweep: vi.fn<() => void>() };
  sweep.add(member);
  vi.advanceTimersByTime(60_000);
  expect(member.sweep).toHaveBeenCalledTimes(60);
});

test("there is a timer only while there is something to look at", () => {
  const sweep = new IdleSweep(400);
  const member = { sweep: vi.fn<() => void>() };
  sweep.add(member);
  expect(vi.getTimerCount()).toBe(1);
  sweep.delete(member);
  expect(vi.getTimerCount()).toBe(0);
  sweep.add(member);
  expect(vi.getTimerCount()).toBe(1);
});

test("without a limit there is no timer", () => {
  new IdleSweep(Infinity).add({ sweep: vi.fn<() => void>() });
  expect(vi.getTimerCount()).toBe(0);
});
