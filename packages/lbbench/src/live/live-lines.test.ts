import { describe, expect, it } from "vitest";
import type { StepKey } from "../model/result.js";
import { renderLiveLines } from "./live-lines.js";
import { NOT_BEGUN, type LiveState, type LiveStep } from "./live-state.js";
import { textWidth } from "../report/text-layout.js";

const SECOND = { second: 3, sent: 12_400, ok: 12_340, failed: 0, p50: 5, p99: 23.12 };
const MEASURING = { sent: 50_250, done: 50_000, failed: 0, elapsedMs: 4200 };
const KEY: StepKey = { target: "balanced", level: { connections: 250, durationMs: 5000 }, trial: 2 };
const NOW = 19_200;

function aStep(overrides: Partial<LiveStep> = {}): LiveStep {
  return {
    key: KEY,
    index: 4,
    beganAtMs: 15_000,
    phase: "measuring",
    progress: { ...MEASURING, share: 0.84, latest: SECOND },
    usage: used({ generator: 0.61, balancer: 0.99, backend: 1.48 }),
    fault: null,
    seconds: [SECOND],
    ...overrides,
  };
}

function used(cpu: Readonly<Record<string, number>>): LiveStep["usage"] {
  return Object.fromEntries(Object.entries(cpu).map(([role, share]) => [role, { cpu: share, rssBytes: 1 }]));
}

function aState(step: Partial<LiveStep> = {}, planned: LiveState["planned"] = { trials: 3 }): LiveState {
  const began = { before: 0, atMs: 0 };
  return { ...NOT_BEGUN, total: 12, done: 4, planned, began, step: aStep(step) };
}

/** A state of a target with that name. */
function named(target: string, trials = 3): LiveState {
  return aState({ key: { ...KEY, target } }, { trials });
}

describe("renderLiveLines", () => {
  it("shows the steps, the one under way with its last second, and processor time by role", () => {
    expect(renderLiveLines(aState(), NOW, 80)).toEqual([
      "████████████░░░░░░░░░░░░░░░░░░ 40% · 4 of 12 steps done · about 28 s left",
      "balanced at 250 · trial 2/3 · 12,340 requests/s · p99 23.1 ms · 0 failed",
      "CPU generator 61% · balancer 99% · backends 148%",
    ]);
  });

  it("counts the trials until the next look where they may be enough", () => {
    const planned = { trials: 20, sequential: { looks: [6, 9, 14, 20], limitMs: 300_000 } };
    const lines = [2, 7].map((trial) => renderLiveLines(aState({ key: { ...KEY, trial } }, planned), NOW, 80)[1]);
    expect(lines).toEqual([expect.stringContaining("trial 2/6"), expect.stringContaining("trial 7/9")]);
  });

  it("names workers in place of the generators of this machine", () => {
    const usages = [null, used({}), used({ backend: 1.48 })];
    const lines = usages.map((usage) => renderLiveLines({ ...aState({ usage }), workers: 3 }, NOW, 80)[2]);
    expect(lines).toEqual(["3 workers", "3 workers", "3 workers · CPU backends 148%"]);
  });

  it.each([
    [50, "balanced at 250 · 12,340 requests/s · p99 23.1 ms"],
    [40, "balanced at 250 · 12,340 requests/s"],
    [20, "balanced at 250"],
    [10, "balanced…"],
  ])("leaves out what matters least in a terminal of %i columns", (columns, line) => {
    expect(renderLiveLines(aState(), NOW, columns)[1]).toBe(line);
  });

  it("keeps failures rather than latencies", () => {
    const progress = { sent: 900, done: 800, failed: 17, elapsedMs: 2100, share: 0.4, latest: SECOND };
    expect(renderLiveLines(aState({ progress }), NOW, 51)[1]).toBe("balanced at 250 · 12,340 requests/s · 17 failed");
  });

  it.each([
    [49, "CPU generator 61% · balancer 99% · backends 148%"],
    [34, "CPU generator 61% · backends 148%"],
    [20, "CPU generator 61%"],
  ])("leaves out roles in %i columns, and keeps the busiest beside the generator", (columns, line) => {
    expect(renderLiveLines(aState(), NOW, columns)[2]).toBe(line);
  });

  it("tells of the first second what is known so far", () => {
    const rate = (progress: Omit<NonNullable<LiveStep["progress"]>, "share">): string =>
      renderLiveLines(aState({ progress: { ...progress, share: 0.1 }, seconds: [] }, { trials: 1 }), NOW, 90)[1] ?? "";
    expect(rate({ sent: 600, done: 500, failed: 100, elapsedMs: 500 })).toBe(
      "balanced at 250 · measuring · 800 requests/s · 100 failed",
    );
    expect(rate({ sent: 600, done: 500, elapsedMs: 500 })).toBe("balanced at 250 · measuring · 500 answers");
  });

  it("says how far the users of a ramp are to rise, and how many there are", () => {
    const progress = { ...MEASURING, share: 0.2, latest: { ...SECOND, users: 12 } };
    const key = { ...KEY, level: { users: 20, durationMs: 9000 } };
    expect(renderLiveLines(aState({ key, progress }, { trials: 1 }), NOW, 90)[1]).toBe(
      "balanced rising to 20 · measuring · 12 users · 12,340 requests/s · p99 23.1 ms · 0 failed",
    );
  });

  it("has a line less where nothing was sampled or a step is done, and says what is done before the first step", () => {
    const warming = aState({ phase: "warming up", progress: null, usage: null }, { trials: 1 });
    expect(renderLiveLines(warming, NOW, 80).slice(1)).toEqual(["balanced at 250 · warming up"]);
    expect(renderLiveLines({ ...NOT_BEGUN, checking: "balanced" }, NOW, 80).slice(1)).toEqual(["checking balanced"]);
    expect(renderLiveLines(NOT_BEGUN, NOW, 80).slice(1)).toEqual(["checking the targets"]);
    expect(renderLiveLines({ ...aState(), done: 5 }, NOW, 80)).toHaveLength(1);
  });

  it.each([
    ["red\u001B[31m\nname", /^red \[31m name at 250/],
    ["left\u202Eright", /^left right at 250/],
    ["👩‍👩‍👧‍👦", /^👩 at 250/u],
  ])("lets nothing of a name through that a terminal acts upon, or draws wider than it seems: %j", (target, line) => {
    expect(renderLiveLines(named(target), NOW, 99)[1]).toMatch(line);
  });

  it.each(["负载均衡器".repeat(20), "😀".repeat(50), "a name ".repeat(30), "x".repeat(200)])(
    "is narrower than any terminal: %s",
    (target) => {
      for (let columns = 1; columns < 120; columns += 1) {
        const checking = { ...NOT_BEGUN, checking: target };
        const lines = [named(target), checking].flatMap((state) => renderLiveLines(state, NOW, columns));
        for (const line of lines) expect(textWidth(line)).toBeLessThan(columns);
      }
    },
  );

  it("leaves room for the figures beside a long name", () => {
    expect(renderLiveLines(named("x".repeat(99), 1), NOW, 60)[1]).toBe(
      "xxxxxxxxxxx…xxxxxxxxxxx at 250 · 12,340 requests/s",
    );
  });
});
