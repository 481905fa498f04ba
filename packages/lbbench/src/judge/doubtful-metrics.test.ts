import { describe, expect, it } from "vitest";
import type { Finding, FindingCode } from "../model/finding.js";
import { doubtAbout } from "./doubtful-metrics.js";

function failures(code: FindingCode, share?: number): Finding {
  return { code, severity: "warning", args: share === undefined ? {} : { share } };
}

describe("doubtAbout", () => {
  it("leaves throughput and percentiles alone when one request of 150 000 failed", () => {
    const findings = [failures("NON_2XX", 1 / 150_000)];
    expect((["throughput", "p50", "p99"] as const).map((metric) => doubtAbout(metric, { findings }))).toEqual(
      Array(3).fill(undefined),
    );
  });

  it("doubts figures that so few can move: the mean, which a few that timed out do, and the last thousandth", () => {
    const findings = [failures("TIMEOUTS", 1 / 150_000)];
    expect((["mean", "p999", "max"] as const).map((metric) => doubtAbout(metric, { findings }))).toEqual(
      Array(3).fill("TIMEOUTS"),
    );
  });

  it.each<[string, readonly Finding[], FindingCode | undefined]>([
    ["a thousandth failed", [failures("NON_2XX", 0.001)], undefined],
    ["more than a thousandth failed", [failures("NON_2XX", 0.0011)], "NON_2XX"],
    ["as many failed in two ways", [failures("NON_2XX", 0.0006), failures("CONNECT_ERRORS", 0.0006)], "NON_2XX"],
    ["it is not told how many failed", [failures("NON_2XX")], "NON_2XX"],
    ["few failed, and the step was too short", [failures("NON_2XX", 0.0001), failures("TOO_SHORT")], "TOO_SHORT"],
    ["nothing failed", [], undefined],
  ])("of throughput when %s", (_, findings, expected) => {
    expect(doubtAbout("throughput", { findings })).toBe(expected);
  });

  it("never doubts the count of failed requests for being failures", () => {
    expect(doubtAbout("errors", { findings: [failures("NON_2XX", 0.5)] })).toBeUndefined();
  });
});
