import { describe, expect, it } from "vitest";
import { ConfigError } from "../config/config-error.js";
import type { Result } from "../model/result.js";
import type { AsymmetricResultMatchers } from "./expect-types.js";
import { matchers } from "./matchers.js";
import type { MatcherOutcome } from "./judgement.js";
import { aRun, slower } from "./test-support/a-run.js";

type Matcher = keyof typeof matchers;

/** What `expect(received)` and `expect(received).not` make of a matcher: whether the assertion holds. */
function assertBoth(name: Matcher, received: unknown, ...args: readonly unknown[]): readonly [boolean, boolean] {
  const call = matchers[name] as (this: object, ...all: readonly unknown[]) => MatcherOutcome;
  return [call.call({ isNot: false }, received, ...args).pass, !call.call({ isNot: true }, received, ...args).pass];
}

const HOLDS = [true, false];
const HOLDS_NOT = [false, true];
const CANNOT_BE_TOLD = [false, false];

const run = aRun();
const cutShort = aRun({ result: { complete: false } });
const tooShort = aRun({ scenario: { levels: [{ connections: 10, requests: 100 }] } });
const failing = aRun({
  targets: { single: ({ level }) => (level.connections === 50 ? { requests: { non2xx: 40, timedOut: 2 } } : {}) },
});
const allFailed = aRun({ targets: { single: () => ({ requests: { ok: 0, non2xx: 500 } }) } });

