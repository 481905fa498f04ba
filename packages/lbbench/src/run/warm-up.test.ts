import { describe, expect, it } from "vitest";
import { seededRandom } from "../stats/seeded-random.js";
import { addNoise } from "../stats/test-support/simulated-trials.js";
import { aMeasurement, anEnvironment } from "../test-support/fixtures.js";
import { aLoad } from "../test-support/load.js";
import type { EngineRun, Load } from "../plugin.js";
import { isSteady, needsGenerator, warmUp, type WarmUpInput } from "./warm-up.js";

it.each<[boolean, readonly number[]]>([
  [false, []],
  [false, [100]],
  [true, [100, 100]],
  [true, [100, 104, 97, 101]],
  [false, [2900, 5000]],
  [false, [2900, 5000, 7900]],
  [false, [2900, 5000, 7900, 9000]],
  [false, [2900, 5000, 7900, 9000, 9700]],
  [false, [100, 100, 80, 80]],
  [true, [10, 20, 30, ...Array.from({ length: 4 }, () => [99, 100, 101, 100]).flat()]],
  [false, [0, 0]],
])("%s: throughput is steady after %j", (expected, slices) => {
  expect(isSteady(slices)).toBe(expected);
});

it("is steady where throughput falls, if that is as good as none", () => {
  expect(isSteady([100, 100, 80, 80], true)).toBe(true);
  expect(isSteady([80, 80, 100, 100], true)).toBe(false);
});

describe("of a thousand simulated warm-ups", () => {
  const MOST = 60;
  const PER_SECOND = 4;
  /** Per second: a third of the end after one second, nine tenths after seven and a half. */
  const rising = (second: number): number => 9800 - 8300 * Math.exp(-second / 3.4);

  /** After how many seconds each is taken for steady, in order: it is asked after the first and twice a second from then on. */
  function stops(throughput: (second: number) => number, noise: number): readonly number[] {
    const draw = seededRandom(1);
    const stop = (): number => {
      const slices: number[] = [];
      const isAsked = (): boolean => slices.length >= PER_SECOND && slices.length % 2 === 0;
      while (slices.length < MOST && !(isAsked() && isSteady(slices))) {
        slices.push(addNoise(draw, throughput((slices.length + 0.5) / PER_SECOND), noise));
      }
      return slices.length / PER_SECOND;
    };
    return Array.from({ length: 1000 }, stop).toSorted((a, b) => a - b);
  }

  // Of slices of half a second the noise is 2, 5 and 10 %.
  it.each([
    [0.028, [1, 1], 0],
    [0.07, [1, 1.5], 5],
    [0.14, [1, 1.5], 120],
  ])(
    "with noise of %d half and nine in ten of a constant are steady after %j seconds, and few of a rise too early",
    (noise, seconds, most) => {
      const constant = stops(() => 1000, noise);
      expect([constant[499], constant[899]]).toEqual(seconds);
      expect(stops(rising, noise).filter((second) => rising(second) < 0.85 * 9800).length).toBeLessThanOrEqual(most);
    },
  );
});

const generator = (cpu: number) => ({ pid: 1, name: "generator-1", cpu, rssBytes: 0 });

it.each([
  ["a generator at its limit", [generator(0.97)], { machine: 0.5 }, true],
  ["one that is not", [generator(0.6)], { machine: 0.5 }, false],
  ["a machine whose cores are all taken", [generator(0.97)], { machine: 0.8 }, false],
  ["a machine that the host takes away", [generator(0.97)], { machine: 0.5, steal: 0.6 }, false],
  ["eight of them", Array.from({ length: 8 }, () => generator(0.97)), { machine: 0.5 }, false],
])("with %s and four cores another generator is needed: %4$s", (_, generators, shares, expected) => {
  expect(needsGenerator(generators, shares, { windowMs: 500, cores: 4 })).toBe(expected);
});

