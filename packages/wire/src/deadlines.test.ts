import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { createDeadlines, tickFor, type Timed } from "./deadlines.js";

const TICK_MS = 10;

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** Deadlines that are kept in time, and what was late, by name. */
function start() {
  const deadlines = createDeadlines(TICK_MS);
  const late: string[] = [];
  const watch = (name: string, allowedMs: number, onLate: (timed: Timed) => void = deadlines.forget): Timed => {
    const timed: Timed = {
      aliveTick: 0,
      place: -1,
      allowedMs: () => allowedMs,
      onLate: () => {
        late.push(name);
        onLate(timed);
      },
    };
    deadlines.watch(timed);
    return timed;
  };
  return { deadlines, late, watch };
}

it.each([1, 10, 25, 100])("what has %i ms is late after them, and at most two ticks later", (allowedMs) => {
  const { late, watch } = start();
  // In the middle of a tick.
  vi.advanceTimersByTime(TICK_MS * 1.5);
  watch("one", allowedMs);
  vi.advanceTimersByTime(allowedMs - 1);
  expect(late).toEqual([]);
  vi.advanceTimersByTime(2 * TICK_MS + 1);
  expect(late).toEqual(["one"]);
  vi.advanceTimersByTime(1000);
  expect(late).toEqual(["one"]);
});

it("what gives signs of life, may be without one for ever, or is forgotten is never late", () => {
  const { deadlines, late, watch } = start();
  const busy = watch("busy", 50);
  watch("without end", Number.POSITIVE_INFINITY);
  const ended = watch("ended", 50);
  for (let turn = 0; turn < 20; turn++) {
    if (turn === 1) deadlines.forget(ended);
    busy.aliveTick = deadlines.tick;
    vi.advanceTimersByTime(40);
  }
  expect(late).toEqual([]);
  vi.advanceTimersByTime(70);
  expect(late).toEqual(["busy"]);
});

it("what stays is late again at each tick, and one that ends others takes none of their places from those that come", () => {
  const { deadlines, late, watch } = start();
  const gone = watch("gone", 10, () => undefined);
  watch("ends it", 20, (timed) => {
    deadlines.forget(gone);
    deadlines.forget(gone);
    deadlines.forget(timed);
    watch("first", 10);
    watch("second", 10);
    watch("third", 10);
  });
  vi.advanceTimersByTime(30);
  expect(late).toEqual(["gone", "gone", "ends it"]);
  vi.advanceTimersByTime(30);
  expect(late.slice(3).toSorted()).toEqual(["first", "second", "third"]);
});

it("nothing is late after they are stopped, and no timer is left", () => {
  const { deadlines, late, watch } = start();
  watch("one", 10);
  deadlines.stop();
  expect(vi.getTimerCount()).toBe(0);
  vi.advanceTimersByTime(100);
  expect(late).toEqual([]);
});

it("are looked at often enough for the shortest time, between every 10 ms and every second", () => {
  expect([[500, 60_000], [20], [1_000_000], [Number.POSITIVE_INFINITY]].map(tickFor)).toEqual([50, 10, 1000, 1000]);
});
