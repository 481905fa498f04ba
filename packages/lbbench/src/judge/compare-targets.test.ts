import { describe, expect, it } from "vitest";
import { parseThreshold } from "../config/parsers.js";
import type { Finding } from "../model/finding.js";
import type { Result } from "../model/result.js";
import { median } from "../stats/descriptive.js";
import { compareMatched, compareTrials } from "../stats/trials.js";
import { aMeasurement, aStep } from "../test-support/fixtures.js";
import { changeInterval } from "./compare-trials.js";
import { type JudgedMetric, SCALES } from "./metrics.js";
import {
  compareTargets,
  compareWithReference,
  intervalOf,
  type MarginComparison,
  verdictOf,
  worseOf,
} from "./compare-targets.js";
import { aPair, aRun, MARGINS, type RunShape, steady, warned } from "./test-support/compare-samples.js";

const tight = (factor: number): RunShape => ({
  speed: (trial, _, target) => (target === "single" ? 1 : factor) * (1 + trial / 10_000),
});
/** Each side has its own good and bad trials. */
const uneven = (factor: number): RunShape => ({
  speed: (trial, _, target) => (target === "single" ? 1 + trial / 100 : factor * (1 + ((trial * 4) % 7) / 100)),
});
const failing = (share: (trial: number) => number, of = "balanced"): RunShape => ({
  failed: (trial, _, target) => (target === of ? share(trial) : 0),
});
const FEWER = failing(() => 0.5, "single");
const A_FEW = failing(() => 0.0005);
const MORE = failing((trial) => 0.04 + trial / 1000);
const YES_MORE = { worse: "yes", verdict: "more" };
const change = (value: number): unknown => expect.closeTo(value, 9);
const reused: RunShape = { findings: () => [{ code: "KEEPALIVE_REFUSED", severity: "info", args: {} }] };
const saturated: Finding = { code: "MACHINE_SATURATED", severity: "warning", args: {} };
/** Trials of which the other side, from the first to this one, has a doubt. */
const doubtfulTo = (trial: number): RunShape => warned(saturated.code, "balanced", {}, trial);
const doubtful = doubtfulTo(3);
/** All cores were busy, and of their time the target had this share. */
const full = (ofTarget: number, of = "balanced"): RunShape => warned("MACHINE_SATURATED", of, { ofTarget });
const held = (side: string): RunShape => warned("GENERATOR_SATURATED", side);
const GENERATOR = { worse: "unknown", reason: "GENERATOR_SATURATED" };
const LOSS = { worse: "yes", verdict: "slower" };
const OF_SIX = change(1 / 32);
const GAIN = { worse: "no", verdict: "faster", change: change(3), interval: null };
const MORE_THAN_LOST = { worse: "no", atLeast: change(1.2 * 0.95 - 1) };
const LOWER = { worse: "no", verdict: "faster", atLeast: change(-0.5) };
const [refusing, short] = [warned("NON_2XX", "balanced", { share: 0.4 }), warned("TOO_SHORT", "balanced")];
const stolen = warned("HOST_BUSY", "single", { steal: 0.3 });

const BUSY = "MACHINE_SATURATED";
const SATURATED = { worse: "unknown", reason: BUSY, kept: { trials: 3, of: 4, because: BUSY } };
const refused = aPair(0.5, warned("NON_2XX", "balanced", { share: 0.5 }, 1));

function compared(metric: JudgedMetric, result: Result, margin = 0.05): readonly MarginComparison[] {
  const { targets } = compareWithReference(result, { ...MARGINS, margin });
  return targets.flatMap(({ levels }) => levels.flatMap((level) => level[metric] ?? []));
}

/** What is said of a metric at each level, with why it is not more beside the rest. */
const judge = (...asked: Parameters<typeof compared>) =>
  compared(...asked).map((figures) => ({
    interval: null,
    ...figures,
    verdict: verdictOf(figures),
    worse: worseOf(figures),
    reason: figures.open?.why,
    trialsNeeded: figures.open?.trialsNeeded,
    canResume: figures.open?.canResume,
  }));

const HALVED = { worse: "yes", verdict: "slower", atLeast: change(-0.5) };
const six = { connections: [1, 2, 3, 4, 5, 6] };

