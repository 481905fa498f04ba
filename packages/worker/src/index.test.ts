import { setImmediate as turn } from "node:timers/promises";
import { promisify } from "node:util";
import { decode, encode } from "@msgpack/msgpack";
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { Router } from "zeromq";
import { connectWorker } from "./index.js";

beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] }));
afterEach(() => void vi.useRealTimers());

const moment = promisify(setTimeout);
const pass = (ms: number): void => void vi.advanceTimersByTime(ms);
/** Waits without passing time, as `expect.poll` would. */
const until = async (isSo: () => boolean): Promise<void> => {
  while (!isSo()) await turn();
};

type Message = readonly [type: string, data: unknown, worker: string];

/** The worker `host_1` at a master that says what the test says, with what it has sent and told. */
async function begin({ isReady = true } = {}) {
  const master = new Router();
  await master.bind("tcp://127.0.0.1:*");
  const joined = new Promise((resolve) => master.events.on("handshake", resolve));
  const sent: Message[] = [];
  void (async () => {
    for await (const [, frame] of master) sent.push(decode(frame as Buffer) as Message);
  })();
  const told: string[] = [];
  const worker = connectWorker("127.0.0.1", Number(master.lastEndpoint?.split(":").at(-1)), "host_1", {
    onReady: () => told.push("ready"),
    onSpawn: (users) => told.push(`${users} users`),
    onStop: () => told.push("stop"),
    onText: (text) => told.push(text),
  });
  void worker.ended.then((why) => told.push(`end: ${why}`));
  onTestFinished(async () => {
    await worker.leave();
    master.close();
  });
  const say = async (type: string, data: unknown = null): Promise<void> =>
    master.send(["host_1", encode([type, data, "host_1"])]);
  /** What it has told since the last time, when it has told something. */
  const takeTold = async (): Promise<readonly string[]> => {
    await say("lbbench", "so far");
    await until(() => told.includes("so far") || (told.at(-1) ?? "").startsWith("end"));
    return told.splice(0).filter((one) => one !== "so far");
  };
  /** What it has sent since the last time, when the master has all of that. */
  const takeSent = async (): Promise<readonly Message[]> => {
    worker.sendText("so far");
    await until(() => sent.at(-1)?.[1] === "so far");
    return sent.splice(0).slice(0, -1);
  };
  // Greetings that cannot be sent yet are dropped, and five minutes of them are too many.
  await joined;
  for (; sent.length === 0; await moment(5)) pass(100);
  if (isReady) {
    await say("ack", { index: 0 });
    await takeTold();
  }
  await takeSent();
  return { worker, say, takeTold, takeSent };
}

const spawn = (timestamp: number, users: number) => ({ timestamp, user_classes_count: { LbbenchUser: users } });

describe("a worker at Locust's master", () => {
  it("greets until the master answers, as a worker of another make", async () => {
    const { say, takeTold, takeSent } = await begin({ isReady: false });
    pass(300);
    expect(await takeSent()).toEqual(Array.from({ length: 3 }, () => ["client_ready", -1, "host_1"]));
    for (const _ of [1, 2]) await say("ack");
    expect(await takeTold()).toEqual(["ready"]);
    pass(100);
    expect(await takeSent()).toMatchObject([["heartbeat", { state: "ready" }, "host_1"]]);
  });

  it("starts users, reports them, and is ready again when they are stopped", async () => {
    const { worker, say, takeTold, takeSent } = await begin();
    await say("spawn", spawn(5, 3));
    expect(await takeTold()).toEqual(["3 users"]);
    expect(await takeSent()).toEqual([
      ["spawning", null, "host_1"],
      ["spawning_complete", { user_classes_count: { LbbenchUser: 3 }, user_count: 3 }, "host_1"],
    ]);
    pass(100);
    const used = { current_cpu_usage: expect.any(Number), current_memory_usage: expect.any(Number) };
    expect(await takeSent()).toEqual([["heartbeat", { state: "running", ...used }, "host_1"]]);
    worker.report({ requests: 10, failures: 2, durationMs: 1000 });
    const [none, sum] = [
      { user_classes_count: { LbbenchUser: 0 }, user_count: 0 },
      { num_requests: 10, num_failures: 2 },
    ];
    expect(await takeSent()).toMatchObject([["stats", { stats: [sum], stats_total: sum, ...none }, "host_1"]]);
    await say("stop");
    expect(await takeTold()).toEqual(["stop"]);
    expect((await takeSent()).map(([type]) => type)).toEqual(["client_stopped", "client_ready"]);
  });

  it("does not start users twice where Locust says the same again", async () => {
    const { say, takeTold } = await begin();
    for (const at of [5, 5, 4, 6]) await say("spawn", spawn(at, at));
    expect(await takeTold()).toEqual(["5 users", "6 users"]);
  });

  it("carries texts, and does not mind what it does not know", async () => {
    const { worker, say, takeTold, takeSent } = await begin();
    worker.sendText("up");
    for (const data of [null, "down"]) await say("lbbench", data);
    for (const type of ["heartbeat", "new in 3.0"]) await say(type, {});
    for (const data of [null, 3, {}, { timestamp: 1, user_classes_count: null }]) await say("spawn", data);
    expect(await takeTold()).toEqual(["down"]);
    expect(await takeSent()).toEqual([["lbbench", "up", "host_1"]]);
  });

  it.each([
    ["says so", "quit", async ({ say }: Begun) => say("quit")],
    ["is silent for ten seconds", "silent", async () => pass(1000)],
  ])("is over for good when the master %s", async (_, why, happen) => {
    const begun = await begin();
    pass(9999);
    expect((await begun.takeSent()).map(([type]) => type)).toEqual(Array.from({ length: 10 }, () => "heartbeat"));
    await happen(begun);
    await begun.say("spawn", spawn(5, 1));
    expect(await begun.takeTold()).toEqual([`end: ${why}`]);
    begun.worker.sendText("up");
    pass(20_000);
    expect(await begun.worker.ended).toBe(why);
  });

  it("waits five minutes for a master that does not answer", async () => {
    const startMs = performance.now();
    const { worker, takeSent } = await begin({ isReady: false });
    const leftMs = startMs + 299_900 - performance.now();
    for (const part of Array<number>(10).fill(leftMs / 10)) {
      pass(part);
      expect((await takeSent()).length).toBeGreaterThan(200);
    }
    pass(100);
    expect(await worker.ended).toBe("unanswered");
  });
});

type Begun = Awaited<ReturnType<typeof begin>>;
