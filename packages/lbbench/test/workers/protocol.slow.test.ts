import { connectWorker, type ConnectedWorker } from "@lbbench/worker";
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { driveGenerators } from "../../src/engines/generators.js";
import type { Load } from "../../src/plugin.js";
import { aCrew } from "../../src/test-support/fixtures.js";
import { aLoad } from "../../src/test-support/load.js";
import { deferred } from "../../src/system/settle.js";
import { gatherCrew, type CrewListeners } from "../../src/workers/crew.js";
import { runWorker } from "../../src/workers/worker.js";
import { startMaster, type MasterEvent } from "../../src/workers/master.js";
import { LOCUSTS } from "../support/locust.js";
import { needs } from "@lbbench/test-support/needs.js";

describe.runIf(needs("locust")).each(LOCUSTS)("the protocol with the $name Locust", ({ python }) => {
  beforeEach(() => void vi.stubEnv("LBBENCH_PYTHON", python));
  afterEach(() => void vi.unstubAllEnvs());

  async function startBoth() {
    const events: MasterEvent[] = [];
    const master = await startMaster("127.0.0.1", 0, (event) => events.push(event), new AbortController().signal);
    onTestFinished(master.close);
    /** What each worker heard. */
    const heard: string[] = [];
    const workers = ["host_a", "host_b"].map((id): ConnectedWorker => {
      const worker = connectWorker("127.0.0.1", master.port, id, {
        onReady: () => heard.push(`${id} ready`),
        onSpawn: (users) => heard.push(`${id} ${users} users`),
        onStop: () => heard.push(`${id} stop`),
        onText: (text) => heard.push(`${id} ${text}`),
      });
      onTestFinished(worker.leave);
      return worker;
    });
    await expect.poll(() => events.filter(({ event }) => event === "ready")).toHaveLength(2);
    return { master, events, heard, workers };
  }

  it("deals out users, carries texts both ways, adds up, and does so again", async () => {
    const { master, events, heard, workers } = await startBoth();
    expect(heard.toSorted()).toEqual(["host_a ready", "host_b ready"]);
    for (const [round, users] of [5, 2].entries()) {
      heard.splice(0);
      master.send("host_b", `load ${round}`);
      master.startUsers(users);
      await expect.poll(() => heard.filter((one) => one.endsWith("users"))).toHaveLength(2);
      expect(heard.toSorted()).toEqual(
        [
          `host_a ${Math.ceil(users / 2)} users`,
          `host_b ${Math.floor(users / 2)} users`,
          `host_b load ${round}`,
        ].toSorted(),
      );
      for (const [index, worker] of workers.entries()) {
        worker.report({ requests: 1000 + index, failures: index, durationMs: 1000 });
        worker.sendText(`report ${round}`);
      }
      const texts = () => events.filter((told) => told.event === "message" && told.data === `report ${round}`);
      await expect.poll(texts).toHaveLength(2);
      expect(await master.stopUsers()).toMatchObject({ requests: 2001, failures: 1 });
      expect(heard.filter((one) => one.endsWith("stop"))).toHaveLength(2);
    }
    expect(events.filter(({ event }) => event !== "ready" && event !== "message")).toEqual([]);
  });

  /** Lets one worker generate a load; `alone`: without another one at the same master, of another make. */
  async function load(engine: "autocannon" | "grpc", asked: Partial<Load>, alone = true) {
    const over = new AbortController();
    onTestFinished(() => over.abort());
    let ready = 0;
    const onReady = () => void (ready += 1);
    const onListening: CrewListeners["onListening"] = ({ host, port }, token = "") => {
      void runWorker({ host, port }, { token, signal: over.signal, onReady });
      if (alone) return;
      const other = connectWorker(host, port, "other_1", { onReady, onSpawn() {}, onStop() {}, onText() {} });
      onTestFinished(other.leave);
    };
    const choice = aCrew({ count: 1, listen: { host: "127.0.0.1", port: 0 } });
    const crew = await gatherCrew(choice, { onListening }, over.signal);
    onTestFinished(crew.close);
    await expect.poll(() => ready).toBe(alone ? 1 : 2);
    const share = aLoad({ connections: 4, durationMs: 1000 }, asked);
    const context = { children: crew, folder: "/", signal: over.signal };
    return driveGenerators({ engine, shares: [share], asked: share.level }, context);
  }

  it("lets a worker refuse users that are not its share, as where one of another make takes part", async () => {
    await expect(load("autocannon", {}, false)).rejects.toMatchObject({
      code: "WORKERS_DIFFER",
      message: expect.stringContaining("Locust started 2 users there, its share is 4"),
    });
  });

  it("tells what a worker's generator cannot do, in the words of that", async () => {
    const options = { proto: "nowhere.proto", call: "a.B/C" };
    const run = load("grpc", { url: "grpc://127.0.0.1:1", options });
    await expect(run).rejects.toThrow(/^The worker \S+ failed: .*nowhere\.proto/);
  });

  it("tells of each who has said something that it leaves, however soon", async () => {
    const { master, events } = await startBoth();
    const ids = Array.from({ length: 10 }, (_, index) => `host_c${index}`);
    for (const id of ids) {
      const ready = deferred<void>();
      const onReady = () => ready.resolve();
      const worker = connectWorker("127.0.0.1", master.port, id, { onReady, onSpawn() {}, onStop() {}, onText() {} });
      await ready.promise;
      worker.sendText("hello");
      await worker.leave();
    }
    const of = (wanted: string) =>
      events.flatMap((told) => (told.event === wanted && ids.includes(told.worker) ? told.worker : []));
    await expect.poll(() => of("gone").toSorted()).toEqual(ids);
    expect(of("message")).toEqual(ids);
    expect(of("ready")).toEqual(ids);
  });
});
