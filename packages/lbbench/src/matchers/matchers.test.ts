import { describe, expect, it } from "vitest";
import { ConfigError } from "../config/config-error.js";
import { parseThreshold } from "../config/parsers.js";
import {
  aRun,
  changed,
  judged,
  type Remeasure,
  remeasured,
  type RunShape,
} from "../judge/test-support/compare-samples.js";
import type { Result } from "../model/result.js";
import { textWidth } from "../report/text-layout.js";
import { aFailedStep } from "../test-support/fixtures.js";
import { type AsymmetricResultMatchers, type MatcherOutcome, matchers } from "./matchers.js";

type Matcher = keyof typeof matchers;
const UNKNOWN = "cannot be told";
const SLOWER = "toBeNoSlowerThan";

function call(name: Matcher, isNot: boolean, received: unknown, ...args: readonly unknown[]): MatcherOutcome {
  const matcher = matchers[name] as (this: object, ...all: readonly unknown[]) => MatcherOutcome;
  return matcher.call({ isNot }, received, ...args);
}

/** What `expect(received)` and `expect(received).not` make of a matcher: whether the assertion holds. */
function outcome(name: Matcher, received: unknown, ...args: readonly unknown[]): string {
  const [plain, not] = [call(name, false, received, ...args).pass, !call(name, true, received, ...args).pass];
  return plain ? "holds" : not ? "does not hold" : UNKNOWN;
}

/** A run in which each target takes so many times as long as one that takes once. */
function run(times: Readonly<Record<string, number>>, shape: RunShape = {}, change: Remeasure = () => ({})): Result {
  const speed: RunShape["speed"] = (trial, _, target) => (1 + trial / 500) / (times[target] ?? 1);
  const given = aRun({ targets: Object.keys(times), connections: [10, 50], trials: 6, speed, ...shape });
  return judged(remeasured(given, change));
}
const lost: Remeasure = ({ requests }) => ({ requests: { ...requests, sent: requests.sent + 7 } });
/** A run that left out what a target was to be measured at, as a stop rule makes it. */
const leftOut = (result: Result, target: string, connections: number): Result => ({
  ...result,
  steps: result.steps.filter((step) => step.target !== target || step.level.connections !== connections),
});
/** A run in which a target died at 50 connections. */
const died = (who: string): Result =>
  judged(
    changed(alike, (step) => {
      const { target, level, trial } = step;
      return target === who && level.connections === 50 ? aFailedStep({ target, level, trial }) : step;
    }),
  );
const later = { startedAt: "2026-01-02T00:00:00.000Z" };

const one = run({ single: 1 });
const cutShort = { ...one, complete: false };
const tooShort = run({ single: 1 }, { scenario: { levels: [{ connections: 10, requests: 100 }] } });
const undecided = { ...tooShort, verdict: { status: "inconclusive", findings: [] } };
const failing = run({ single: 1 }, { failed: (_, connections) => (connections === 50 ? 0.02 : 0) });
const allFailed = run({ single: 1 }, { failed: () => 1 });
const alike = run({ base: 1, new: 1.001 });
const slow = run({ base: 1, new: 1.4 });
const few = run({ base: 1, new: 1.4 }, { trials: 2 });
const failsMore = run({ base: 1, new: 1 }, { failed: (trial, _, name) => (name === "new" ? 0.02 + trial / 1e4 : 0) });
const machine = one.environment ?? aRun().environment;
const elsewhere = { ...run({ new: 1.4 }), ...later, environment: machine && { ...machine, cpuModel: "Another CPU" } };
/** The median of one target is far from itself at one level, from trial to trial. */
const noisy = run({ base: 1, new: 1.001 }, {}, ({ latency, throughput }, { target, level, trial }) => {
  const factor = [0.5, 1.5, 1, 1.4, 0.6][trial - 1] ?? 1;
  return target === "new" && level.connections === 50
    ? { throughput: throughput / factor, latency: { ...latency, p50: factor * (latency?.p50 ?? 0) } }
    : {};
});
const ownRules = { thresholds: [parseThreshold("p99<1ms")], reference: "base", margin: 0.05 };
const failedAsAWhole = run({ base: 1, new: 2 }, { scenario: ownRules });
const three = run({ a: 2, b: 1, c: 2 }, { scenario: { reference: "b" } });
const two = { ...run({ one: 1.001, two: 1 }), ...later };
const lessLevels = run({ one: 1 }, { connections: [10] });

