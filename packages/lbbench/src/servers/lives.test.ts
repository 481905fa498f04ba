import { describe, expect, it } from "vitest";
import type { FaultDeed, FaultKind } from "../plugin.js";
import { Lives, type Life } from "./lives.js";

/** Of no process: none has so large a number. */
const NO_PID = 2 ** 30;

interface FakeLife extends Life {
  readonly number: number;
  readonly die: () => void;
}

interface Setup {
  readonly members?: readonly string[];
  readonly slow?: (life: FakeLife, deed: FaultDeed) => Promise<unknown>;
}

/** A server of whose lives is told what was done to them, and when. */
function aServer({ members, slow = async () => {} }: Setup = {}) {
  const told: string[] = [];
  let number = 0;
  const begin = (): FakeLife => {
    number += 1;
    const own = number;
    let die: (how: string) => void = () => {};
    const tell = (what: string) => async () => void told.push(`${what} ${own}`);
    return {
      number: own,
      pids: () => [NO_PID + own],
      watched: () => [{ pid: NO_PID + own, role: "backend", name: "server", tree: false }],
      died: new Promise((resolve) => (die = resolve)),
      finish: tell("finish"),
      stop: tell("stop"),
      die: () => die(`life ${own} has died`),
    };
  };
  const first = begin();
  const expected = new Set<number>();
  const lives = new Lives<FakeLife>({
    name: "server",
    role: "backend",
    first,
    begin: async () => begin(),
    deeds: { slow },
    ...(members && {
      members: {
        names: members,
        pids: () => members.map((_, index) => (expected.has(index) ? undefined : NO_PID + 100 + index)),
        expectDeath: (_: FakeLife, pid: number) => void expected.add(pid - NO_PID - 100),
        begin: async (_: FakeLife, index: number) => told.push(`begin member ${index}`),
      },
    }),
  });
  const apply = async (kind: FaultKind, part = "server"): Promise<string | undefined> =>
    lives.server.parts
      .find(({ name }) => name === part)
      ?.apply({ kind })
      .then(
        () => "done",
        (error: Error) => error.message,
      );
  return { lives, first, told, apply };
}

describe("the deeds to a server", () => {
  it("are done in the states that they are for, and refused with the state in others", async () => {
    const { lives, apply } = aServer();
    expect(lives.server.parts.map(({ can }) => can)).toEqual([["kill", "start", "stop", "pause", "resume", "slow"]]);
    const outcomes = ["start", "resume", "slow", "pause", "pause", "slow", "stop", "resume", "stop", "pause", "kill"];
    expect(await Promise.all(outcomes.map((kind) => apply(kind as FaultKind)))).toEqual([
      "server is running",
      "server is not paused",
      "done",
      "done",
      "server is paused",
      "server is paused",
      "server is paused",
      "done",
      "done",
      "server is not running",
      "server is not running",
    ]);
    expect(await apply("drain")).toBe("server: expected one of kill, start, stop, pause, resume, slow, got drain");
    expect(await apply("start")).toBe("done");
    expect(lives.server.processesNow()).toMatchObject([{ pid: NO_PID + 2 }]);
    await lives.server.stop();
    expect(await apply("kill")).toBe("server is being stopped");
    await expect(lives.demand(async () => {})).rejects.toThrow("server is not running");
  });

  it("end with the last counts, then with the life, and nothing of it is a death", async () => {
    const { lives, first, told, apply } = aServer();
    let death = "none";
    void lives.server.died.then((how) => (death = how));
    lives.tally(
      async ({ number }, isLast) => void told.push(`count ${number}${isLast ? " at last" : ""}`),
      undefined,
      () => undefined,
    );
    expect(await apply("stop")).toBe("done");
    first.die();
    await apply("start");
    await lives.server.stop();
    await lives.server.stop();
    expect(told).toEqual(["count 1", "count 1 at last", "finish 1", "stop 1", "stop 2"]);
    expect(death).toBe("none");
    const { lives: others, first: other } = aServer();
    other.die();
    expect(await others.server.died).toBe("life 1 has died");
  });

  it("to members are done to each by itself, while the server runs", async () => {
    const { lives, told, apply } = aServer({ members: ["worker-1", "worker-2"] });
    expect(lives.server.parts.map(({ name }) => name)).toEqual(["server", "worker-1", "worker-2"]);
    expect(await apply("slow", "worker-1")).toBe("worker-1: expected one of kill, start, pause, resume, got slow");
    // A process that has ended by itself is not running either.
    expect(await apply("kill", "worker-1")).toBe("worker-1 is not running");
    expect(await apply("start", "worker-2")).toBe("done");
    expect(told).toEqual(["begin member 1"]);
    await apply("pause");
    expect(await apply("start", "worker-2")).toBe("server is paused");
  });
});

describe("what a server has counted", () => {
  it("goes on over its lives, and is its last answer where it cannot be asked", async () => {
    const { lives, apply } = aServer();
    const counts = new Map([
      [1, 5],
      [2, 2],
    ]);
    const count = lives.tally(
      async ({ number }) => counts.get(number) ?? 0,
      0,
      (sum, more) => sum + more,
    );
    expect(await count()).toBe(5);
    await apply("kill");
    expect(await count()).toBe(5);
    await apply("start");
    expect(await count()).toBe(7);
    counts.set(2, 9);
    await apply("pause");
    expect(await count()).toBe(7);
    await apply("resume");
    expect(await count()).toBe(14);
  });

  it("is not waited for when the life is paused, and its failure counts only in a life that goes on", async () => {
    const { lives, first, apply } = aServer();
    const open = lives.ask(() => new Promise<never>(() => {}));
    await apply("pause");
    expect(await open).toBeUndefined();
    expect(await lives.ask(async () => 7)).toBeUndefined();
    await apply("resume");
    expect(await lives.ask(async () => 7)).toBe(7);
    let fail: (error: Error) => void = () => {};
    const failing = () => lives.ask(() => new Promise<never>((_, reject) => (fail = reject)));
    const told = failing();
    fail(new Error("no answer"));
    await expect(told).rejects.toThrow("no answer");
    const late = failing();
    await apply("kill");
    fail(new Error("killed"));
    expect(await late).toBeUndefined();
    expect(first.number).toBe(1);
  });
});
