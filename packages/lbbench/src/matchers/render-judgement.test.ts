import { describe, expect, it } from "vitest";
import type { Result } from "../model/result.js";
import { textWidth } from "../report/text-width.js";
import { matchers } from "./matchers.js";
import type { MatcherOutcome } from "./judgement.js";
import { aRun, slower } from "./test-support/a-run.js";

const slow = aRun({ targets: { base: slower(1), new: slower(1.4) } });
const failing = aRun({
  targets: { single: ({ level }) => (level.connections === 50 ? { requests: { non2xx: 40, timedOut: 2 } } : {}) },
});
const tooShort = aRun({ scenario: { levels: [{ connections: 10, requests: 100 }] } });
const few = aRun({ targets: { base: slower(1), new: slower(1.4) }, scenario: { trials: 2 } });
const cutShort = aRun({ result: { complete: false } });
const elsewhere = aRun({
  targets: { new: slower(1.4) },
  result: { environment: { ...(slow.environment as NonNullable<Result["environment"]>), cpuModel: "Another CPU" } },
});

function say(name: keyof typeof matchers, isNot: boolean, received: unknown, ...args: readonly unknown[]): string {
  const call = matchers[name] as (this: object, ...all: readonly unknown[]) => MatcherOutcome;
  return call.call({ isNot }, received, ...args).message();
}

const MESSAGES: readonly (readonly [string, string])[] = [
  ["a threshold that is missed", say("toMeet", false, slow, "p99<25ms")],
  ["two thresholds, one of them missed", say("toMeet", false, failing, ["errors<0.1%", "p50<1s"])],
  ["a threshold in doubt", say("toMeet", false, tooShort, "p99<1s")],
  ["a threshold that holds, of .not", say("toMeet", true, slow, ["p99<1s", "throughput>10"])],
  ["a threshold in doubt, of .not", say("toMeet", true, tooShort, "p99<1s")],
  ["a threshold of a run that was cut short", say("toMeet", false, cutShort, "p99<1s")],
  ["requests that failed", say("toHaveNoFailures", false, failing)],
  ["no request that failed, of .not", say("toHaveNoFailures", true, slow)],
  ["a target that is slower", say("toBeNoSlowerThan", false, slow, "base", { margin: "10%" })],
  ["a target that is not slower, of .not", say("toBeNoSlowerThan", true, slow, "new")],
  ["too few trials", say("toBeNoSlowerThan", false, few, "base")],
  ["another machine", say("toBeNoSlowerThan", false, elsewhere, aRun({ targets: { new: slower(1) } }))],
  ["a verdict that is fail", say("toPass", false, { ...slow, verdict: failedVerdict() })],
  [
    "a verdict that is inconclusive",
    say("toPass", false, { ...tooShort, verdict: { status: "inconclusive", findings: [] } }),
  ],
  ["a verdict that is pass, of .not", say("toPass", true, slow)],
];

function failedVerdict(): unknown {
  const args = {
    threshold: "p99<25ms",
    metric: "p99",
    actual: 31,
    target: "new",
    levels: "10, 50",
    steps: 10,
    connections: 50,
    trial: 5,
  };
  return { status: "fail", findings: [{ code: "THRESHOLD_FAILED", severity: "error", args }] };
}

describe("a message", () => {
  it.each(MESSAGES)("tells of %s", (_, message) => {
    expect(message).toMatchSnapshot();
  });

  it.each(MESSAGES)("keeps to 99 columns: %s", (_, message) => {
    expect(Math.max(...message.split("\n").map(textWidth))).toBeLessThanOrEqual(99);
  });

  it("shows no control character of a name, and a long one shortened", () => {
    const name = `\u001b[31m${"evil ".repeat(200)}\r\n${"x".repeat(500)}\u202e`;
    const run = aRun({ targets: { base: slower(1), [name]: slower(1.4) } });
    for (const message of [
      say("toMeet", false, run, "p99<25ms"),
      say("toHaveNoFailures", true, run),
      say("toBeNoSlowerThan", false, run, "base"),
      say("toBeNoSlowerThan", false, { ...run, steps: [] }, "base"),
      say("toPass", false, {
        ...run,
        verdict: {
          status: "fail",
          findings: [{ code: "THRESHOLD_FAILED", severity: "error", args: { target: name } }],
        },
      }),
    ]) {
      // oxlint-disable-next-line no-control-regex
      expect(message).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/);
      expect(Math.max(...message.split("\n").map(textWidth))).toBeLessThanOrEqual(99);
      expect(message.length).toBeLessThan(3000);
    }
  });

  it("lists ten lines, and says how many more there are", () => {
    const levels = Array.from({ length: 30 }, (_, at) => ({ connections: at + 1, durationMs: 3000 }));
    const message = say("toMeet", false, aRun({ scenario: { levels, trials: 1 } }), "p99<1ms");
    expect(message.match(/missed in/g)).toHaveLength(10);
    expect(message).toContain("and 20 more like these");
  });
});