describe("toMeet", () => {
  it("holds where a threshold holds in every step", () => {
    expect(assertBoth("toMeet", run, "p99<1s")).toEqual(HOLDS);
    expect(assertBoth("toMeet", run, ["p99<1s", "errors<1%", "throughput>10"])).toEqual(HOLDS);
  });

  it("does not where one of several misses in one step", () => {
    expect(assertBoth("toMeet", run, "p99<1ms")).toEqual(HOLDS_NOT);
    expect(assertBoth("toMeet", run, ["errors<1%", "throughput>4900"])).toEqual(HOLDS_NOT);
  });

  it("asks about a part of the result", () => {
    const two = aRun({ targets: { base: slower(1), new: slower(3) } });
    expect(assertBoth("toMeet", two, "p50<15ms")).toEqual(HOLDS_NOT);
    expect(assertBoth("toMeet", two, "p50<15ms", { target: "base" })).toEqual(HOLDS);
    expect(assertBoth("toMeet", two, "p50<15ms", { target: ["base", "new"] })).toEqual(HOLDS_NOT);
    expect(assertBoth("toMeet", two, "throughput>1500", { target: "base", connections: 50 })).toEqual(HOLDS);
    expect(assertBoth("toMeet", two, "throughput>1500", { target: "base", connections: [10, 50] })).toEqual(HOLDS_NOT);
  });

  it("cannot be told of figures that are in doubt", () => {
    expect(tooShort.steps[0]?.findings.map(({ code }) => code)).toContain("TOO_SHORT");
    expect(assertBoth("toMeet", tooShort, "p99<1s")).toEqual(CANNOT_BE_TOLD);
    expect(assertBoth("toMeet", tooShort, "p99<1ms")).toEqual(CANNOT_BE_TOLD);
    expect(assertBoth("toMeet", allFailed, "p99<1s")).toEqual(CANNOT_BE_TOLD);
  });

  it("cannot be told of a part for an error there, and can of another", () => {
    const dead = aRun({
      targets: { base: slower(1), new: () => ({ requests: { ok: 0, non2xx: 500 } }) },
    });
    expect(assertBoth("toMeet", dead, "p99<1s")).toEqual(CANNOT_BE_TOLD);
    expect(assertBoth("toMeet", dead, "p99<1s", { target: "base" })).toEqual(HOLDS);
  });

  it("can be missed, and never be met, by a run that was cut short", () => {
    expect(assertBoth("toMeet", cutShort, "p99<1s")).toEqual(CANNOT_BE_TOLD);
    expect(assertBoth("toMeet", cutShort, "p99<1ms")).toEqual(HOLDS_NOT);
  });

  it("cannot be told of a run without a step", () => {
    expect(assertBoth("toMeet", { ...run, steps: [] }, "p99<1s")).toEqual(CANNOT_BE_TOLD);
  });

  it("cannot be told of a level that a stop rule left out, and says which that is", () => {
    const left = leftOut(aRun({ targets: { base: slower(1), new: slower(1) } }), "new", 50);
    expect(assertBoth("toMeet", left, "p99<1s")).toEqual(CANNOT_BE_TOLD);
    expect(assertBoth("toMeet", left, "p99<1s", { target: "new" })).toEqual(CANNOT_BE_TOLD);
    expect(assertBoth("toMeet", left, "p99<1s", { target: "base" })).toEqual(HOLDS);
    expect(assertBoth("toMeet", left, "p99<1s", { connections: 10 })).toEqual(HOLDS);
    expect(assertBoth("toMeet", left, "p99<1ms")).toEqual(HOLDS_NOT);
    const message = messageOf("toMeet", left, "p99<1s", { target: "new", connections: 50 });
    expect(message).toContain("new was not measured at 50 connections.");
    expect(message).toContain("ask about what was measured");
  });

  it("counts the steps of the run where it was cut short, not those of the part", () => {
    expect(messageOf("toMeet", cutShort, "p99<1s", { connections: 10 })).toContain("interrupted after 10 of its steps");
  });

  it("takes no notice of the thresholds and the margin of the run itself", () => {
    const failed = aRun({
      targets: { base: slower(1), new: slower(2) },
      scenario: {
        thresholds: [{ source: "p99<1ms", metric: "p99", operator: "<", value: 1 }],
        reference: "base",
        margin: 0.05,
      },
    });
    expect(failed.verdict.status).toBe("fail");
    expect(assertBoth("toMeet", failed, "p99<1s")).toEqual(HOLDS);
  });

  it.each<[string, readonly unknown[], string]>([
    ["no threshold", [[]], "or several, got none"],
    ["a number", [50], "got a number"],
    ["a metric that there is not", ["p97<50ms"], 'got "p97"'],
    ["a target that there is not", ["p99<1s", { target: "sngle" }], 'Did you mean "single"?'],
    ["no target at all", ["p99<1s", { target: [] }], "at least one name"],
    ["a level that there is not", ["p99<1s", { connections: 99 }], "connections 10 or connections 50"],
    ["a level that is a text", ["p99<1s", { connections: "10" }], 'expected a number, got "10", which is a string'],
    ["a part that is null", ["p99<1s", null], "got null"],
    ["a rate, where the levels are connections", ["p99<1s", { rate: 10 }], "rate: expected a level"],
    ["a part that there is not", ["p99<1s", { targets: "single" }], 'Did you mean "target"?'],
    ["a second threshold in place of the part", ["p99<1s", "errors<1%"], "Expected an object"],
  ])("throws for %s, with .not as well", (_, args, message) => {
    expect(() => assertBoth("toMeet", run, ...args)).toThrow(ConfigError);
    expect(() => assertBoth("toMeet", run, ...args)).toThrow(message);
  });
});