const TOO_FEW = { verdict: "~", worse: "unknown", reason: "TOO_FEW_TRIALS" };
const same = aPair(1, { trials: 4, ...six, ...tight(1) });

const FAILED = { state: "failed", findings: [{ code: "STEP_FAILED", severity: "error", args: {} }] } as const;

describe("a comparison with a margin", () => {
  it.each<[string, JudgedMetric, Result, object, number?]>([
    ["a loss beyond the margin", "throughput", aPair(0.8), { ...LOSS, change: change(-0.2), worsePValue: OF_SIX }],
    ["the same of p50", "p50", aPair(0.8), { ...LOSS, change: change(0.25) }],
    ["no change", "throughput", aPair(1), { worse: "no", verdict: "~" }],
    ["a gain beside what touches it not", "throughput", aPair(1.5, reused), { verdict: "faster", change: change(0.5) }],
    ["a certain loss within the margin", "throughput", aPair(1, tight(0.97)), { worse: "no", verdict: "slower" }],
    ["a loss on either side", "throughput", aPair(0.97, uneven(0.97)), { worse: "unknown", reason: "WITHIN_NOISE" }],
    ["a loss, by no margin", "throughput", aPair(0.8), { worse: "yes" }, 0],
    ["a loss, by a margin of 30 %", "throughput", aPair(0.8), { worse: "no" }, 0.3],
    ["failures, by their difference", "errors", aPair(1, MORE), { reference: 0, ...YES_MORE, change: change(0.0435) }],
    ["fewer failures", "errors", aPair(1, FEWER), { worse: "no", verdict: "fewer", change: -0.5 }],
    // Allowed is 0.1 of a percentage point.
    ["a few failures", "errors", aPair(1, A_FEW), { worse: "no", verdict: "more" }],
    ["a gain of ok responses among failures", "throughput", aPair(1.5, refusing), { worse: "no", verdict: "faster" }],
    ["the latency of those which came through", "p50", aPair(1.5, refusing), { verdict: "~", reason: "NON_2XX" }],
    ["short steps, whose noise the trials show", "p99", aPair(0.5, short), { worse: "yes", verdict: "slower" }],
    ["a lower latency beside a generator that adds to it", "p50", aPair(2, held("balanced")), LOWER],
    ["a higher one, which may be the generator's", "p50", aPair(0.5, held("balanced")), GENERATOR],
    ["a doubtful side", "p50", aPair(0.5, doubtful), { worse: "unknown", reason: "MACHINE_SATURATED", interval: null }],
    ["a doubtful trial of six", "p50", aPair(0.5, doubtfulTo(1)), { worse: "yes", kept: { trials: 5, of: 6 } }],
    // Without it there are too few, which more trials of a machine as busy would not mend.
    ["a doubtful trial of four", "p50", aPair(0.5, { trials: 4, ...doubtfulTo(1) }), SATURATED],
    ["a trial with failures, which is not left out", "p50", refused, { worse: "unknown", reason: "NON_2XX" }],
    // What was taken from the slower side explains a factor of 1 / 0.7 / 0.7.
    ["a gain far beyond that", "throughput", aPair(4, stolen), { ...GAIN, atLeast: change(4 * 0.49 - 1) }],
    ["a gain that this explains", "throughput", aPair(2, stolen), { verdict: "~", reason: "HOST_BUSY" }],
    ["the latency beside it", "p99", aPair(4, stolen), { verdict: "~", reason: "HOST_BUSY" }],
    // A generator that had 30 % of a full machine slowed the target by no more than a factor of 1 / 0.7.
    ["a loss beyond what it took", "throughput", aPair(0.35, full(0.7)), { worse: "yes", atLeast: change(-0.5) }],
    ["a loss that it explains", "throughput", aPair(0.72, full(0.7)), { verdict: "~", reason: "MACHINE_SATURATED" }],
    ["a gain over a slower side that had nearly all", "throughput", aPair(1.2, full(0.95, "single")), MORE_THAN_LOST],
    ["a loss with a generator that limits the faster side", "throughput", aPair(0.5, held("single")), HALVED],
    ["failed requests of a doubtful side", "errors", aPair(1, doubtful), { worse: "no" }],
    ["a run cut short", "p50", aPair(1, { trials: 2, scenario: { trials: 5 } }), { trialsNeeded: 4, canResume: true }],
    ["3 trials", "throughput", aPair(0.5, { trials: 3, ...six }), { ...TOO_FEW, trialsNeeded: 4 }],
    // What tells the same at every level is one answer, however many levels there are.
    ["4 trials at six levels", "p50", aPair(0.5, { trials: 4, ...six }), { ...LOSS, worsePValue: change(2 / 70) }],
    ["no loss at six levels", "throughput", same, { worse: "no" }],
  ])("tells of %s", (_, metric, result, expected, margin) => {
    for (const one of judge(metric, result, margin)) {
      expect(one).toMatchObject(expected);
      expect(one.open !== undefined).toBe(one.worse === "unknown" || one.verdict === "~");
      expect(one.canResume !== undefined).toBe(Object.hasOwn(expected, "canResume"));
    }
  });

  it.each<[string, "pass" | "fail" | "inconclusive", RunShape]>([
    ["of which as many fail", "pass", { failed: () => 0.5 }],
    ["of which more fail", "fail", MORE],
    ["of which one more fails in a single trial", "inconclusive", failing((trial) => (trial === 1 ? 0.0001 : 0))],
  ])("allows no more failed requests by an error margin of 0: targets %s", (_, status, shape) => {
    const run = aPair(1.001, { connections: [50], ...shape });
    expect(compareWithReference(run, { ...MARGINS, errorMargin: 0 }).status).toBe(status);
  });

  it.each([
    [1, "SINGLE_TRIAL"],
    [3, "TOO_FEW_TRIALS"],
  ])("has figures but no answer for %i trials: %s", (trials, reason) => {
    const figures = { reference: expect.any(Number), other: expect.any(Number), change: change(-0.5), trials };
    expect(compared("throughput", aPair(0.5, { trials }))).toEqual([
      { kind: "untested", ...figures, open: { why: reason, trialsNeeded: 4 } },
    ]);
  });

  it("has too few trials, which no more can mend, where a stop rule ended the level", () => {
    const stopOn = [parseThreshold("errors>1%")];
    const shape: RunShape = {
      connections: [50, 100],
      failed: (trial, n, of) => (of === "balanced" && n === 50 && trial === 3 ? 0.02 : 0),
    };
    const run = aPair(0.5, { ...shape, scenario: { stopOn } });
    const steps = run.steps.filter(
      ({ target, level, trial }) => target === "single" || level.connections === 50 || trial < 3,
    );
    const [, stopped] = compared("throughput", { ...run, steps });
    expect(stopped?.open).toEqual({ why: "TOO_FEW_TRIALS" });
    const [, missing] = compared("throughput", { ...aPair(0.5, shape), steps });
    expect(missing?.open).toEqual({ why: "TOO_FEW_TRIALS", trialsNeeded: 4, canResume: true });
  });

  it("lacks trials, not certainty, where a doubt explains less than what was measured", () => {
    const one = (factor: number) => judge("throughput", aPair(factor, { trials: 1, ...full(0.7) }))[0]?.reason;
    expect([one(0.5), one(0.72), one(2)]).toEqual(["SINGLE_TRIAL", "MACHINE_SATURATED", "SINGLE_TRIAL"]);
  });

  it("has nothing to say where a side was not measured, and takes no figure of a step that failed", () => {
    const { steps, scenario } = aPair(1, { trials: 3 });
    const without = steps.filter(({ target }) => target === "single");
    expect(judge("p50", { ...aPair(1), steps: without })).toMatchObject([
      { kind: "untested", other: null, change: null, open: { why: "NOT_MEASURED" } },
    ]);
    // A doubt of the side that was measured is not why the other one was not.
    const busy = without.map((step) => ({ ...step, findings: [saturated] }));
    expect(judge("p50", { ...aPair(1), steps: busy })).toMatchObject([{ open: { why: "NOT_MEASURED" } }]);
    const failed = steps.map((step) =>
      step.trial === 3 && step.target === "balanced"
        ? aStep({ ...step, ...FAILED, measurement: aMeasurement({ throughput: 9_000_000 }) })
        : step,
    );
    expect(judge("throughput", { ...aPair(1), scenario, steps: failed })).toMatchObject([
      { kind: "untested", other: expect.closeTo(1015, 6), open: { why: "STEP_FAILED" } },
    ]);
  });

  it("decides for all targets and levels, and is open without a reference", () => {
    const result = aRun({
      targets: ["single", "fast", "slow"],
      connections: [1, 50],
      scenario: { reference: "single" },
      speed: (trial, n, target) => steady(target === "slow" && n === 50 ? 0.8 : target === "fast" ? 1.5 : 1)(trial),
    });
    const { status, targets } = compareWithReference(result, MARGINS);
    expect(status).toBe("fail");
    expect(
      targets.flatMap(({ other, levels }) =>
        levels.map(({ level, throughput }) => `${other} ${level.connections} ${worseOf(throughput)}`),
      ),
    ).toEqual(["fast 1 no", "fast 50 no", "slow 1 no", "slow 50 yes"]);
    expect(compareWithReference(result, { ...MARGINS, margin: 0.4 }).status).toBe("pass");
    expect(compareWithReference(aRun(), MARGINS)).toEqual({ status: "inconclusive", margins: MARGINS, targets: [] });
    expect(compareTargets(aRun())).toEqual([]);
    // Without a margin the same is said of changes, p-values and verdicts, level by level.
    const plain = compareTargets(result);
    const places = plain.map(({ level, target }) => `${target} ${level.connections}`);
    expect(places).toEqual(["fast 1", "slow 1", "fast 50", "slow 50"]);
    for (const { target, level, reference: _, ...metrics } of plain) {
      const judged = targets.find(({ other }) => other === target)?.levels.find((one) => one.level === level);
      for (const [metric, figures] of Object.entries(metrics)) {
        const { change: by } = figures;
        expect(judged?.[metric as JudgedMetric]).toMatchObject({ change: by });
        expect(verdictOf(judged?.[metric as JudgedMetric])).toBe(verdictOf(figures));
      }
    }
  });
});

