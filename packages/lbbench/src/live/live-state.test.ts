import { describe, expect, it } from "vitest";
import type { DoneFault } from "../model/fault.js";
import type { SweepEvent } from "../run/sweep-event.js";
import { aCrew, aResult, aScenario, aStep } from "../test-support/fixtures.js";
import { renderLiveBar } from "./live-lines.js";
import { MOST_SECONDS, type LivePanel } from "./live-messages.js";
import { livePanel, liveSeconds } from "./live-panel.js";
import { estimateTimeLeft, nextLiveState, NOT_BEGUN, type LiveState } from "./live-state.js";
import { aProgress, aSecond, aStart, aStepBegun, KEY } from "./test-support/sweep-events.js";

type Timed = readonly [atMs: number, event: SweepEvent];

const at = (...events: readonly Timed[]): LiveState =>
  events.reduce((state, [atMs, event]) => nextLiveState(state, event, atMs), NOT_BEGUN);
const all = (atMs: number, ...events: readonly SweepEvent[]) => events.map((event): Timed => [atMs, event]);
const after = (...events: readonly SweepEvent[]): LiveState => at(...all(0, ...events));
const ended = (index: number): SweepEvent => ({ type: "step-done", step: aStep(), index });
const killed = (more: Partial<DoneFault> = {}): SweepEvent => ({
  type: "fault",
  step: KEY,
  fault: { atMs: 3000, kind: "kill", part: "a", effectMs: 3001, ...more },
});
const RESULT = aResult({ steps: [aStep()] });

describe("the state of a run", () => {
  it("forgets a step when another begins, and not before", () => {
    const usage: SweepEvent = { type: "usage", step: KEY, usage: { generator: { cpu: 1, rssBytes: 1 } } };
    const first = [aStart(3), aStepBegun(0), aProgress({ done: 7, latest: aSecond(0) }), usage, killed(), ended(0)];
    expect(after(...first)).toMatchObject({ done: 1, step: { phase: null, progress: { done: 7 } } });
    const nothing = { index: 1, progress: null, usage: null, fault: null, seconds: [] };
    expect(after(...first, aStepBegun(1))).toMatchObject({ done: 1, checking: null, step: nothing });
  });

  it("keeps every second once, also of steps that are over, and no more than an hour of all of them", () => {
    const step = (index: number, ...told: readonly number[]): readonly SweepEvent[] => [
      aStepBegun(index),
      ...told.map((second) => aProgress({ latest: aSecond(second) })),
    ];
    const three = after(...step(0, 0, 0, 1, 1), ...step(1), ...step(2, 0));
    expect(liveSeconds(three, 0)).toMatchObject([
      { index: 0, target: "single", load: "50", seconds: [{ second: 0 }, { second: 1 }] },
      { index: 2, seconds: [{ second: 0 }] },
    ]);
    expect(liveSeconds(three, 2)).toHaveLength(1);
    const hour = Array.from({ length: MOST_SECONDS + 2 }, (_, second) => second);
    const { earlier } = after(...step(0, 0, 1), ...step(1, ...hour.slice(3)), ...step(2));
    expect(earlier.map(({ seconds }) => seconds.length)).toEqual([1, MOST_SECONDS - 1]);
    const { seconds = [] } = after(...step(0, ...hour)).step ?? {};
    expect([seconds.length, seconds.at(-1)?.second]).toEqual([MOST_SECONDS, MOST_SECONDS + 1]);
  });

  it("counts its time from its own first step, and follows a total that changes, or is the most there can be", () => {
    expect(at([0, aStart(9)], [100, aStepBegun(4)], [200, aStepBegun(5)]).began).toEqual({ before: 4, atMs: 100 });
    expect(after(aStart(3), { type: "plan", total: 2 }).total).toBe(2);
    const search = { start: 1, growth: 2, most: 9, resolution: 0.1, needed: 1, beyond: null, by: "rate" } as const;
    expect(after({ ...aStart(3), scenario: aScenario({ search }) }, { type: "plan", total: 2 })).toMatchObject({
      total: 2,
      isBound: true,
    });
    expect(after(aStart(1), { type: "done", result: RESULT })).toMatchObject({ isOver: true, result: RESULT });
  });
});