describe("an assertion", () => {
  it.each<[string, string, Matcher, unknown, ...unknown[]]>([
    ["does not hold", "of one of several that misses in one step", "toMeet", one, ["errors<1%", "throughput>1003"]],
    ["holds", "of a level", "toMeet", slow, "p50<20ms", { target: "base", connections: 10 }],
    ["does not hold", "of two levels", "toMeet", slow, "p50<20ms", { target: "base", connections: [10, 50] }],
    [UNKNOWN, "of latency without an answer", "toMeet", allFailed, "p99<1s"],
    ["holds", "whatever the thresholds and the margin of the run itself", "toMeet", failedAsAWhole, "p99<1s"],
    ["holds", "of no failures, where every request was answered as expected", "toMeet", one, "errors<=0"],
    ["does not hold", "of failures in a run cut short", "toMeet", { ...failing, complete: false }, "errors<=0"],
    ["does not hold", "of another target that is slower", SLOWER, slow, "base"],
    ["holds", "by a margin as a text", SLOWER, slow, "base", { margin: "60%" }],
    ["does not hold", "of all other targets", SLOWER, run({ base: 1, same: 1.001, new: 1.4 }), "base"],
    ["holds", "of those named", SLOWER, run({ base: 1, same: 1.001, new: 1.4 }), "base", { target: "same" }],
    ["holds", "whatever the reference of the run", SLOWER, three, "a", { target: "c" }],
    ["holds", "of the level at which it can be told", SLOWER, noisy, "base", { connections: 10 }],
    [UNKNOWN, "where it lacks a level", SLOWER, leftOut(alike, "new", 50), "base"],
    ["does not hold", "of one that fails more requests", SLOWER, failsMore, "base"],
    ["does not hold", "of one that is slower so far", SLOWER, { ...slow, complete: false }, "base"],
    [UNKNOWN, "of one beside another that died", SLOWER, died("base"), "base"],
    [UNKNOWN, "where an error leaves figures in doubt", SLOWER, run({ base: 1, new: 1.001 }, {}, lost), "base"],
    ["holds", "of another run that was slower", SLOWER, run({ one: 1 }), { ...run({ one: 1.4 }), ...later }],
    [
      "does not hold",
      "of outcomes in place of results",
      SLOWER,
      { result: { ...run({ one: 1.4 }), ...later } },
      { path: "/x", result: run({ one: 1 }) },
    ],
    ["does not hold", "of pairs of targets", SLOWER, { ...slow, ...later }, alike, { targets: [["base", "new"]] }],
    ["does not hold", "of a target of both", SLOWER, { ...slow, ...later }, alike, { target: "new" }],
    [UNKNOWN, "of a target that the other run lacks", SLOWER, two, run({ one: 1 })],
    ["holds", "of a level that it has", SLOWER, two, lessLevels, { target: "one", connections: 10 }],
    [UNKNOWN, "of the verdict of a run that was cut short", "toPass", cutShort],
  ])("%s %s (%s)", (expected, _, name, received, ...args) => {
    expect(outcome(name, received, ...args)).toBe(expected);
  });

  it.each<[Matcher, Result, ...unknown[]]>([
    ["toMeet", one, "p99<1s"],
    [SLOWER, alike, "base"],
    ["toPass", one],
  ])("takes the outcome of a sweep for its result: %s", (name, result, ...args) => {
    expect(outcome(name, { result, folder: null, files: [], problems: [] }, ...args)).toBe("holds");
  });

  it.each<[string, Matcher, readonly unknown[], string]>([
    ["no threshold", "toMeet", [[]], "or several, got none"],
    ["a target that there is not", "toMeet", ["p99<1s", { target: "bse" }], 'Did you mean "base"?'],
    ["no target at all", "toMeet", ["p99<1s", { target: [] }], "at least one name"],
    ["no level at all", "toMeet", ["p99<1s", { connections: [] }], "at least one level"],
    ["a level that there is not", "toMeet", ["p99<1s", { rate: 9 }], "rate: expected a level of the result (conn"],
    ["a level that is a text", "toMeet", ["p99<1s", { connections: "10" }], 'a number, got "10", which is a string'],
    ["a part that is null", "toMeet", ["p99<1s", null], "got null"],
    ["a part that there is not", "toMeet", ["p99<1s", { targets: "single" }], 'Did you mean "target"?'],
    ["a baseline that is neither target nor file", SLOWER, ["bse"], 'Did you mean "base"?'],
    ["options that are null", SLOWER, ["base", null], "got null"],
    ["a margin that is none", SLOWER, ["base", { margin: 5 }], 'Did you mean "5%"?'],
    ["an option that there is not", SLOWER, ["base", { marign: "5%" }], 'got "marign"'],
    ["the baseline itself", SLOWER, ["base", { target: "base" }], "got itself"],
    ["pairs beside a target of the run", SLOWER, ["base", { targets: [["a", "b"]] }], "targets: expected none"],
  ])("throws for %s (%s), with .not as well", (_, name, args, message) => {
    for (const isNot of [false, true]) {
      expect(() => call(name, isNot, alike, ...args)).toThrow(ConfigError);
      expect(() => call(name, isNot, alike, ...args)).toThrow(message);
    }
  });

  const ARGS = { toMeet: ["p99<1s"], toBeNoSlowerThan: ["single"], toPass: [] } as const;

  it.each(Object.keys(ARGS) as Matcher[])("throws for what is no result, with .not as well: %s", (name) => {
    for (const [received, message] of [
      [Promise.resolve(one), "wait for it with await"],
      [undefined, "undefined"],
      [null, "null"],
      [[], "an array"],
      ["result.json", "a string"],
      [{ result: 1 }, "an object with result"],
    ] as const) {
      expect(() => outcome(name, received, ...ARGS[name])).toThrow(message);
    }
  });

  it("asks only for the verdict of a search, and needs another target to compare with", () => {
    expect(() => outcome("toMeet", { ...one, search: [] }, ...ARGS.toMeet)).toThrow("toPass()");
    expect(() => outcome(SLOWER, one, "single")).toThrow("the result has no other");
  });

  it("throws inside of another matcher, which knows no third answer, for what cannot be told", () => {
    for (const isNot of [false, true]) {
      const inside = { isNot, equals: Object.is };
      expect(() => matchers.toMeet.call(inside, cutShort, "p99<1s")).toThrow("that cannot be told");
      expect(matchers.toMeet.call(inside, one, "p99<1s").pass).toBe(true);
      expect(matchers.toMeet.call({ ...inside, promise: "" }, cutShort, "p99<1s").pass).toBe(isNot);
    }
    expect.extend(matchers);
    const within = expect as unknown as Pick<AsymmetricResultMatchers, "toMeet"> & {
      readonly not: AsymmetricResultMatchers;
    };
    expect({ r: one }).toEqual({ r: within.toMeet("p99<1s") });
    expect({ r: one }).not.toEqual({ r: within.toMeet("p99<1ms") });
    expect({ r: one }).toEqual({ r: within.not.toMeet("p99<1ms") });
    expect(() => expect({ r: cutShort }).not.toEqual({ r: within.toMeet("p99<1s") })).toThrow("that cannot be told");
    expect(() => expect({ r: cutShort }).toEqual({ r: within.not.toMeet("p99<1s") })).toThrow("that cannot be told");
  });
});

