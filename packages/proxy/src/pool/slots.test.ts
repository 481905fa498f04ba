import { describe, expect, it } from "vitest";
import { Slots, type Waiter } from "./slots.js";

function waiters(count: number) {
  const turns: number[] = [];
  const all = Array.from({ length: count }, (_, index): Waiter => ({ takeTurn: () => void turns.push(index) }));
  return { all, turns };
}

describe("Slots", () => {
  it("gives slots up to the limit, then places in the queue, then nothing", () => {
    const slots = new Slots(2, 1);
    expect(waiters(4).all.map((waiter) => slots.take(waiter))).toEqual(["taken", "taken", "queued", "full"]);
    expect(slots.queued).toBe(1);
  });

  it("gives a released slot to the one that has waited longest, and calls nobody else", () => {
    const slots = new Slots(1, 3);
    const { all, turns } = waiters(3);
    for (const waiter of all) slots.take(waiter);
    slots.release();
    expect(turns).toEqual([1]);
    slots.release();
    expect(turns).toEqual([1, 2]);
    expect(slots.queued).toBe(0);
  });

  it("frees the slot when nobody waits", () => {
    const slots = new Slots(1, 0);
    const [first, second, third] = waiters(3).all as [Waiter, Waiter, Waiter];
    expect([slots.take(first), slots.take(second)]).toEqual(["taken", "full"]);
    slots.release();
    expect(slots.take(third)).toBe("taken");
  });

  it("lets a waiter leave the queue, once", () => {
    const slots = new Slots(0, 2);
    const [first, second, third] = waiters(3).all as [Waiter, Waiter, Waiter];
    for (const waiter of [first, second]) slots.take(waiter);
    expect([slots.leave(first), slots.leave(first), slots.leave(third)]).toEqual([true, false, false]);
    expect(slots.dismiss()).toEqual([second]);
  });

  it("dismisses all that wait in order, without a turn, and goes on", () => {
    const slots = new Slots(1, 5);
    const { all, turns } = waiters(4);
    for (const waiter of all) slots.take(waiter);
    expect(slots.dismiss()).toEqual(all.slice(1));
    expect([slots.queued, slots.dismiss()]).toEqual([0, []]);
    slots.release();
    expect(turns).toEqual([]);
    expect(slots.take(all[0] as Waiter)).toBe("taken");
  });

  it("never queues without a limit", () => {
    const slots = new Slots(Infinity, 0);
    expect(new Set(waiters(1000).all.map((waiter) => slots.take(waiter)))).toEqual(new Set(["taken"]));
  });

  it("lets one that has its turn give the slot on at once", () => {
    const slots = new Slots(1, 5);
    const turns: string[] = [];
    slots.take({ takeTurn: () => undefined });
    for (const name of ["a", "b", "c"]) {
      slots.take({
        takeTurn: () => {
          turns.push(name);
          slots.release();
        },
      });
    }
    slots.release();
    expect(turns).toEqual(["a", "b", "c"]);
    expect(slots.take({ takeTurn: () => undefined })).toBe("taken");
  });
});
