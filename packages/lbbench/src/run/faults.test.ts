import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { DoneFault, Fault, FaultDeed, FaultKind } from "../model/fault.js";
import type { FaultyPart } from "../plugin.js";
import { planFaults, startClock, startFaults } from "./faults.js";

const ALL: readonly FaultKind[] = ["kill", "start", "stop", "pause", "resume", "slow", "errors"];

/** How the parts of a target behave: by deed, `kind part`, how long it takes in ms (it may never end), or how it fails. */
type Behaviour = Readonly<Record<string, number | Error>>;

interface Story {
  /** What was begun to be done to the parts, each `kind part at`. */
  readonly told: string[];
  readonly part: (name: string, can?: readonly FaultKind[], role?: FaultyPart["role"]) => FaultyPart;
}

function aStory(behaviour: Behaviour = {}): Story {
  const told: string[] = [];
  const beganMs = performance.now();
  return {
    told,
    part: (name, can = ALL, role = "backend") => ({
      name,
      role,
      can,
      apply: async ({ kind, byMs, share }: FaultDeed) => {
        told.push([kind, name, byMs ?? share ?? [], performance.now() - beganMs].flat().join(" "));
        const how = behaviour[`${kind} ${name}`] ?? 0;
        if (how instanceof Error) throw how;
        if (how > 0) await new Promise<void>((resolve) => how < Infinity && setTimeout(resolve, how));
      },
    }),
  };
}

const fault = (atMs: number, kind: FaultKind, part: string, more: Partial<Fault> = {}): Fault => ({
  atMs,
  kind,
  part,
  ...more,
});
const plan = (faults: readonly Fault[], parts?: readonly FaultyPart[]) => planFaults(faults, "mine", parts);

beforeEach(
  () =>
    void vi.useFakeTimers({
      toFake: ["setTimeout", "clearTimeout", "setInterval", "clearInterval", "performance", "Date"],
    }),
);
afterEach(() => void vi.useRealTimers());

describe("what a target cannot do is refused", () => {
  const { part } = aStory();
  const parts = [
    part("balancer", ["pause"], "balancer"),
    part("backend-1", ["kill", "stop", "start"]),
    part("backend-2", ["kill"]),
    part("cluster worker-1", ["kill"]),
  ];
  const has = "It has balancer (pause), backend-1 (kill, stop, start), backend-2 (kill), cluster worker-1 (kill).";
  const next = "Name one of them (--fault), or leave the fault out.";

  it.each<[Fault, string]>([
    [fault(0, "kill", "bakend-2"), `has no part "bakend-2". ${has} Did you mean "backend-2"?`],
    [fault(0, "kill", "worker-1"), `has no part "worker-1". ${has} Did you mean "cluster worker-1"?`],
    [fault(0, "kill", "constructor"), `has no part "constructor". ${has} ${next}`],
    [fault(0, "start", "backend-2"), `cannot do "start" to "backend-2". ${has} ${next}`],
  ])("%o", (asked, why) => {
    expect(() => plan([fault(0, "kill", "backend-1"), asked], parts)).toThrow(
      expect.objectContaining({ code: "BAD_CONFIG", message: `The target "mine" ${why}` }),
    );
  });

  it.each<[Fault, string]>([
    [fault(0, "kill", "backend-1"), 'has no part "backend-1"'],
    [fault(0, "roll", "backends"), "has no backend that can stop and start"],
  ])("%o, of one without parts", (asked, why) => {
    const message = `The target "mine" ${why}. It has no parts to which faults can be done. Leave the target or its faults out.`;
    expect(() => plan([asked])).toThrow(message);
  });
});