describe("trials that were made in turn, on a machine that gets faster by 6 % from one to the next", () => {
  /** Of which one is slower by this part, with 0.4 % of noise. */
  const drifting = (factor: number, shape: RunShape = {}): Result =>
    aPair(factor, {
      trials: 8,
      speed: (trial, _, target) =>
        (1 + 0.06 * trial) * (target === "single" ? 1 : factor) * (1 + (((trial * 3) % 4) - 1.5) / 400),
      ...shape,
    });

  it.each<[string, JudgedMetric, number, object, RunShape?]>([
    ["3 % faster", "throughput", 1.03, { worse: "no", verdict: "faster", pValue: change(2 / 2 ** 8) }],
    ["as fast", "throughput", 1, { worse: "no", verdict: "~" }],
    ["10 % slower", "throughput", 0.9, { worse: "yes", verdict: "slower" }],
    ["3 % faster, in trials of which one is left out", "p50", 1.03, { verdict: "faster" }, doubtfulTo(1)],
    ["3 % faster, in too few trials for that", "throughput", 1.03, { verdict: "~", worse: "unknown" }, { trials: 5 }],
  ])("are compared one by one: %s", (_, metric, factor, expected, shape = {}) => {
    const [figures] = judge(metric, drifting(factor, shape));
    expect(figures).toMatchObject(expected);
    const { interval, change: by } = figures ?? {};
    const truth = metric === "throughput" ? factor - 1 : 1 / factor - 1;
    const reach = shape.trials === undefined ? 0.01 : 0.3;
    expect(interval?.low).toBeGreaterThan(truth - reach);
    expect(interval?.high).toBeLessThan(truth + reach);
    expect(interval?.low).toBeLessThanOrEqual(by ?? NaN);
    expect(interval?.high).toBeGreaterThanOrEqual(by ?? NaN);
  });

  it("of which the order is not known, as in imported output, are compared as two sessions", () => {
    const judgeOf = (factor: number) => {
      const { scenario, ...run } = drifting(factor);
      return judge("throughput", { ...run, scenario: { ...scenario, order: null } })[0];
    };
    expect(judgeOf(1.03)).toMatchObject({ verdict: "~", reason: "OTHER_SESSION" });
    expect(judgeOf(4)).toMatchObject({ verdict: "faster" });
  });

  it("pass where nothing differs, also where half of the probability is left for something else", () => {
    expect(compareWithReference(drifting(1), MARGINS).status).toBe("pass");
    expect(compareWithReference(aPair(1, { scenario: { serverTiming: true } }), MARGINS).status).toBe("pass");
  });
});

