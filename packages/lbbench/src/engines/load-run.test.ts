import { describe, expect, it } from "vitest";
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
