import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Load } from "../plugin.js";
import { aLoad as anyLoad } from "../test-support/load.js";
import { createGenerator, type GeneratorLoad, type PrepareClients } from "./generator.js";
import { LoadRun, type LoadUser } from "./load-run.js";
import { Recorder, type LoadRecord } from "./recorder.js";
import { enterUsers } from "./requester.js";

beforeEach(() => {
  vi.useFakeTimers({
    now: 1_000_000,
    toFake: ["setTimeout", "clearTimeout", "setImmediate", "clearImmediate", "setInterval", "clearInterval", "Date"],
  });
  vi.spyOn(performance, "now").mockImplementation(() => Date.now());
  vi.spyOn(process.hrtime, "bigint").mockImplementation(() => BigInt(Date.now()) * 1_000_000n);
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

interface Started {
  readonly run: LoadRun;
  /** What the users were told to do, in order: `start 0`, `cut 1`. */
  readonly told: readonly string[];
  readonly users: readonly LoadUser[];
}

/** A run that begins now or, by `aheadMs`, later, with a user for each start, in ms from then. */
function startAt(
  startsMs: readonly number[],
  requests?: number,
  recorder = new Recorder({ mergeable: false }),
  aheadMs = 0,
): Started {
  const told: string[] = [];
  const run = new LoadRun(recorder, requests);
  const users = startsMs.map((_, index) => ({
    start: () => void told.push(`start ${index}`),
    cut: () => {
      const isOpen = told.includes(`start ${index}`);
      told.push(`cut ${index}`);
      return isOpen ? 1 : 0;
    },
  }));
  for (const [index, user] of users.entries()) run.enter(user, (startsMs[index] ?? 0) * 1000);
  run.start((-performance.now() - aheadMs) * 1000);
  return { run, told, users };
}

describe("a run", () => {
  it("sets aside the first request of every user, whatever a quick one takes", () => {
    const { run } = startAt([0, 0, 0, 0], 10);
    expect(run.take(true)).toBe(true);
    let further = 0;
    while (run.take(false)) further += 1;
    expect(further).toBe(6);
    expect([run.take(true), run.take(true), run.take(true), run.take(true)]).toEqual([true, true, true, false]);
  });

  it("ends by itself when the last user has left, also one that was still to come", async () => {
    const { run, told, users } = startAt([0, 10]);
    run.leave(users[0] as LoadUser);
    vi.advanceTimersByTime(10);
    expect(told).toEqual(["start 0", "start 1"]);
    run.leave(users[1] as LoadUser);
    await expect(run.ended).resolves.toEqual({ inFlight: 0, stoppedUs: null });
  });

  it("counts the open requests of users when it is cut, once, and starts no others", async () => {
    const { run, told } = startAt([0, 10, 20]);
    vi.advanceTimersByTime(10);
    run.cut();
    run.cut();
    await expect(run.ended).resolves.toEqual({ inFlight: 2, stoppedUs: 10_000 });
    expect([run.take(true), vi.getTimerCount()]).toEqual([false, 0]);
    vi.advanceTimersByTime(1000);
    expect(told).not.toContain("start 2");
  });

  it("is not held up by users still to come when it is drained", async () => {
    const { run, told, users } = startAt([0, 10, 20]);
    run.drain();
    expect(told).toEqual(["start 0", "cut 1", "cut 2"]);
    run.leave(users[0] as LoadUser);
    await expect(run.ended).resolves.toEqual({ inFlight: 0, stoppedUs: null });
    const early = startAt([10, 20]);
    early.run.drain();
    await expect(early.run.ended).resolves.toEqual({ inFlight: 0, stoppedUs: null });
  });

  it("starts users when it is time, whatever the order in which they entered, those of the start at once", () => {
    const { told } = startAt([30, 0, 10, 10]);
    expect(told).toEqual(["start 1"]);
    vi.advanceTimersByTime(9);
    expect(told).toEqual(["start 1"]);
    vi.advanceTimersByTime(1);
    expect(told).toEqual(["start 1", "start 2", "start 3"]);
    vi.advanceTimersByTime(1000);
    expect(told).toEqual(["start 1", "start 2", "start 3", "start 0"]);
    const ahead = startAt([0, 1], undefined, new Recorder({ mergeable: false }), 20);
    vi.advanceTimersByTime(20);
    expect(ahead.told).toEqual(["start 0"]);
    vi.advanceTimersByTime(1);
    expect(ahead.told).toEqual(["start 0", "start 1"]);
  });

  it("counts users by second from when they came until they left", () => {
    const recorder = new Recorder({ mergeable: false });
    const { run, users } = startAt([0, 500, 1000, 2000], undefined, recorder);
    recorder.sent(0);
    vi.advanceTimersByTime(1500);
    run.leave(users[1] as LoadUser);
    vi.advanceTimersByTime(1500);
    run.cut();
    const { seconds } = recorder.finish(1, run.nowUs());
    expect(seconds.map((second) => second.users)).toEqual([2, 2, 3]);
  });
});

it("a run that is filled lets users who wait ask again every three seconds, before servers close their connections", async () => {
  const run = new LoadRun(new Recorder({ mergeable: false }));
  const load = anyLoad({ connections: 2, durationMs: 1000 });
  const sent: number[] = [];
  enterUsers(run, { ...load, engine: "wire", folder: "", place: { index: 0, of: 1 } }, (onDone) => {
    const user = sent.push(0) - 1;
    let round = 0;
    const answer = (): void => {
      round = run.reach(round);
      onDone(true);
    };
    const send = (): void => {
      sent[user] = (sent[user] ?? 0) + 1;
      if (user === 0) setTimeout(answer, 1);
    };
    return { send, cut: () => 0, close: async () => {} };
  });
  const filled = run.fill(10_000);
  await vi.advanceTimersByTimeAsync(10_000);
  expect(await filled).toMatchObject({ users: 2, answered: 1 });
  expect(sent).toEqual([4, 1]);
});

it("a target without connections is silent from when it was asked, not from its last answer, until it answers again", () => {
  const { run } = startAt([0]);
  vi.advanceTimersByTime(5000);
  expect(run.unreachableMs()).toBe(0);
  run.sawNoConnection(run.nowUs());
  expect(run.unreachableMs()).toBe(0);
  vi.advanceTimersByTime(300);
  run.sawNoConnection(run.nowUs());
  expect(run.unreachableMs()).toBe(300);
  run.sawLife();
  expect(run.unreachableMs()).toBe(0);
});

describe("a generator with a load for a time", () => {
  /** One user, who sends a request that is answered when nothing more may be sent. */
  const clients: PrepareClients = (_load, run) => {
    let answer: NodeJS.Timeout | undefined;
    const user = {
      start: () => {
        run.take(true);
        run.recorder.sent(run.nowUs());
        answer = setInterval(() => {
          if (run.take(false)) return;
          clearInterval(answer);
          run.recorder.ok(0, run.nowUs(), 200);
          run.leave(user);
        }, 1);
      },
      cut: () => {
        clearInterval(answer);
        return 1;
      },
    };
    run.enter(user);
    return { stop: async () => {} };
  };

  const aLoad = (durationMs: number, atEnd: Load["atEnd"], timeoutMs = 3_600_000): GeneratorLoad => {
    const load = anyLoad({ connections: 1, durationMs }, { timeoutMs, atEnd });
    return { ...load, engine: "wire", folder: "", place: { index: 0, of: 1 } };
  };

  /** Runs a load whose common start was so long ago, or is still to come. */
  async function generate(agoMs: number, durationMs: number, atEnd: Load["atEnd"] = "cut"): Promise<LoadRecord> {
    const generator = createGenerator(clients);
    await generator.prepare(aLoad(durationMs, atEnd));
    const running = generator.run(process.hrtime.bigint() - BigInt(agoMs) * 1_000_000n);
    await vi.advanceTimersByTimeAsync(10_000);
    return (await running).record;
  }

  it.each([
    ["however late it was called", 4000, 4020],
    ["from a start that is still to come", -20, 10],
    ["at once", 0, 5],
  ])("ends when the time is over since the common start: %s", async (_, agoMs, durationMs) => {
    const record = await generate(agoMs, durationMs);
    expect(record).toMatchObject({ requests: { sent: 1, inFlight: 1 }, endUs: durationMs * 1000 });
  });

  it("does not end before, though timers ring too early", async () => {
    vi.spyOn(performance, "now").mockImplementation(() => Date.now() * 0.9);
    expect((await generate(0, 50)).endUs).toBeGreaterThanOrEqual(50_000);
  });

  it("has no second beyond the time, though it was called when that was over", async () => {
    const { seconds } = await generate(3000, 2000);
    expect(seconds.at(-1)).toMatchObject({ second: 1 });
  });

  it("sends nothing new from then on when it is to drain, and ends with the last outcome", async () => {
    const record = await generate(0, 50, "drain");
    expect(record).toMatchObject({ requests: { sent: 1, ok: 1, inFlight: 0 } });
    expect(record.endUs).toBeGreaterThanOrEqual(50_000);
  });

  it("waits for what never ends, as a stream of events, no longer than for a request when it drains", async () => {
    const generator = createGenerator((_load, run) => {
      run.enter({ start: () => void (run.take(true) && run.recorder.sent(run.nowUs())), cut: () => 1 });
      return { stop: async () => {} };
    });
    await generator.prepare(aLoad(50, "drain", 2000));
    const running = generator.run(process.hrtime.bigint());
    await vi.advanceTimersByTimeAsync(10_000);
    expect((await running).record).toMatchObject({ requests: { sent: 1, inFlight: 1 }, endUs: 3_050_000 });
  });

  it("tells no second before it has started, however long that is in coming", async () => {
    const generator = createGenerator(clients);
    await generator.prepare(aLoad(3000, "cut"));
    vi.advanceTimersByTime(90_000);
    expect(generator.progress(0)).toMatchObject({ second: undefined });
    const running = generator.run(process.hrtime.bigint());
    await vi.advanceTimersByTimeAsync(10_000);
    const { seconds } = (await running).record;
    expect(seconds.map(({ second, sent }) => [second, sent])).toEqual([
      [0, 1],
      [1, 0],
      [2, 0],
    ]);
  });

  it("closes what it had built for a load that was never sent, when it is given another", async () => {
    const told: string[] = [];
    const generator = createGenerator((_load, run) => {
      run.enter({ start: () => {}, cut: () => told.push("cut") });
      return { stop: async () => void told.push("stop") };
    });
    for (const durationMs of [50, 100]) await generator.prepare(aLoad(durationMs, "cut"));
    expect(told).toEqual(["cut", "stop"]);
  });
});

describe("connections that are opened", () => {
  const counted = () => {
    const run = new LoadRun(new Recorder({ mergeable: false }));
    const users = Array.from({ length: 3 }, () => run.countConnections());
    return { users, opened: () => run.recorder.counts };
  };

  it("are of all users who ever had one, however often, and whether or not the target refused some", () => {
    const { users, opened } = counted();
    for (const user of users) {
      user.failed("ECONNREFUSED");
      user.established();
      user.closed();
      user.established();
      user.closed();
    }
    expect(opened()).toMatchObject({ opened: 3, established: 6 });
  });

  it.each(["EMFILE", "EADDRNOTAVAIL"])("are the most at a time where this machine had no more: %s", (code) => {
    const { users, opened } = counted();
    const [first, second, third] = users;
    first?.established();
    second?.established();
    third?.failed(code);
    first?.closed();
    third?.established();
    expect(opened()).toMatchObject({ opened: 2, established: 3 });
    first?.failed(code);
    second?.closed();
    first?.established();
    expect(opened()).toMatchObject({ opened: 2, established: 4 });
  });
});
