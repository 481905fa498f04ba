import { connectWorker, type ConnectedWorker } from "@lbbench/worker";
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { driveGenerators } from "../../src/engines/generators.js";
import { aCrew } from "../../src/test-support/fixtures.js";
import { aLoad } from "../../src/test-support/load.js";
import { gatherCrew } from "../../src/workers/crew.js";
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

  it("lets a worker refuse users that are not its share, as where one of another make takes part", async () => {
    const over = new AbortController();
    onTestFinished(() => over.abort());
    let ready = 0;
    const gathering = gatherCrew(
      aCrew({ count: 1, listen: { host: "127.0.0.1", port: 0 } }),
      {
        onListening: ({ host, port }, token = "") => {
          const onReady = () => void (ready += 1);
          void runWorker({ host, port }, { token, signal: over.signal, onReady });
          const other = connectWorker(host, port, "other_1", { onReady, onSpawn() {}, onStop() {}, onText() {} });
          onTestFinished(other.leave);
        },
      },
      over.signal,
    );
    const crew = await gathering;
    onTestFinished(crew.close);
    await expect.poll(() => ready).toBe(2);
    const load = aLoad({ connections: 4, durationMs: 1000 });
    const context = { children: crew, folder: "/", signal: over.signal };
    const run = driveGenerators({ engine: "autocannon", shares: [load], asked: load.level }, context);
    await expect(run).rejects.toMatchObject({
      code: "WORKERS_DIFFER",
      message: expect.stringContaining("Locust started 2 users there, its share is 4"),
    });
  });

  it("tells who leaves, and ends the others with the master", async () => {
    const { master, events, workers } = await startBoth();
    await workers[0]?.leave();
    await expect.poll(() => events.at(-1)).toEqual({ event: "gone", worker: "host_a" });
    await master.close();
    expect(await workers[1]?.ended).toBe("quit");
  });
});