it("a comparison is not disturbed at one level by a doubt at another", () => {
  const doubt = aPair(2, { trials: 4, connections: [1, 50], findings: (_, n) => (n === 50 ? [saturated] : []) });
  expect(compareTargets(doubt).map(({ throughput }) => verdictOf(throughput))).toEqual(["faster", "~"]);
});

describe("the interval of a change", () => {
  const NONE = { low: NaN, high: NaN };
  const measure = (
    reference: readonly number[],
    other: readonly number[],
    scale = SCALES.throughput,
    compare = compareTrials,
  ) => {
    const by = scale.between(median(reference), median(other));
    const starts = { reference: new Map(reference.entries()), other: new Map(other.entries()) };
    return { by, interval: changeInterval(scale, starts, by, compare) };
  };

  it("encloses the change, and ends where the test begins to tell the sides apart", () => {
    const reference = [100, 101, 102, 103, 104];
    const other = [90, 92, 93, 95, 96];
    const { by, interval: { low, high } = NONE } = measure(reference, other);
    expect(by).toBeGreaterThanOrEqual(low);
    expect(by).toBeLessThanOrEqual(high);
    const moved = (at: number) => reference.map((value) => value * (1 + at));
    const verdictAt = (at: number): string => compareTrials(moved(at), other).verdict;
    const within = (high - low) / 1000;
    expect([low, low + within, high - within, high].map(verdictAt)).toEqual(["higher", "~", "~", "lower"]);
  });

  it("encloses the change of the medians, also where a test trial by trial rejects it", () => {
    const reference = [100, 110, 120, 130, 140, 150, 160];
    const other = [101, 111, 121, 136, 141, 151, 161];
    const { by, interval: { low, high } = NONE } = measure(reference, other, SCALES.throughput, compareMatched);
    const moved = reference.map((value) => value * (1 + by));
    expect(compareMatched(moved, other).verdict).toBe("lower");
    expect(low).toBeCloseTo(0.0067, 4);
    expect(high).toBeGreaterThanOrEqual(by);
    expect(high).toBeLessThan(by + 0.0005);
  });

  it.each<[string, readonly number[], readonly number[], JudgedMetric, readonly [number, number] | undefined]>([
    ["a point when no trial differs", [5, 5, 5, 5], [6, 6, 6, 6], "throughput", [0.2, 0.2]],
    ["a point of shares, whose reference may be 0", [0, 0, 0, 0], [0, 0, 0, 0], "errors", [0, 0]],
    ["within what the shares span", [0, 0, 0, 0, 0], [0.03, 0.04, 0.04, 0.04, 0.05], "errors", [0.03, 0.05]],
    ["none of a ratio to 0", [0, 2, 3, 4], [4, 5, 6, 7], "throughput", undefined],
  ])("is %s", (_, reference, other, metric, span) => {
    const { interval } = measure(reference, other, SCALES[metric]);
    expect(interval === undefined).toBe(span === undefined);
    const { low, high } = interval ?? { low: 0, high: 0 };
    expect(low).toBeGreaterThanOrEqual((span?.[0] ?? 0) - 1e-12);
    expect(high).toBeLessThanOrEqual((span?.[1] ?? 0) + 1e-12);
  });
});

it("answers by a margin as the interval lies, at every look at a run with as many trials as decide", () => {
  const sequential = { looks: [6, 9, 14, 20], limitMs: 300_000 };
  const others = sequential.looks.flatMap((trials) =>
    [0.94, 0.955, 0.965, 0.975, 0.99, 1.02].flatMap((factor) => {
      const run = aPair(factor, { ...uneven(factor), trials, scenario: { sequential, margin: 0.05 } });
      const [level] = compareWithReference(run, MARGINS).targets[0]?.levels ?? [];
      const interval = intervalOf(level?.throughput);
      const isShort = interval !== null && interval.low > -0.05;
      return (worseOf(level?.throughput) === "no") === isShort ? [] : [{ trials, factor, interval }];
    }),
  );
  expect(others).toEqual([]);
});