describe("the panel", () => {
  const MEASURING: SweepEvent = { type: "phase", step: KEY, phase: "measuring" };
  const panel = (...events: readonly SweepEvent[]): LivePanel => livePanel(after(...events), 0);
  const usage = { generator: { cpu: 0.5, rssBytes: 1 }, backend: { cpu: 1.5, rssBytes: 2 } };
  const trials: SweepEvent = { ...aStart(4), scenario: aScenario({ trials: 3 }) };

  const figuresOf = ({ figures }: LivePanel): string => figures.map(([, figure]) => figure).join(" | ");

  it("knows nothing before the first step", () => {
    const told = panel(aStart(4), { type: "check", target: "single" });
    expect(told).toMatchObject({ doing: "checking single", share: 0, progress: "0 of 4 steps done" });
    expect(figuresOf(told)).toBe("– | – | – | – | – | –");
    const scenario = aScenario({ engine: { ...aScenario().engine, workers: aCrew() } });
    expect(panel({ ...aStart(4), scenario }).doing).toBe("waiting for 3 workers");
  });

  it.each<[string, readonly SweepEvent[], Partial<LivePanel>]>([
    ["what is done for a step", [{ type: "phase", step: KEY, phase: "warming up" }], { doing: "warming up" }],
    ["the last fault of a step", [MEASURING, killed(), killed({ part: "b" })], { doing: "measuring, kill b at 3s" }],
    ["a fault that failed", [MEASURING, killed({ error: "no" })], { doing: "measuring, not done: kill a at 3s" }],
    ["a step", [trials, aStepBegun(0, { ...KEY, trial: 2 })], { step: "single, 50 connections, trial 2" }],
    ["the part of a step", [aStart(4), aStepBegun(1), aProgress({ share: 0.5 })], { share: 1.5 / 4 }],
    ["a step of which the last answer came, and not its result", [aStart(1), aProgress({ share: 1 })], { share: 0.99 }],
    ["a step that is done", [aStart(4), aStepBegun(1), ended(1)], { share: 0.5, doing: "" }],
    ["the end", [aStart(3), { type: "done", result: RESULT }], { doing: "over" }],
  ])("tells %s", (_, events, told) => {
    expect(panel(aStart(4), aStepBegun(0), ...events)).toMatchObject(told);
  });

  it.each<[string, readonly SweepEvent[], RegExp]>([
    ["the last second", [aProgress({ latest: aSecond(1, { ok: 123, p99: 4.5 }) })], /^123 \| 4\.50 /],
    ["no rate without failures", [aProgress()], /^– \| – \| – /],
    ["the roles that are there", [{ type: "usage", step: KEY, usage }], / 50\.0 % \| – \| 150\.0 %$/],
  ])("has as figures %s", (_, events, told) => {
    expect(figuresOf(panel(aStart(4), aStepBegun(0), ...events))).toMatch(told);
  });
});

describe("the time left", () => {
  const done: readonly Timed[] = [...all(0, aStart(4)), ...all(1000, aStepBegun(0)), ...all(6000, ended(0))];
  const quarter = aProgress({ share: 0.25, elapsedMs: 1000 });
  const begun = [...all(0, aStart(3)), ...all(10_000, aStepBegun(0)), ...all(13_000, quarter)];
  const resumed = [...all(0, aStart(12), aStepBegun(10)), ...all(500, ended(10), aStepBegun(11))];
  const second: readonly Timed[] = [...done, [6000, aStepBegun(1)]];

  it.each<[string, readonly Timed[], number, number | null]>([
    ["unknown before the run", [], 5000, null],
    ["unknown before a step tells how fast it is", done.slice(0, 2), 5000, null],
    // Two seconds of starting, then one of the four that it measures.
    ["what the first step will take, its start included", begun, 13_000, 3000 + 2 * 6000],
    ["that of steps like those that are done", done, 6000, 3 * 5000],
    ["by what is measured", [...second, [9000, aProgress({ elapsedMs: 1000 })]], 9000, 1000 + 2 * 5000],
    ["by the steps of this run alone", resumed, 500, 500],
    ["nothing at the end", [...done, [0, { type: "done", result: RESULT }]], 3000, 0],
  ])("is %s", (_, events, nowMs, expected) => {
    expect(estimateTimeLeft(at(...events), nowMs)).toBe(expected);
  });
});

describe("the bar", () => {
  /** The steps before one took 10 s each; half of that one is measured, in 5 s. */
  const halfOf = (index: number, total: number): LiveState =>
    at(...all(0, aStart(total), aStepBegun(0)), ...all(index * 10_000, ended(index - 1), aStepBegun(index)), [
      index * 10_000 + 5000,
      aProgress({ share: 0.5, elapsedMs: 5000 }),
    ]);

  it.each([
    [60, "███████░░░░░░░ 50% · 5 of 11 steps done · about 55 s left"],
    [40, "███░░░ 50% · 5 of 11 steps done"],
    [22, "5 of 11 steps done"],
    [9, "5 of 11 …"],
    [1, "…"],
    [0, ""],
  ])("keeps to %i columns, and leaves out what matters least", (columns, line) => {
    expect(renderLiveBar(halfOf(5, 11), 55_000, columns)).toBe(line);
  });

  it("says of a search how many steps there can be at most", () => {
    const line = "██████████████████████████████ 50% · 5 of at most 11 steps done · at most 55 s left";
    expect(renderLiveBar({ ...halfOf(5, 11), isBound: true }, 55_000, 90)).toBe(
      line.replace(/█{15} /, `${"░".repeat(15)} `),
    );
  });
});