describe("toHaveNoFailures", () => {
  it("holds where every request was answered as expected", () => {
    expect(assertBoth("toHaveNoFailures", run)).toEqual(HOLDS);
    expect(assertBoth("toHaveNoFailures", failing, { connections: 10 })).toEqual(HOLDS);
  });

  it("does not where one has failed", () => {
    const one = aRun({ targets: { single: ({ trial }) => (trial === 3 ? { requests: { dropped: 1 } } : {}) } });
    expect(assertBoth("toHaveNoFailures", failing)).toEqual(HOLDS_NOT);
    expect(assertBoth("toHaveNoFailures", one)).toEqual(HOLDS_NOT);
  });

  it("does not where all have failed, which leaves nothing in doubt here", () => {
    expect(allFailed.verdict.status).toBe("inconclusive");
    expect(assertBoth("toHaveNoFailures", allFailed)).toEqual(HOLDS_NOT);
  });

  it("cannot be told where requests are lost, or a program does not count its failures", () => {
    const lost = aRun({ change: (step) => withCounts(step, ({ sent, ...rest }) => ({ ...rest, sent: sent + 7 })) });
    const uncounted = aRun({ change: (step) => withDoubt(step) });
    expect(assertBoth("toHaveNoFailures", lost)).toEqual(CANNOT_BE_TOLD);
    expect(assertBoth("toHaveNoFailures", uncounted)).toEqual(CANNOT_BE_TOLD);
  });

  it("cannot be told of a run that was cut short before any failed", () => {
    expect(assertBoth("toHaveNoFailures", cutShort)).toEqual(CANNOT_BE_TOLD);
    expect(assertBoth("toHaveNoFailures", { ...failing, complete: false })).toEqual(HOLDS_NOT);
  });

  it("cannot be told of a level that a stop rule left out", () => {
    const left = leftOut(run, "single", 50);
    expect(assertBoth("toHaveNoFailures", left)).toEqual(CANNOT_BE_TOLD);
    expect(assertBoth("toHaveNoFailures", left, { connections: 10 })).toEqual(HOLDS);
    expect(messageOf("toHaveNoFailures", left, { connections: 50 })).toContain(
      "single was not measured at 50 connections",
    );
  });

  it("is not misled by speed that is in doubt", () => {
    expect(assertBoth("toHaveNoFailures", tooShort)).toEqual(HOLDS);
  });
});