describe("a warm-up", () => {
  const LOAD = aLoad({ connections: 10, requests: 100 });
  const run = (ok: number, more: Partial<EngineRun> = {}): EngineRun => ({
    measurement: aMeasurement({ elapsedMs: 500, requests: { sent: ok, ok } }),
    generators: [generator(0.1)],
    targetGone: false,
    ...more,
  });

  /** Warms up a target of which each slice sees what is given, the last one for ever; with the loads that were sent. */
  async function warmedUp(runs: readonly EngineRun[], input: Partial<WarmUpInput> = {}) {
    const loads: Load[] = [];
    const warmed = await warmUp({
      load: LOAD,
      scenario: { warmupMs: "auto", keepAlive: true },
      environment: anEnvironment(),
      mayAddGenerators: false,
      isFresh: true,
      throughput: 0,
      signal: new AbortController().signal,
      readMachine: () => ({ busy: 0, idle: 0 }),
      run: async (load) => {
        loads.push(load);
        return runs[loads.length - 1] ?? runs.at(-1) ?? run(0);
      },
      ...input,
    });
    return { ...warmed, loads };
  }

  it("goes on in runs that end in peace until throughput is steady", async () => {
    const { warmup, loads } = await warmedUp([run(250), run(290), run(300)]);
    expect(warmup).toEqual({ durationMs: 2000, steady: true });
    expect(loads[0]).toMatchObject({ level: { connections: 10, durationMs: 1000 }, atEnd: "drain" });
    expect(loads[1]).toMatchObject({ level: { connections: 10, durationMs: 500 }, atEnd: "drain" });
    expect(loads[0]?.level).not.toHaveProperty("requests");
  });

  it("of a target that is warm is one short run, and more only while the generators are the limit", async () => {
    const short = await warmedUp([run(250)], { isFresh: false });
    expect(short.warmup).toEqual({ durationMs: 500, steady: null });
    const brief = await warmedUp([run(250)], { isFresh: false, scenario: { warmupMs: 100, keepAlive: true } });
    expect(brief.loads.map(({ level }) => level.durationMs)).toEqual([100]);
    const busy = run(250, { generators: [generator(0.97)] });
    const idle = run(250, { generators: [generator(0.5), generator(0.5)] });
    const choosing = { isFresh: false, mayAddGenerators: true, environment: anEnvironment({ cores: 4 }) };
    const chosen = await warmedUp([busy, busy, idle], choosing);
    expect(chosen.loads.map(({ generators }) => generators)).toEqual([1, 1, 2]);
    expect(chosen.generators).toBe(2);
  });

  /** Warms up with runs, `100 90 | 100`, of which each tells so many answers per quarter of a second, then drains for so long. */
  async function toldWarmUp(answers: string, drainMs: number, connections: number, throughput: number) {
    const told = answers.split(" | ").map((slices) => slices.split(" ").map(Number));
    const lengths: number[] = [];
    const { warmup } = await warmedUp([], {
      load: { ...LOAD, level: { connections } },
      throughput,
      run: async ({ level: { durationMs = 0 } }, onProgress) => {
        const slices = told[lengths.length] ?? told.at(-1) ?? [];
        lengths.push(durationMs);
        const sent = slices.reduce((sum, count) => sum + count, 0);
        let done = 0;
        for (const [index, count] of slices.entries()) {
          done += count;
          onProgress({ sent, done, elapsedMs: (index + 1) * 250 });
        }
        const requests = { sent: done, ok: done };
        return run(0, { measurement: aMeasurement({ elapsedMs: durationMs + drainMs, requests }) });
      },
    });
    return { lengths, steady: warmup?.steady };
  }

  const HALVES = Array.from({ length: 8 }, () => 500);

  it.each<[string, string, number, number, number, readonly number[]]>([
    ["one run that is steady from the beginning", "100 102 98 101", 0, 10, 800, [1000]],
    ["more runs of one that rises", "20 40 60 80 | 90 95 | 99 100 | 100 100", 0, 10, 0, [1000, ...HALVES]],
    ["nothing of the time before the first answers", "0 0 0 40 100 101 99 100 60", 1750, 500, 1000, [850]],
    ["what comes while requests drain, but not late ones", "60 100 100 101 99 1 1", 1260, 500, 1000, [850]],
    ["what comes while requests drain, but not the last of it", "60 100 100 101 99", 760, 500, 1000, [850]],
    ["nothing of what comes while many connections are opened", "10 20 99 100 101 100", 600, 2000, 4000, [1150]],
    [
      "less than sixteen slices of many connections, whose runs have few: what was slow at first is forgotten in four seconds",
      "30 45 60 80 90 | 90 95 | 97 98 | 100 100",
      0,
      500,
      0,
      [1350, ...HALVES],
    ],
  ])("sees by its slices, of %s", async (_, answers, drainMs, connections, throughput, lengths) => {
    expect(await toldWarmUp(answers, drainMs, connections, throughput)).toEqual({ lengths, steady: true });
  });

  const RISING = Array.from({ length: 40 }, (_, index) => run(10 * 1.2 ** index));
  const FALLING = Array.from({ length: 40 }, (_, index) => run(1000 * 0.8 ** index));
  const DRAINING = [run(100, { measurement: aMeasurement({ elapsedMs: 5000, requests: { sent: 100, ok: 100 } }) })];
  const FEW_PORTS = { environment: anEnvironment({ portRange: [40_000, 40_099] }) };
  const network = {
    tcpTwReuse: 2,
    tcpTwReuseDelayMs: 1000,
    tcpTimestamps: true,
    ephemeralPorts: 100,
    somaxconn: null,
    tcpMaxSynBacklog: null,
  };
  const SHORT_REST = { environment: anEnvironment({ network }) };
  const elsewhere = { ...LOAD, url: "http://shop.test/", connectTo: "127.0.0.1:9" };

  it.each<[string, readonly EngineRun[], Partial<WarmUpInput>, number, boolean | null]>([
    ["a second at least, and two runs of an engine that tells no progress", [run(100)], {}, 1500, true],
    ["two runs, however long each of them drains", DRAINING, {}, 10_000, true],
    ["fifteen seconds at most", RISING, {}, 15_000, false],
    ["three seconds of what then gets no faster", FALLING, {}, 3000, true],
    ["no longer than something answers", [run(0)], {}, 1000, false],
    ["no longer than the engine has hope", [run(9, { targetGone: true })], {}, 1000, false],
    ["no longer than it is wanted", [run(100)], { signal: AbortSignal.abort() }, 1000, false],
    ["no longer than half of the ports last", RISING, FEW_PORTS, 3000, false],
    ["as long as it needs where ports rest for a second", RISING, { ...SHORT_REST, load: elsewhere }, 15_000, false],
    ["the time that it is given", [run(100)], { scenario: { warmupMs: 700, keepAlive: true } }, 700, null],
    ["longer runs with 5,000 connections", [run(100)], { load: { ...LOAD, level: { connections: 5000 } } }, 3250, true],
  ])("takes %s", async (_, runs, input, durationMs, steady) => {
    expect((await warmedUp(runs, input)).warmup).toEqual({ durationMs, steady });
  });

  it("does nothing when it is to take no time", async () => {
    const { warmup, loads } = await warmedUp([], { scenario: { warmupMs: 0, keepAlive: true } });
    expect([warmup, loads]).toEqual([undefined, []]);
  });

  it("is of the first users of a ramp, and goes by latency at a rate", async () => {
    const ramp = { from: 3, riseMs: 100, steps: 4 };
    const { loads } = await warmedUp([run(100)], { load: { ...LOAD, level: { users: 50, durationMs: 9 }, ramp } });
    const first = { users: 3, durationMs: 1000 };
    expect(loads[0]).toMatchObject({ level: first, ramp: { from: 3, riseMs: 0, steps: null } });
    const falling = [12, 10].map((mean) =>
      run(100, { measurement: aMeasurement({ elapsedMs: 500, latency: { mean } }) }),
    );
    const rate = await warmedUp(falling, { load: { ...LOAD, level: { rate: 200 } } });
    expect(rate.warmup).toEqual({ durationMs: 2000, steady: true });
  });

  it("splits the load over one process more when those that send it were at their limit twice", async () => {
    const busy = (count: number) => run(100, { generators: Array.from({ length: count }, () => generator(0.97)) });
    const input = { mayAddGenerators: true, readMachine: () => ({ busy: 0, idle: 0 }) };
    const calm = (ok: number) => run(ok, { generators: [generator(0.5), generator(0.5)] });
    const runs = [busy(1), busy(1), busy(2), calm(150), busy(2), calm(200), calm(200)];
    const { generators, loads } = await warmedUp(runs, input);
    expect(generators).toBe(2);
    expect(loads.map((load) => load.generators).slice(0, 4)).toEqual([1, 1, 2, 2]);
    expect((await warmedUp([busy(1)], { mayAddGenerators: false })).generators).toBe(1);
    // What cannot be split is not.
    expect((await warmedUp([busy(1)], input)).generators).toBe(1);
    // Eight are the most.
    expect((await warmedUp([1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7, 8, 8].map(busy), input)).generators).toBe(8);
  });
});
