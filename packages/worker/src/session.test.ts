import { describe, expect, it } from "vitest";
import { createSession, PATIENCE_MS, SILENCE_MS, type Message } from "./session.js";

/** A session of the worker `host_1` that began at 0, with what it has sent and told. */
function begin({ isReady = true } = {}) {
  const sent: Message[] = [];
  const told: string[] = [];
  const session = createSession("host_1", 0, {
    send: (message) => sent.push(message),
    onReady: () => told.push("ready"),
    onSpawn: (users) => told.push(`${users} users`),
    onStop: () => told.push("stop"),
    onText: (text) => told.push(text),
    onEnd: (why) => told.push(`end: ${why}`),
  });
  const hear = (type: string, data: unknown = null, nowMs = 0): void => session.receive([type, data, "host_1"], nowMs);
  if (isReady) {
    session.greet();
    hear("ack", { index: 0 });
    sent.splice(0);
    told.splice(0);
  }
  const takeTypes = (): readonly string[] => sent.splice(0).map(([type]) => type);
  return { session, sent, told, hear, takeTypes };
}

const spawn = (timestamp: number, users: number) => ({ timestamp, user_classes_count: { LbbenchUser: users } });

describe("a worker's session with Locust's master", () => {
  it("greets until the master answers, as a worker of another make", () => {
    const { session, sent, told, hear } = begin({ isReady: false });
    session.greet();
    session.greet();
    expect(sent).toEqual(Array.from({ length: 2 }, () => ["client_ready", -1, "host_1"]));
    hear("ack");
    hear("ack");
    session.greet();
    expect(sent).toHaveLength(2);
    expect(told).toEqual(["ready"]);
  });

  it("starts users, reports them, and is ready again when they are stopped", () => {
    const { session, sent, told, hear, takeTypes } = begin();
    hear("spawn", spawn(5, 3));
    expect(sent.splice(0)).toEqual([
      ["spawning", null, "host_1"],
      ["spawning_complete", { user_classes_count: { LbbenchUser: 3 }, user_count: 3 }, "host_1"],
    ]);
    session.tick(1000, 7);
    expect(sent.splice(0)).toMatchObject([["heartbeat", { state: "running", current_cpu_usage: 7 }, "host_1"]]);
    session.report({ requests: 10, failures: 2, durationMs: 1000 });
    const [[type, stats] = []] = sent.splice(0);
    expect(type).toBe("stats");
    const none = { user_classes_count: { LbbenchUser: 0 }, user_count: 0 };
    expect(stats).toMatchObject({ stats_total: { num_requests: 10, num_failures: 2 }, ...none });
    hear("stop");
    expect(takeTypes()).toEqual(["client_stopped", "client_ready"]);
    expect(told).toEqual(["3 users", "stop"]);
  });

  it("does not start users twice where Locust says the same again", () => {
    const { told, hear } = begin();
    for (const at of [5, 5, 4, 6]) hear("spawn", spawn(at, at));
    expect(told).toEqual(["5 users", "6 users"]);
  });

  it("carries texts, and does not mind what it does not know", () => {
    const { session, sent, told, hear } = begin();
    session.sendText("up");
    for (const [type, data] of [
      ["lbbench", "down"],
      ["lbbench", null],
      ["heartbeat", null],
      ["new in 3.0", {}],
    ] as const) {
      hear(type, data);
    }
    expect(sent).toEqual([["lbbench", "up", "host_1"]]);
    expect(told).toEqual(["down"]);
  });

  it.each([
    ["quit", (it: ReturnType<typeof begin>) => it.hear("quit")],
    ["silent", (it: ReturnType<typeof begin>) => it.session.tick(SILENCE_MS, 0)],
  ])("is over for good when the master is: %s", (why, happen) => {
    const begun = begin();
    begun.session.tick(SILENCE_MS - 1, 0);
    expect(begun.told).toEqual([]);
    happen(begun);
    begun.hear("spawn", spawn(5, 1));
    begun.session.tick(2 * SILENCE_MS, 0);
    begun.session.sendText("up");
    expect(begun.told).toEqual([`end: ${why}`]);
    expect(begun.takeTypes()).toEqual(["heartbeat"]);
  });

  it("waits longer for a master that is not there yet", () => {
    const { session, told } = begin({ isReady: false });
    session.tick(PATIENCE_MS - 1, 0);
    expect(told).toEqual([]);
    session.tick(PATIENCE_MS, 0);
    expect(told).toEqual(["end: unanswered"]);
  });
});