describe("toBeNoSlowerThan", () => {
  const alike = aRun({ targets: { base: slower(1), new: slower(1.001) } });
  const slow = aRun({ targets: { base: slower(1), new: slower(1.4) } });
  const worst = aRun({ targets: { base: slower(1), same: slower(1.001), new: slower(1.4) } });
  const few = aRun({ targets: { base: slower(1), new: slower(1.4) }, scenario: { trials: 2 } });

  it("compares with another target of the same run", () => {
    expect(assertBoth("toBeNoSlowerThan", alike, "base")).toEqual(HOLDS);
    expect(assertBoth("toBeNoSlowerThan", slow, "base")).toEqual(HOLDS_NOT);
    expect(assertBoth("toBeNoSlowerThan", slow, "new")).toEqual(HOLDS);
  });

  it("goes by the margin, as a text or a number", () => {
    expect(assertBoth("toBeNoSlowerThan", slow, "base", { margin: "60%" })).toEqual(HOLDS);
    expect(assertBoth("toBeNoSlowerThan", slow, "base", { margin: 0.6 })).toEqual(HOLDS);
    expect(assertBoth("toBeNoSlowerThan", slow, "base", { margin: "10%" })).toEqual(HOLDS_NOT);
  });

  it("compares all other targets, or those named", () => {
    expect(assertBoth("toBeNoSlowerThan", worst, "base")).toEqual(HOLDS_NOT);
    expect(assertBoth("toBeNoSlowerThan", worst, "base", { target: "same" })).toEqual(HOLDS);
  });

  it("compares with the one that is named, whatever the targets are compared with otherwise", () => {
    const three = aRun({ targets: { a: slower(2), b: slower(1), c: slower(2) } });
    const targets = three.scenario.targets.map((one) => (one.name === "b" ? one : { ...one, references: ["b"] }));
    const own: Result = { ...three, scenario: { ...three.scenario, targets, reference: "b" } };
    expect(assertBoth("toBeNoSlowerThan", own, "a", { target: "c" })).toEqual(HOLDS);
    expect(assertBoth("toBeNoSlowerThan", own, "a")).toEqual(HOLDS);
    expect(assertBoth("toBeNoSlowerThan", own, "b", { target: "c" })).toEqual(HOLDS_NOT);
  });

  it.each(["throughput", "p50", "p99"] as const)("cannot be told where that of %s cannot, of one level", (metric) => {
    const noisy = aRun({
      targets: { base: slower(1), new: slower(1.001) },
      change: (step) => (step.target === "new" && step.level.connections === 50 ? withNoise(step, metric) : step),
    });
    expect(assertBoth("toBeNoSlowerThan", noisy, "base")).toEqual(CANNOT_BE_TOLD);
    expect(assertBoth("toBeNoSlowerThan", noisy, "base", { connections: 10 })).toEqual(HOLDS);
    expect(messageOf("toBeNoSlowerThan", noisy, "base")).toContain(`${metric} at 50 connections: the trials vary too`);
  });

  it("asks nothing of the throughput of a rate, which is what was asked for", () => {
    const rates = aRun({
      targets: { base: slower(1), new: slower(1.001) },
      scenario: { levels: [{ rate: 50, durationMs: 3000 }] },
      change: (step) => (step.target === "new" ? withNoise(step, "throughput") : step),
    });
    expect(assertBoth("toBeNoSlowerThan", rates, "base")).toEqual(HOLDS);
  });

  it("cannot be told where either side lacks a level of the run", () => {
    for (const target of ["base", "new"]) {
      const left = leftOut(alike, target, 50);
      expect(assertBoth("toBeNoSlowerThan", left, "base")).toEqual(CANNOT_BE_TOLD);
      expect(assertBoth("toBeNoSlowerThan", left, "base", { connections: 10 })).toEqual(HOLDS);
      expect(messageOf("toBeNoSlowerThan", left, "base")).toContain(`${target} was not measured at 50 connections`);
    }
  });

  it("cannot be told where the other result lacks a level or a target, or neither has measured one", () => {
    const startedAt = "2026-01-02T00:00:00.000Z";
    const base = aRun({ targets: { one: slower(1) } });
    const more = aRun({ targets: { one: slower(1.001), two: slower(1) }, result: { startedAt } });
    const less = aRun({ targets: { one: slower(1) }, scenario: { levels: [{ connections: 10, durationMs: 3000 }] } });
    expect(assertBoth("toBeNoSlowerThan", more, base)).toEqual(CANNOT_BE_TOLD);
    expect(assertBoth("toBeNoSlowerThan", more, base, { target: "one" })).toEqual(HOLDS);
    expect(assertBoth("toBeNoSlowerThan", more, less, { target: "one" })).toEqual(CANNOT_BE_TOLD);
    expect(messageOf("toBeNoSlowerThan", more, less, { target: "one" })).toContain("only B was measured at 50");
    const [lackA, lackB] = [leftOut(base, "one", 50), leftOut(more, "one", 50)];
    expect(assertBoth("toBeNoSlowerThan", lackB, lackA, { target: "one" })).toEqual(CANNOT_BE_TOLD);
  });

  it("compares with the result of another run", () => {
    const base = aRun({ targets: { one: slower(1) } });
    const other = aRun({ targets: { one: slower(1.4) }, result: { startedAt: "2026-01-02T00:00:00.000Z" } });
    expect(assertBoth("toBeNoSlowerThan", other, base)).toEqual(HOLDS_NOT);
    expect(assertBoth("toBeNoSlowerThan", { result: other }, { path: "/x/result.json", result: base })).toEqual(
      HOLDS_NOT,
    );
    expect(assertBoth("toBeNoSlowerThan", base, other)).toEqual(HOLDS);
  });

  it("compares targets of two runs that are named", () => {
    const other: Result = { ...slow, startedAt: "2026-01-02T00:00:00.000Z" };
    const targets = [["base", "new"]];
    expect(assertBoth("toBeNoSlowerThan", other, alike, { targets })).toEqual(HOLDS_NOT);
    expect(assertBoth("toBeNoSlowerThan", other, alike, { target: "new" })).toEqual(HOLDS_NOT);
  });

  it("cannot be told by too few trials, on another machine, or of a copy", () => {
    const base = aRun({ targets: { one: slower(1) } });
    const copy: Result = { ...base, startedAt: "2026-01-02T00:00:00.000Z" };
    const elsewhere: Result = {
      ...aRun({ targets: { one: slower(1.4) } }),
      environment: { ...(base.environment as NonNullable<Result["environment"]>), cpuModel: "Another CPU" },
    };
    expect(assertBoth("toBeNoSlowerThan", few, "base")).toEqual(CANNOT_BE_TOLD);
    expect(assertBoth("toBeNoSlowerThan", elsewhere, base)).toEqual(CANNOT_BE_TOLD);
    expect(assertBoth("toBeNoSlowerThan", copy, base)).toEqual(CANNOT_BE_TOLD);
  });

  it("cannot be told where a level is lacking, or a run was cut short", () => {
    const base = aRun({ targets: { one: slower(1) } });
    const fewer = aRun({
      targets: { one: slower(1.001) },
      scenario: { levels: [{ connections: 10, durationMs: 3000 }] },
      result: { startedAt: "2026-01-02T00:00:00.000Z" },
    });
    expect(assertBoth("toBeNoSlowerThan", fewer, base)).toEqual(CANNOT_BE_TOLD);
    expect(assertBoth("toBeNoSlowerThan", fewer, base, { connections: 10 })).toEqual(HOLDS);
    expect(assertBoth("toBeNoSlowerThan", { ...alike, complete: false }, "base")).toEqual(CANNOT_BE_TOLD);
    expect(assertBoth("toBeNoSlowerThan", { ...slow, complete: false }, "base")).toEqual(HOLDS_NOT);
  });

  it("cannot be told where an error leaves the figures in doubt", () => {
    const lost = aRun({
      targets: { base: slower(1), new: slower(1.001) },
      change: (step) =>
        step.trial === 1 ? withCounts(step, ({ sent, ...rest }) => ({ ...rest, sent: sent + 7 })) : step,
    });
    expect(assertBoth("toBeNoSlowerThan", lost, "base")).toEqual(CANNOT_BE_TOLD);
  });

  it("cannot be told where it is slower at one level, and an error leaves another in doubt", () => {
    const lost = aRun({
      targets: { base: slower(1), new: slower(1.4) },
      change: (step) =>
        step.level.connections === 10 ? withCounts(step, ({ sent, ...rest }) => ({ ...rest, sent: sent + 7 })) : step,
    });
    expect(assertBoth("toBeNoSlowerThan", lost, "base")).toEqual(CANNOT_BE_TOLD);
    expect(assertBoth("toBeNoSlowerThan", lost, "base", { connections: 50 })).toEqual(HOLDS_NOT);
  });

  it("does not hold where requests fail more often, and calls that by its name, not slower", () => {
    const fails = aRun({ targets: { base: slower(1), new: () => ({ requests: { non2xx: 100 } }) } });
    expect(assertBoth("toBeNoSlowerThan", fails, "base")).toEqual(CANNOT_BE_TOLD);
    expect(messageOf("toBeNoSlowerThan", fails, "base")).toContain("slower was not shown");
  });

  it.each<[string, readonly unknown[], string]>([
    ["a baseline that is neither target nor file", ["bse"], 'Did you mean "base"?'],
    ["no baseline", [undefined], "Expected the baseline to be a result"],
    ["options that are null", ["base", null], "got null"],
    ["a margin that is none", ["base", { margin: 5 }], 'Did you mean "5%"?'],
    ["an option that there is not", ["base", { marign: "5%" }], 'got "marign"'],
    ["the baseline itself", ["base", { target: "base" }], "got itself"],
    ["pairs beside a target of the run", ["base", { targets: [["a", "b"]] }], "targets: expected none"],
  ])("throws for %s", (_, args, message) => {
    expect(() => assertBoth("toBeNoSlowerThan", alike, ...args)).toThrow(message);
  });

  it("throws for the only target of a run", () => {
    expect(() => assertBoth("toBeNoSlowerThan", run, "single")).toThrow("the result has no other");
  });
});

