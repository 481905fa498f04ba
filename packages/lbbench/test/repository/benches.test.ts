import { describe, expect, it } from "vitest";
import { loadModule } from "@lbbench/test-support/repository.js";

interface Row {
  readonly title: string;
  readonly rounds: number;
  readonly count?: number;
  readonly reached?: boolean;
}

type Parts = Readonly<Record<"within" | "ratio" | "ratioBetween" | "neighbours" | "halves", number>> & {
  readonly designs: readonly { readonly error: number }[];
};

type Rounds = readonly object[];

const { CASES, progressOf, renderAlarms, roundsThatCount, sayAlarms, tally, wilson } = await loadModule<{
  readonly CASES: Readonly<Record<string, { readonly method: number }>>;
  readonly progressOf: (name: string, rounds: Rounds) => number;
  readonly renderAlarms: (rounds: Rounds) => string;
  readonly sayAlarms: (rounds: Rounds) => string;
  readonly roundsThatCount: (rounds: Rounds) => Rounds;
  readonly tally: (rounds: Rounds) => readonly Row[];
  readonly wilson: (successes: number, of: number) => { readonly low: number; readonly high: number } | undefined;
}>("bench/alarms/tally.mjs");
const { takeNoiseApart } = await loadModule<{
  readonly takeNoiseApart: (windows: readonly object[]) => readonly Parts[];
}>("bench/noise-parts.mjs");

const times = <Item>(count: number, make: (index: number) => Item): readonly Item[] =>
  Array.from({ length: count }, (_, index) => make(index));

function round(name: string, said: object = {}): object {
  const verdict = { method: CASES[name]?.method ?? 0, case: name, overall: "~", levels: [], status: "inconclusive" };
  const figures = { date: "2026-01-02T03:04:05Z", commit: "abc", cores: 2, cpu: "a processor", steal: 0, seconds: 50 };
  return { ...verdict, ...figures, ...said };
}

function rowOf(title: RegExp, rounds: Rounds): Row | undefined {
  return tally(rounds).find((row) => title.test(row.title));
}

describe("the bench of false alarms", () => {
  it.each([
    [3, 60, 0.0171, 0.137],
    [0, 60, 0, 0.0602],
    [60, 60, 0.9398, 1],
  ])("has the interval of Wilson: %d of %d", (count, of, low, high) => {
    const interval = wilson(count, of);
    expect(interval?.low).toBeCloseTo(low, 3);
    expect(interval?.high).toBeCloseTo(high, 3);
    expect(wilson(0, 0)).toBeUndefined();
  });

  it.each([
    ["at most 3 of 60", 3, 60, true],
    ["4 of 60", 4, 60, false],
    ["4 of the first 20, which no further round mends", 4, 20, false],
    ["none of the first 59, which are too few", 0, 59, undefined],
  ])("counts what is said of equal targets: %s", (_, alarms, all, reached) => {
    const rounds = times(all, (index) =>
      round(index % 2 === 0 ? "equal-20us" : "equal-1ms", index < alarms ? { overall: "slower" } : {}),
    );
    expect(rowOf(/^equal targets: `sweep` says/, rounds)).toMatchObject({ rounds: all, count: alarms, reached });
  });

  it.each([
    ["48 of 60", 48, 60, true],
    ["47 of 60", 47, 60, false],
    ["none of the first 13, which no further round mends", 0, 13, false],
    ["none of the first 12", 0, 12, undefined],
  ])("counts how often more work is found, and not what calls it faster: %s", (_, found, all, reached) => {
    const rounds = times(all, (index) => round("slower", { overall: index < found ? "slower" : "faster" }));
    expect(rowOf(/^10 % more work a request: `sweep --trials auto/, rounds)).toMatchObject({
      rounds: all,
      count: found,
      reached,
    });
  });

  it("tells the reader of the README every comparison in which equal targets were told apart, overall or at one level", () => {
    const said = [{}, { overall: "slower" }, { levels: ["p99 slower at 50"] }, { levels: ["p50 faster at 1"] }];
    const rounds = [...said.map((one) => round("equal-1ms", one)), round("slower", { overall: "slower" })];
    expect(sayAlarms(rounds)).toBe(
      "Of 4 comparisons of equal servers 3 were wrong, and of 1 with 10 % more work 1 were found.",
    );
  });

  it("judges the time by its median, when all rounds are there", () => {
    const rounds = times(60, (index) => round("slower", { seconds: index < 31 ? 80 : 1000 }));
    expect(rowOf(/time until/, rounds)?.reached).toBe(true);
    expect(rowOf(/time until/, rounds.slice(0, 59))?.reached).toBeUndefined();
  });

  it("leaves out rounds of another method, and asks for more where one has none before it to be compared with", () => {
    expect(
      roundsThatCount([round("slower", { method: (CASES["slower"]?.method ?? 0) - 1 }), round("slower")]),
    ).toHaveLength(1);
    const rounds = times(30, (index) => round("equal-1ms", index === 0 ? {} : { compared: "pass" }));
    expect(progressOf("equal-1ms", rounds)).toBeLessThan(1);
    expect(progressOf("equal-1ms", [...rounds, round("equal-1ms", { compared: "pass" })])).toBe(1);
  });

  it("says in the table how many rounds another machine disturbed", () => {
    const text = renderAlarms([round("slower", { steal: 0.06 }), round("slower", { overall: "slower" })]);
    expect(text).toMatch(
      /\| 10 % more work a request: `sweep --trials auto -c 1,5,10,20,50,100` says slower, overall *\| +2 \| +1 \| +50 % \(9\.5 % to 90\.5 %\) \| at least 80 % \| not enough/,
    );
    expect(text).toContain("In 1 of them a hypervisor took more than 5 % of the machine.");
  });
});

/** What is said of eight windows each of two targets in so many starts, by the logarithm of their throughput. */
function takeApart(starts: number, logarithm: (at: { start: number; window: number; target: string }) => number) {
  const windows = times(starts, (start) =>
    times(8, (window) =>
      ["a", "b"].map((target) => {
        const throughput = 1000 * Math.exp(logarithm({ start, window, target }));
        return { handler: "hello", connections: 1, pinned: false, start, window, target, throughput };
      }),
    ),
  );
  return takeNoiseApart(windows.flat(2))[0];
}

describe("the bench of noise", () => {
  const byStart = takeApart(4, ({ start, target }) => (target === "a" ? start * 0.1 : 0));
  const byWindow = takeApart(4, ({ window, target }) => (target === "a" ? 0.1 * (window % 2) : 0));

  it("tells noise of windows from noise of starts", () => {
    expect(byStart?.within).toBeCloseTo(0);
    expect(byStart?.ratioBetween).toBeCloseTo(0.1 * Math.sqrt(5 / 3));
    expect(byWindow?.ratio).toBeCloseTo(0.05 * Math.sqrt(8 / 7));
    expect(byWindow?.ratioBetween).toBe(0);
  });

  it("sees that a drift spoils halves of a start, and not windows that take turns", () => {
    const drifting = takeApart(3, ({ window }) => window * 0.01);
    expect(drifting?.neighbours).toBeCloseTo(0);
    expect(drifting?.halves).toBeCloseTo(0.04);
  });

  it("says what more starts gain over longer ones of equal total time: nothing, where starts are alike", () => {
    expect(new Set(byWindow?.designs.map(({ error }) => error.toFixed(6))).size).toBe(1);
    const [one, two] = byStart?.designs ?? [];
    expect((one?.error ?? 0) / (two?.error ?? 1)).toBeCloseTo(Math.SQRT2);
  });
});
