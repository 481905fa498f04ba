import { setImmediate } from "node:timers/promises";
import { expect, it } from "vitest";
import type { ListenAddress } from "../options/options.js";
import { startCrew, type CrewClock } from "./crew.js";
import type { BalancerWorker } from "./worker.js";

const address: ListenAddress = { host: "127.0.0.1", port: 1, url: "http://127.0.0.1:1" };

/** Workers that do nothing and end when they are killed, and a clock of which waiting takes no time. */
function fakes() {
  const started: BalancerWorker[] = [];
  const waits: number[] = [];
  let now = 0;
  const start = (listening: Promise<ListenAddress> = Promise.resolve(address)): BalancerWorker => {
    let end = (): void => undefined;
    const ended = new Promise<void>((resolve) => (end = resolve));
    const kill = async (): Promise<void> => end();
    const call = async (): Promise<never> => Promise.reject(new Error("nothing to call"));
    const worker: BalancerWorker = { pid: 1, listening, state: () => "listening", call, ended, stop: kill, kill };
    started.push(worker);
    return worker;
  };
  const clock: CrewClock = { nowMs: () => now, wait: async (ms) => void waits.push(ms) };
  /** Ends the worker that was started last, after so many ms, and lets everything happen that follows. */
  const killLast = async (afterMs = 0): Promise<void> => {
    now += afterMs;
    await started.at(-1)?.kill();
    await setImmediate();
  };
  return { started, waits, start, clock, killLast };
}

it("replaces one that ends, more and more slowly until one lasts for 5 s", async () => {
  const { started, waits, start, clock, killLast } = fakes();
  const crew = await startCrew(1, start, clock);
  for (const lastedMs of [0, 0, 0, 0, 0, 0, 0, 4999, 5000, 0]) await killLast(lastedMs);
  expect(waits).toEqual([100, 200, 400, 800, 1600, 3200, 5000, 5000, 100, 200]);
  expect(crew.workers()).toEqual(started.slice(-1));
});

it("replaces one that cannot listen, or cannot be started", async () => {
  const { started, waits, start, clock, killLast } = fakes();
  const cannotListen = () => start(Promise.reject(new Error("port in use")));
  const cannotStart = () => {
    throw new Error("no memory");
  };
  const outcomes = [start, cannotListen, cannotStart, start];
  const crew = await startCrew(1, () => (outcomes.shift() ?? start)(), clock);
  await killLast();
  await setImmediate();
  expect(waits).toEqual([100, 200, 400]);
  expect(started).toHaveLength(3);
  expect(crew.workers()).toEqual(started.slice(-1));
});