describe("toPass", () => {
  it.each([
    ["pass", HOLDS],
    ["fail", HOLDS_NOT],
    ["inconclusive", CANNOT_BE_TOLD],
  ] as const)("goes by the verdict %s", (status, expected) => {
    expect(assertBoth("toPass", { ...run, verdict: { status, findings: [] } })).toEqual(expected);
  });

  it("cannot be told of a run that was cut short", () => {
    expect(assertBoth("toPass", cutShort)).toEqual(CANNOT_BE_TOLD);
  });
});

describe("every matcher", () => {
  const ARGS: Readonly<Record<Matcher, readonly unknown[]>> = {
    toMeet: ["p99<1s"],
    toHaveNoFailures: [],
    toBeNoSlowerThan: ["single"],
    toPass: [],
  };
  const names = Object.keys(matchers) as Matcher[];

  it.each(names)("takes the outcome of a sweep as its result: %s", (name) => {
    const args = name === "toBeNoSlowerThan" ? ["base"] : ARGS[name];
    const result = name === "toBeNoSlowerThan" ? aRun({ targets: { base: slower(1), new: slower(1.001) } }) : run;
    expect(assertBoth(name, { result, folder: null, files: [], problems: [] }, ...args)).toEqual(HOLDS);
  });

  it.each(names)("throws for what is no result, with .not as well: %s", (name) => {
    for (const [received, message] of [
      [Promise.resolve(run), "wait for it with await"],
      [undefined, "undefined"],
      [null, "null"],
      [[], "an array"],
      ["result.json", "a string"],
      [{ result: 1 }, "an object with result"],
    ] as const) {
      expect(() => assertBoth(name, received, ...ARGS[name])).toThrow(message);
    }
  });

  it("throws inside of another matcher, which knows no third answer, for what cannot be told", () => {
    const inside = (isNot: boolean) => ({ isNot, equals: Object.is });
    for (const isNot of [false, true]) {
      expect(() => matchers.toMeet.call(inside(isNot), cutShort, "p99<1s")).toThrow("that cannot be told");
      expect(matchers.toMeet.call(inside(isNot), run, "p99<1s").pass).toBe(true);
      expect(matchers.toMeet.call({ ...inside(isNot), promise: "" }, cutShort, "p99<1s").pass).toBe(isNot);
    }
    expect.extend(matchers);
    const within = expect as unknown as Pick<AsymmetricResultMatchers, "toMeet"> & {
      readonly not: AsymmetricResultMatchers;
    };
    expect({ r: run }).toEqual({ r: within.toMeet("p99<1s") });
    expect({ r: run }).not.toEqual({ r: within.toMeet("p99<1ms") });
    expect({ r: run }).toEqual({ r: within.not.toMeet("p99<1ms") });
    expect(() => expect({ r: cutShort }).not.toEqual({ r: within.toMeet("p99<1s") })).toThrow("that cannot be told");
    expect(() => expect({ r: cutShort }).toEqual({ r: within.not.toMeet("p99<1s") })).toThrow("that cannot be told");
  });

  it.each(["toMeet", "toHaveNoFailures"] as const)("of a search only its verdict can be asked for: %s", (name) => {
    expect(() => assertBoth(name, { ...run, search: [] }, ...ARGS[name])).toThrow("toPass()");
  });
});

