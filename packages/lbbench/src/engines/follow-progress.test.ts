import { describe, expect, it } from "vitest";
import type { LoadProgress } from "../plugin.js";
import type { GeneratorProgress } from "./generator.js";
import { followProgress } from "./follow-progress.js";
import { mergeRecords } from "./merge-records.js";
import { createRecorder, type Recorder } from "./recorder.js";

const SECOND_US = 1_000_000;
const SECOND_MS = 1000;

/** Generators that are followed by a clock that a test sets. */
function follow(recorders: readonly Recorder[], areUsersTold = false) {
  let nowMs = 0;
  const asked: (number | undefined)[] = [];
  const ask = async (second?: number): Promise<readonly GeneratorProgress[]> => {
    asked.push(second);
    return recorders.map((recorder) => {
      const read = second === undefined ? undefined : recorder.readSecond(second);
      return { ...recorder.counts(), ...(read === undefined ? {} : { second: read }) };
    });
  };
  const progress = followProgress({ ask, elapsedMs: () => nowMs, areUsersTold });
  const at = (ms: number): Promise<LoadProgress> => {
    nowMs = ms;
    return progress();
  };
  return { at, asked };
}

/** Enters a request that is answered after so many microseconds. */
function answer(recorder: Recorder, sentUs: number, tookUs: number): void {
  recorder.sent(sentUs);
  recorder.ok(sentUs, sentUs + tookUs, 200);
}

describe("followProgress", () => {
  it("adds up what all generators have sent and what became of it", async () => {
    const recorders = [createRecorder(true), createRecorder(true)];
    for (const recorder of recorders) {
      answer(recorder, 10, 500);
      recorder.sent(600);
      recorder.failed("resets", 600, 900, {});
      recorder.sent(1000);
    }
    expect(await follow(recorders).at(100)).toEqual({ sent: 6, done: 4, failed: 2, elapsedMs: 100 });
  });

  it("tells a second as the timeline has it in the end: percentiles are of all requests together", async () => {
    const [fast, slow] = [createRecorder(true), createRecorder(true)];
    for (let count = 0; count < 90; count += 1) answer(fast, count, 1000);
    for (let count = 0; count < 10; count += 1) answer(slow, count, 100_000);
    slow.sent(500_000);
    slow.failed("timedOut", 500_000, 600_000, {});
    const { latest } = await follow([fast, slow]).at(SECOND_MS);
    for (const recorder of [fast, slow]) answer(recorder, SECOND_US + 5, 300);
    const { timeline } = mergeRecords([fast.finish(0, null), slow.finish(0, null)], { connections: 2 }, new Date(0));
    expect(latest).toEqual(timeline[0]);
    expect(latest).toMatchObject({ second: 0, sent: 101, ok: 100, failed: 1, p50: 1, max: 100 });
    // 1 ms and 100 ms averaged would be neither.
    expect(latest?.p99).toBeCloseTo(100, 0);
  });

  it("tells a second until the next is over, also where nothing happens any more", async () => {
    const recorder = createRecorder(false);
    answer(recorder, 10, 500);
    const { at } = follow([recorder]);
    expect((await at(999)).latest).toBeUndefined();
    expect((await at(1000)).latest).toMatchObject({ second: 0, ok: 1 });
    expect((await at(1999)).latest).toMatchObject({ second: 0, ok: 1 });
    expect((await at(2000)).latest).toMatchObject({ second: 1, sent: 0, ok: 0, p99: null });
  });

  it("asks for each second once", async () => {
    const { at, asked } = follow([createRecorder(false)]);
    for (const ms of [250, 1000, 1250, 1999, 2001]) await at(ms);
    expect(asked).toEqual([undefined, 0, undefined, undefined, 1]);
  });

  it("leaves no second out when it comes late", async () => {
    const recorder = createRecorder(false);
    for (let second = 0; second < 4; second += 1) answer(recorder, second * SECOND_US, 500 + second);
    const { at } = follow([recorder]);
    const seconds = [await at(3100), await at(3350), await at(3600)].map(({ latest }) => [latest?.second, latest?.p50]);
    expect(seconds).toEqual([
      [0, 0.5],
      [1, 0.501],
      [2, 0.502],
    ]);
  });

  it("goes on with the others when one generator has ended", async () => {
    const [ended, going] = [createRecorder(true), createRecorder(true)];
    answer(ended, 10, 500);
    ended.finish(0, null);
    answer(going, 10, 500);
    answer(going, SECOND_US + 10, 700);
    const { at } = follow([ended, going]);
    expect((await at(SECOND_MS)).latest).toMatchObject({ second: 0, ok: 2 });
    expect((await at(2 * SECOND_MS)).latest).toMatchObject({ second: 1, ok: 1, p50: 0.7 });
  });

  it("has nothing new to tell when all have ended", async () => {
    const recorder = createRecorder(true);
    answer(recorder, 10, 500);
    recorder.finish(0, null);
    const { at } = follow([recorder]);
    expect((await at(SECOND_MS)).latest).toMatchObject({ second: 0 });
    expect((await at(5 * SECOND_MS)).latest).toMatchObject({ second: 0 });
  });

  it("does not tell the last second of a load that is cut while anything may still be counted in it", async () => {
    const [cut, going] = [1, 2].map(() => createRecorder(true, undefined, 2000)) as [Recorder, Recorder];
    for (const recorder of [cut, going]) answer(recorder, 1_500_000, 500);
    const { at } = follow([cut, going]);
    await at(1000);
    cut.finish(0, 2_000_500);
    expect((await at(2001)).latest).toMatchObject({ second: 0 });
  });

  it("tells the users of a ramp", async () => {
    const recorders = [createRecorder(true), createRecorder(true)];
    for (const recorder of recorders) recorder.userStarted(900_000);
    expect((await follow(recorders, true).at(SECOND_MS)).latest).toMatchObject({ users: 2 });
    expect((await follow(recorders, false).at(SECOND_MS)).latest).not.toHaveProperty("users");
  });
});