describe("faults are done", () => {
  interface Ran {
    readonly done: readonly DoneFault[];
    readonly events: readonly DoneFault[];
    /** When all was over. */
    readonly endedMs: number;
  }

  /** Does faults for a second, or so long, of a measurement that began 20 ms after the faults were set. */
  async function run(faults: readonly Fault[], parts: readonly FaultyPart[], forMs = 1000): Promise<Ran> {
    const events: DoneFault[] = [];
    const beganMs = performance.now();
    const startedAt = new Date(Date.now() + 20).toISOString();
    const running = startFaults(plan(faults, parts), startClock(), { onDone: (one) => events.push(one) });
    await vi.advanceTimersByTimeAsync(forMs);
    const ending = running.end(true).then(() => performance.now() - beganMs);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(vi.getTimerCount(), "timers that are left").toBe(0);
    return { endedMs: await ending, done: running.told(startedAt), events };
  }

  it("in time, with how and when each took effect, from the start of the measurement", async () => {
    const { told, part } = aStory({ "kill a": 30, "slow b": 5 });
    const faults = [
      fault(300, "kill", "a"),
      fault(400, "slow", "b", { byMs: 200 }),
      fault(400, "errors", "a", { share: 0.5 }),
    ];
    const { done, events } = await run(faults, [part("a"), part("b")]);
    expect(told).toEqual(["kill a 300", "slow b 200 400", "errors a 0.5 400"]);
    expect(done).toEqual([
      { ...faults[0], beganMs: 280, effectMs: 310 },
      { ...faults[1], beganMs: 380, effectMs: 385 },
      { ...faults[2], beganMs: 380, effectMs: 380 },
    ]);
    expect(events.map(({ kind, effectMs }) => [kind, effectMs])).toEqual([
      ["kill", 330],
      ["errors", 400],
      ["slow", 405],
    ]);
  });

  it("while processes are looked at: before, meanwhile and when it has taken effect", async () => {
    const { part } = aStory({ "stop a": 250, "start a": new Error("no") });
    const looksMs: number[] = [];
    const look = () => void looksMs.push(performance.now() - beganMs);
    const beganMs = performance.now();
    const faults = [fault(100, "stop", "a"), fault(600, "start", "a")];
    const running = startFaults(plan(faults, [part("a")]), startClock(), { onDone: () => {}, look });
    await vi.advanceTimersByTimeAsync(1000);
    await running.end(true);
    expect(looksMs).toEqual([100, 200, 300, 350, 600, 600]);
    expect(vi.getTimerCount()).toBe(0);
  });

  it("one after the other to one part, and beside one another to several", async () => {
    const { told, part } = aStory({ "start a": 300 });
    const faults = [fault(100, "start", "a"), fault(200, "kill", "a"), fault(200, "kill", "b")];
    const { done } = await run(faults, [part("a"), part("b")]);
    expect(told).toEqual(["start a 100", "kill b 200", "kill a 400"]);
    expect(done.map(({ beganMs, effectMs }) => [beganMs, effectMs])).toEqual([
      [80, 380],
      [380, 380],
      [180, 180],
    ]);
  });

  it("to all backends in turn in a roll, which a fault of one of them waits for", async () => {
    const { told, part } = aStory({ "stop a": 100, "start a": 50 });
    const parts = [
      part("front", ALL, "balancer"),
      part("worker-1", ["kill"]),
      part("a", [...ALL, "drain", "restore"]),
      part("b"),
    ];
    const { done } = await run([fault(100, "roll", "backends"), fault(120, "kill", "a")], parts);
    expect(told).toEqual([
      "drain a 100",
      "stop a 100",
      "start a 200",
      "restore a 250",
      "stop b 250",
      "start b 250",
      "kill a 250",
    ]);
    expect(done[0]).toEqual({ ...fault(100, "roll", "backends"), beganMs: 80, effectMs: 80 });
  });

  it("to no more backends of a roll that is interrupted, of which nothing is said", async () => {
    const { told, part } = aStory({ "stop a": 100 });
    const done: DoneFault[] = [];
    const planned = plan([fault(100, "roll", "backends")], [part("a"), part("b")]);
    const running = startFaults(planned, startClock(), { onDone: (one) => done.push(one) });
    await vi.advanceTimersByTimeAsync(150);
    const ending = running.end(false);
    await vi.advanceTimersByTimeAsync(1000);
    await ending;
    expect(told).toEqual(["stop a 100"]);
    expect([done, running.told(new Date().toISOString())]).toEqual([[], []]);
  });

  it.each<[string, Behaviour, string]>([
    ["fails", { "kill a": new Error("there is no such process") }, "there is no such process"],
    ["takes longer than 10 s", { "kill a": Infinity }, "it took longer than 10 s"],
  ])("and one that %s is told with its error, and holds up no other", async (_, behaviour, error) => {
    const { told, part } = aStory(behaviour);
    const faults = [fault(0, "kill", "a"), fault(1, "kill", "b"), fault(12_000, "start", "a")];
    const { done, events } = await run(faults, [part("a"), part("b")], 20_000);
    expect(told).toEqual(["kill a 0", "kill b 1", "start a 12000"]);
    expect(done.map((one) => [one.effectMs, one.error])).toEqual([
      [null, error],
      [-19, undefined],
      [11_980, undefined],
    ]);
    expect(events).toHaveLength(3);
  });

  it("and a roll starts what was dead before", async () => {
    const { told, part } = aStory();
    const { done } = await run([fault(0, "kill", "a"), fault(100, "roll", "backends")], [part("a"), part("b")]);
    expect(told).toEqual(["kill a 0", "start a 100", "stop b 100", "start b 100"]);
    expect(done).toMatchObject([{ effectMs: -20 }, { effectMs: 80 }]);
  });

  it("and a roll that fails says where, ends there, and leaves nothing drained", async () => {
    const { told, part } = aStory({ "start a": new Error("the port is in use") });
    const parts = [part("a", [...ALL, "drain", "restore"]), part("b")];
    const { done } = await run([fault(0, "roll", "backends")], parts);
    expect(told).toEqual(["drain a 0", "stop a 0", "start a 0", "restore a 0"]);
    expect(done).toMatchObject([{ effectMs: null, error: "start a: the port is in use" }]);
  });

  it("until the end, which waits for what is under way, begins nothing more, and resumes what is paused", async () => {
    const { told, part } = aStory({ "pause a": 400, "pause e": Infinity, "stop c": 500 });
    const parts = ["a", "b", "c", "d", "e", "f"].map((name) =>
      part(name, name === "c" ? ALL : ["kill", "pause", "resume"]),
    );
    const faults = [
      ...["b", "d", "f"].map((name) => fault(100, "pause", name)),
      fault(200, "resume", "b"),
      fault(200, "kill", "d"),
      fault(800, "pause", "a"),
      fault(900, "pause", "e"),
      fault(950, "roll", "backends"),
      fault(960, "kill", "a"),
      fault(2000, "kill", "b"),
    ];
    const { done, endedMs } = await run(faults, parts);
    expect(told.slice(5)).toEqual([
      "pause a 800",
      "pause e 900",
      "stop c 950",
      ...["f", "a", "e"].map((name) => `resume ${name} 10900`),
    ]);
    expect(endedMs).toBe(10_900);
    const early = "the measurement ended before";
    expect(done.slice(5).map(({ error }) => error)).toEqual([
      undefined,
      "it took longer than 10 s",
      early,
      early,
      early,
    ]);
    expect(done).toHaveLength(faults.length);
  });

  it("also where the wall clock is set before the measurement tells when it began", async () => {
    const clock = startClock();
    const running = startFaults(plan([fault(300, "kill", "a")], [aStory().part("a")]), clock, { onDone: () => {} });
    await vi.advanceTimersByTimeAsync(1000);
    clock.adjust(950);
    for (const startedAt of ["1970-01-01T00:00:00.000Z", "2999-01-01T00:00:00.000Z"]) {
      expect(running.told(startedAt)).toMatchObject([{ beganMs: 250, effectMs: 250 }]);
    }
    await running.end(true);
  });
});