function messageOf(name: Matcher, received: unknown, ...args: readonly unknown[]): string {
  const call = matchers[name] as (this: object, ...all: readonly unknown[]) => MatcherOutcome;
  return call.call({}, received, ...args).message();
}

/** A run that left out what a target was to be measured at, as a stop rule makes it. */
function leftOut(result: Result, target: string, connections: number): Result {
  const steps = result.steps.filter((step) => step.target !== target || step.level.connections !== connections);
  return { ...result, steps };
}

/** Puts figures far from each other in place of those of a step, by its trial. */
function withNoise(step: Step, metric: "throughput" | "p50" | "p99"): Step {
  const { measurement } = step;
  if (measurement === undefined) return step;
  const factor = [0.5, 1.5, 1, 1.4, 0.6][step.trial - 1] ?? 1;
  const { latency, throughput } = measurement;
  if (metric === "throughput") return { ...step, measurement: { ...measurement, throughput: throughput * factor } };
  if (latency === undefined) return step;
  const changed = { ...latency, [metric]: (latency[metric] ?? 0) * factor };
  return { ...step, measurement: { ...measurement, latency: changed } };
}

type Step = Result["steps"][number];
type Counts = NonNullable<Step["measurement"]>["requests"];

function withCounts(step: Step, change: (counts: Counts) => Counts): Step {
  const { measurement } = step;
  if (measurement === undefined) return step;
  return { ...step, measurement: { ...measurement, requests: change(measurement.requests) } };
}

function withDoubt(step: Step): Step {
  const { measurement } = step;
  if (measurement === undefined) return step;
  return { ...step, measurement: { ...measurement, doubts: [{ figure: "errors", because: "closed-uncounted" }] } };
}
