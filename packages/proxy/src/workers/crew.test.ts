import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { ListenAddress } from "../options/options.js";
import { startCrew } from "./crew.js";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const address: ListenAddress = { host: "127.0.0.1", port: 1, url: "http://127.0.0.1:1" };

/** Workers that do nothing and end when they are killed. */
function fakes() {
  const started: { readonly kill: () => Promise<void> }[] = [];
  const start = (listening: Promise<ListenAddress> = Promise.resolve(address)) => {
    let end = (): void => undefined;
    const ended = new Promise<void>((resolve) => (end = resolve));
    const worker = { listening, ended, kill: async () => end() };
    started.push(worker);
    return worker;
  };
  /** Resolves with how long it takes until the next attempt to start one. */
  const waited = async (): Promise<number> => {
    await vi.advanceTimersByTimeAsync(0);
    const before = performance.now();
    await vi.advanceTimersToNextTimerAsync();
    return performance.now() - before;
  };
  /** Ends the worker that was started last when it has lasted for so long; resolves with how long it takes to replace it. */
  const killLast = async (lastedMs: number): Promise<number> => {
    await vi.advanceTimersByTimeAsync(lastedMs);
    await started.at(-1)?.kill();
    return waited();
  };
  return { started, start, waited, killLast };
}

it("replaces one that ends, more and more slowly until one lasts for 5 s, and none after it was dismissed", async () => {
  const { started, start, killLast } = fakes();
  const crew = await startCrew(1, start);
  const waits: number[] = [];
  for (const lastedMs of [0, 0, 0, 0, 0, 0, 0, 4999, 5000, 0]) waits.push(await killLast(lastedMs));
  expect(waits).toEqual([100, 200, 400, 800, 1600, 3200, 5000, 5000, 100, 200]);
  expect(crew.workers()).toEqual(started.slice(-1));
  await started.at(-1)?.kill();
  await vi.advanceTimersByTimeAsync(0);
  expect(vi.getTimerCount()).toBe(1);
  crew.dismiss();
  expect([vi.getTimerCount(), crew.workers()]).toEqual([0, []]);
});

it("replaces one that cannot listen, or cannot be started", async () => {
  const { started, start, waited, killLast } = fakes();
  const cannotListen = () => start(Promise.reject(new Error("port in use")));
  const cannotStart = () => {
    throw new Error("no memory");
  };
  const outcomes = [start, cannotListen, cannotStart, start];
  const crew = await startCrew(1, () => (outcomes.shift() ?? start)());
  expect([await killLast(0), await waited(), await waited()]).toEqual([100, 200, 400]);
  expect(started).toHaveLength(3);
  expect(crew.workers()).toEqual(started.slice(-1));
});
