import { describe, expect, it } from "vitest";
import type { Finding } from "../model/finding.js";
import type { StepResult } from "../model/result.js";
import { aMeasurement, aScenario, aStep } from "../test-support/fixtures.js";
import type { MeasurementOverrides } from "../test-support/fixtures.js";
import type { BytesPerAnswer } from "./bytes-per-answer.js";
import { findBytesDiffer } from "./bytes-differ.js";
import { compareBytes } from "./compare-bytes.js";

describe("compareBytes", () => {
  it.each<[string, BytesPerAnswer, BytesPerAnswer, string]>([
    ["bodies of 12 and of 1 200 bytes", { received: 162, body: 12 }, { received: 1350, body: 1200 }, "body"],
    ["bodies, where nobody tells the heads", { body: 12 }, { body: 1200 }, "body"],
    [
      "bodies, of which one was counted without its head",
      { received: 1200, body: 1200 },
      { received: 162, body: 12 },
      "body",
    ],
    ["an engine that counts the body alone", { received: 12, body: 12 }, { received: 162, body: 12 }, "counting"],
    ["an engine that counts nothing", { received: 0, body: 12 }, { received: 162, body: 12 }, "counting"],
    ["an engine that counts nothing, and tells no body", { received: 0 }, { received: 162 }, "counting"],
    ["transfer rates of which only the sum is known", { received: 162 }, { received: 2430 }, "unknown"],
    ["a head of a thousand bytes", { received: 1012, body: 12 }, { received: 162, body: 12 }, "head"],
  ])("finds %s, whichever side it is on", (_, one, other, reason) => {
    expect(compareBytes(one, other)?.reason).toBe(reason);
    expect(compareBytes(other, one)?.reason).toBe(reason);
  });

  it.each<[string, BytesPerAnswer, BytesPerAnswer]>([
    ["equal answers", { received: 162, body: 12 }, { received: 162, body: 12 }],
    ["a header that a balancer adds", { received: 162, body: 12 }, { received: 220, body: 12 }],
    ["a body that is a few bytes longer", { received: 162, body: 12 }, { received: 180, body: 30 }],
    ["a body whose length is told of one alone", { received: 162 }, { received: 170, body: 12 }],
    ["what one does not tell", {}, { received: 162, body: 12 }],
    ["what one tells of the whole, and the other of the body", { body: 12 }, { received: 162 }],
    ["the heads of gRPC, which are compressed", { received: 46, body: 12 }, { received: 60, body: 12 }],
  ])("does not find %s", (_, one, other) => {
    expect(compareBytes(one, other)).toBeUndefined();
    expect(compareBytes(other, one)).toBeUndefined();
  });

  it("gives the bytes of both, and leaves out what is not told", () => {
    expect(compareBytes({ received: 12, body: 12 }, { received: 162 })?.figures).toEqual({
      received: 12,
      body: 12,
      otherReceived: 162,
    });
  });
});

describe("findBytesDiffer", () => {
  function step(target: string, measurement: MeasurementOverrides = {}, rest: Partial<StepResult> = {}): StepResult {
    return aStep({ target, measurement: aMeasurement(measurement), ...rest });
  }

  function find(steps: readonly StepResult[], reference: string | null = null): readonly Finding[] {
    const names = [...new Set(steps.map(({ target }) => target))];
    const targets = names.map((name) => ({ name, server: "url", options: {} }));
    return findBytesDiffer({ scenario: aScenario({ targets, reference }), steps });
  }

  const LARGE = { bytes: { received: 15_000 * 1350, body: 15_000 * 1200 } };

  it("names both targets, and the bytes of their answers", () => {
    expect(find([step("node"), step("go", LARGE)])).toEqual([
      {
        code: "BYTES_DIFFER",
        severity: "warning",
        args: {
          target: "go",
          other: "node",
          reason: "body",
          received: 1350,
          body: 1200,
          otherReceived: 160,
          otherBody: 12,
        },
      },
    ]);
  });

  it("compares with the reference where there is one", () => {
    expect(
      find([step("a"), step("b", LARGE), step("c")], "b").map(({ args }) => [args["target"], args["other"]]),
    ).toEqual([
      ["a", "b"],
      ["c", "b"],
    ]);
  });

  it("names the engines when they are not the same", () => {
    const bodies = { bytes: { received: 15_000 * 12 } };
    const [finding] = find([step("a"), step("a-by-ab", bodies, { engine: "ab" })]);
    expect(finding?.args).toMatchObject({ reason: "counting", engine: "ab", otherEngine: "autocannon" });
  });

  it("takes a longer head for worth knowing, because it was sent in truth", () => {
    expect(find([step("a"), step("b", { bytes: { received: 15_000 * 900 } })])[0]?.severity).toBe("info");
  });

  it.each<[string, readonly StepResult[]]>([
    ["a single target", [step("a", LARGE)]],
    ["targets that answer alike", [step("a"), step("b")]],
    [
      "steps of which many requests failed",
      [step("a"), step("b", { ...LARGE, requests: { ok: 15_000, non2xx: 500 } })],
    ],
    ["steps that were cut short", [step("a"), step("b", LARGE, { state: "aborted" })]],
    ["a handful of answers", [step("a"), step("b", { bytes: { received: 9000 }, requests: { ok: 9 } })]],
    ["a target that was not measured", [step("a"), aStep({ target: "b", state: "failed" })]],
  ])("says nothing of %s", (_, steps) => {
    expect(find(steps)).toEqual([]);
  });
});
