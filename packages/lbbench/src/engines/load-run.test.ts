import { performance } from "node:perf_hooks";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createRecorder } from "./recorder.js";
import { createLoadRun, type LoadUser, type OwnedLoadRun } from "./load-run.js";

function aRun(
  requests: number | undefined,
  users: number,
): { readonly run: OwnedLoadRun; readonly users: readonly LoadUser[] } {
  const run = createLoadRun(createRecorder(false), requests, 0);
  const all = Array.from({ length: users }, (_, index) => ({ start: () => {}, cut: () => (index % 2 === 0 ? 1 : 0) }));
  for (const user of all) run.enter(user);
  return { run, users: all };
}

describe("createLoadRun", () => {
  it("sets aside the first request of every user, whatever a quick one takes", () => {
    const { run } = aRun(10, 4);
    expect(run.take(true)).toBe(true);
    let further = 0;
    while (run.take(false)) further += 1;
    expect(further).toBe(6);
    expect([run.take(true), run.take(true), run.take(true)]).toEqual([true, true, true]);
    expect(run.take(false)).toBe(false);
    expect(run.take(true)).toBe(false);
  });

  it("says beforehand what take would say", () => {
    const { run } = aRun(2, 2);
    expect([run.exhausted(true), run.exhausted(false)]).toEqual([false, true]);
    run.take(true);
    run.take(true);
    expect([run.exhausted(true), run.exhausted(false)]).toEqual([true, true]);
  });

  it("has no end of requests without a budget, until it is drained", () => {
    const { run } = aRun(undefined, 1);
    run.take(true);
    expect(run.take(false)).toBe(true);
    run.drain();
    expect(run.take(false)).toBe(false);
  });

  it("ends when the last user has left, by itself", async () => {
    const { run, users } = aRun(2, 2);
    for (const user of users) run.leave(user);
    await expect(run.ended).resolves.toEqual({ inFlight: 0, stoppedUs: null });
  });

  it("counts the open requests of users that are cut, once", async () => {
    const { run } = aRun(undefined, 5);
    run.cut();
    run.cut();
    const end = await run.ended;
    expect(end.inFlight).toBe(3);
    expect(end.stoppedUs).toBeGreaterThan(0);
    expect(run.take(true)).toBe(false);
  });

  it("counts time without life only from a target that cannot be connected to", async () => {
    const { run } = aRun(undefined, 1);
    await new Promise((resolve) => setImmediate(resolve));
    expect(run.unreachableMs()).toBe(0);
    run.sawNoConnection();
    expect(run.unreachableMs()).toBeGreaterThan(0);
    run.sawLife();
    expect(run.unreachableMs()).toBe(0);
  });
});

describe("users that start later", () => {
  beforeEach(() => {
    vi.useFakeTimers({ now: 0, toFake: ["setTimeout", "clearTimeout", "setImmediate", "clearImmediate", "Date"] });
    vi.spyOn(performance, "now").mockImplementation(() => Date.now());
  });
  afterEach(() => {
    vi.useRealTimers();
    vi.restoreAllMocks();
  });

  interface Told {
    readonly run: OwnedLoadRun;
    /** What the users were told to do, in order: `start 0`, `cut 1`. */
    readonly told: readonly string[];
    readonly users: readonly LoadUser[];
  }

  /** A run that begins now, with a user for each start, in ms. */
  function startAt(startsMs: readonly number[], recorder = createRecorder(false)): Told {
    const told: string[] = [];
    const run = createLoadRun(recorder, undefined, -performance.now() * 1000);
    const users = startsMs.map((_, index) => ({
      start: () => void told.push(`start ${index}`),
      cut: () => {
        const isOpen = told.includes(`start ${index}`);
        told.push(`cut ${index}`);
        return isOpen ? 1 : 0;
      },
    }));
    for (const [index, user] of users.entries()) run.enter(user, (startsMs[index] ?? 0) * 1000);
    run.startUsers();
    return { run, told, users };
  }

  it("start when it is time, whatever the order in which they entered", () => {
    const { told } = startAt([30, 0, 10, 10]);
    expect(told).toEqual(["start 1"]);
    vi.advanceTimersByTime(9);
    expect(told).toEqual(["start 1"]);
    vi.advanceTimersByTime(1);
    expect(told).toEqual(["start 1", "start 2", "start 3"]);
    vi.advanceTimersByTime(1000);
    expect(told).toEqual(["start 1", "start 2", "start 3", "start 0"]);
  });

  it("start at once where the common start is still to come, if they are to start with it", () => {
    const told: number[] = [];
    const run = createLoadRun(createRecorder(false), undefined, (-performance.now() - 20) * 1000);
    run.enter({ start: () => void told.push(0), cut: () => 0 });
    run.enter({ start: () => void told.push(1), cut: () => 0 }, 1000);
    run.startUsers();
    expect(told).toEqual([0]);
    vi.advanceTimersByTime(20);
    expect(told).toEqual([0]);
    vi.advanceTimersByTime(1);
    expect(told).toEqual([0, 1]);
  });

  it("start in several turns when many are due at once", () => {
    const { told } = startAt([0, ...Array.from({ length: 99 }, () => 10)]);
    vi.advanceTimersByTime(10);
    expect(told.length).toBeLessThan(100);
    vi.runAllTimers();
    expect(told).toHaveLength(100);
  });

  it("do not start after the run was cut, and nothing of them is open", async () => {
    const { run, told } = startAt([0, 10, 20]);
    vi.advanceTimersByTime(10);
    run.cut();
    await expect(run.ended).resolves.toMatchObject({ inFlight: 2 });
    expect(vi.getTimerCount()).toBe(0);
    vi.advanceTimersByTime(1000);
    expect(told).not.toContain("start 2");
  });

  it("do not hold up the end of a run that is drained", async () => {
    const { run, told, users } = startAt([0, 10, 20]);
    run.drain();
    expect(told).toEqual(["start 0", "cut 1", "cut 2"]);
    run.leave(users[0] as LoadUser);
    await expect(run.ended).resolves.toEqual({ inFlight: 0, stoppedUs: null });
    vi.advanceTimersByTime(1000);
    expect(told).not.toContain("start 1");
  });

  it("end a run that is drained before the first of them", async () => {
    const { run } = startAt([10, 20]);
    run.drain();
    await expect(run.ended).resolves.toEqual({ inFlight: 0, stoppedUs: null });
  });

  it("hold up the end of a run while they are still to come", () => {
    const { run, told, users } = startAt([0, 10]);
    run.leave(users[0] as LoadUser);
    vi.advanceTimersByTime(10);
    expect(told).toEqual(["start 0", "start 1"]);
  });

  it("are not told that the target is gone for the time in which nobody asked it", () => {
    const { run } = startAt([5000]);
    vi.advanceTimersByTime(5000);
    run.sawNoConnection();
    expect(run.unreachableMs()).toBe(0);
    vi.advanceTimersByTime(300);
    expect(run.unreachableMs()).toBe(300);
  });

  it("are counted by second from when they came until they left", () => {
    const recorder = createRecorder(false);
    const { run, users } = startAt([0, 500, 1000, 2000], recorder);
    recorder.sent(0);
    vi.advanceTimersByTime(1500);
    run.leave(users[1] as LoadUser);
    vi.advanceTimersByTime(1500);
    run.cut();
    const { seconds } = recorder.finish(1, run.nowUs());
    expect(seconds.map((second) => second.users)).toEqual([2, 2, 3]);
  });
});