describe("the message of an assertion", () => {
  const say = (name: Matcher, isNot: boolean, received: unknown, ...args: readonly unknown[]): string =>
    call(name, isNot, received, ...args).message();
  const verdict = (args: Readonly<Record<string, string | number>>): object => ({
    status: "fail",
    findings: [{ code: "THRESHOLD_FAILED", severity: "error", args }],
  });
  const missed = {
    threshold: "p99<25ms",
    metric: "p99",
    actual: 31,
    target: "new",
    levels: "10, 50",
    steps: 10,
    connections: 50,
    trial: 5,
  };

  it.each<[string, ...Parameters<typeof call>]>([
    ["a threshold that is missed", "toMeet", false, slow, "p99<25ms"],
    ["two thresholds, one of them missed", "toMeet", false, failing, ["errors<0.1%", "p50<1s"]],
    ["a threshold in doubt", "toMeet", false, tooShort, "p99<1s"],
    ["failures that no threshold is about", "toMeet", false, failing, "throughput>10"],
    [
      "a threshold that is missed beside failures that another one allows",
      "toMeet",
      false,
      failing,
      ["errors<5%", "p99<1ms"],
      { connections: 50 },
    ],
    ["a threshold that holds, of .not", "toMeet", true, slow, ["p99<1s", "throughput>10"]],
    ["a threshold in doubt, of .not", "toMeet", true, tooShort, "p99<1s"],
    ["a threshold of a run that was cut short", "toMeet", false, cutShort, "p99<1s", { connections: 10 }],
    ["a level that was left out", "toMeet", false, leftOut(slow, "new", 50), "p99<1s", { connections: 50 }],
    ["a target that is slower", SLOWER, false, slow, "base", { margin: "10%" }],
    ["a target that is not slower, of .not", SLOWER, true, slow, "new"],
    ["a target that died", SLOWER, false, died("new"), "base"],
    ["trials that vary too much", SLOWER, false, noisy, "base"],
    ["too few trials", SLOWER, false, few, "base"],
    ["another machine", SLOWER, false, elsewhere, run({ new: 1 })],
    ["a verdict that is fail", "toPass", false, { ...slow, verdict: verdict(missed) }],
    ["a verdict that is inconclusive", "toPass", false, undecided],
    ["a verdict that is pass, of .not", "toPass", true, slow],
  ])("tells of %s, in 99 columns", (_, ...asked) => {
    const { pass, message } = call(...asked);
    // Only an assertion that failed has a message.
    expect(pass).toBe(asked[1]);
    expect(message()).toMatchSnapshot();
    expect(Math.max(...message().split("\n").map(textWidth))).toBeLessThanOrEqual(99);
  });

  it("shows no control character of a name, and a long one shortened", () => {
    const name = `\u001b[31m${"evil ".repeat(200)}\r\n${"x".repeat(500)}\u202e`;
    const evil = run({ base: 1, [name]: 1.4 });
    for (const message of [
      say("toMeet", false, evil, "p99<25ms"),
      say("toMeet", true, evil, "errors<=0"),
      say(SLOWER, false, evil, "base"),
      say(SLOWER, false, { ...evil, steps: [] }, "base"),
      say("toPass", false, { ...evil, verdict: verdict({ target: name }) }),
    ]) {
      // oxlint-disable-next-line no-control-regex
      expect(message).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/);
      expect(Math.max(...message.split("\n").map(textWidth))).toBeLessThanOrEqual(99);
      expect(message.length).toBeLessThan(3000);
    }
  });

  it("lists ten lines, and says how many more there are", () => {
    const many = run({ single: 1 }, { connections: Array.from({ length: 30 }, (_, at) => at + 1), trials: 1 });
    const message = say("toMeet", false, many, "p99<1ms");
    expect(message.match(/missed in/g)).toHaveLength(10);
    expect(message).toContain("and 20 more like these");
  });
});
