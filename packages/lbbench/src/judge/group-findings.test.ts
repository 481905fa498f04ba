import { describe, expect, it } from "vitest";
import type { Finding, FindingArgs, FindingCode } from "../model/finding.js";
import { aStep } from "../test-support/fixtures.js";
import { groupFindings } from "./group-findings.js";

/** Groups findings of one code, the first at 1 connection, the second at 2, ... */
function group(code: FindingCode, ...each: readonly FindingArgs[]): readonly Finding[] {
  return groupFindings(
    each.map((args, index) => ({
      finding: { code, severity: "warning", args },
      step: aStep({ level: { connections: index + 1, durationMs: 3000 } }),
    })),
  );
}

describe("groupFindings", () => {
  it.each<[string, FindingArgs, FindingArgs]>([
    ["connections that were never open", { asked: 50, opened: 40 }, { asked: 50, opened: 0 }],
    ["requests that could not leave", { rate: 100, planned: 300, unsent: 3 }, { rate: 100, planned: 300, unsent: 90 }],
    ["requests that left late", { rate: 100, latenessMs: 11 }, { rate: 100, latenessMs: 130 }],
  ])("names the worst of the levels that were not reached by %s", (_, mild, bad) => {
    expect(group("LEVEL_NOT_REACHED", mild, bad, mild)).toEqual([
      expect.objectContaining({ args: expect.objectContaining({ ...bad, levels: "1, 2, 3", connections: 2 }) }),
    ]);
  });

  it("keeps apart levels that were not reached for different reasons", () => {
    const findings = group("LEVEL_NOT_REACHED", { rate: 9, planned: 9, unsent: 1 }, { rate: 9, latenessMs: 200 });
    expect(findings.map(({ args }) => args["levels"])).toEqual(["1", "2"]);
  });

  it("adds up the requests of all steps beside those of the worst", () => {
    const each = [
      { count: 7, sent: 34, share: 7 / 34, status: "503" },
      { count: 113, sent: 326, share: 113 / 326, status: "503" },
    ];
    expect(group("NON_2XX", ...each)[0]?.args).toMatchObject({
      ...each[1],
      allCount: 120,
      allSent: 360,
      allShare: 1 / 3,
      allStatus: "503",
    });
    const mixed = group("NON_2XX", ...each.map((args, index) => ({ ...args, status: `50${index}` })));
    expect(mixed[0]?.args).not.toHaveProperty("allStatus");
    expect(group("ALL_FAILED", { sent: 30, inFlight: 1 }, { sent: 40, inFlight: 2 })[0]?.args).toMatchObject({
      allSent: 70,
      allInFlight: 3,
    });
  });

  it("adds up nothing of a single step, nor of what is no number of requests", () => {
    const single = group("NON_2XX", { count: 7, sent: 34, share: 7 / 34 });
    const others = group("FIGURE_NOT_TOLD", { ok: 3, sent: 4 }, { ok: 3, sent: 4 });
    expect(
      [...single, ...others].flatMap(({ args }) => Object.keys(args)).filter((name) => /^all[A-Z]/.test(name)),
    ).toEqual([]);
  });

  it("says when none is worse than another", () => {
    expect(group("MACHINE_SATURATED", { machine: 1 }, { machine: 0.998 })[0]?.args).toMatchObject({
      alike: 1,
      steps: 2,
    });
    expect(group("MACHINE_SATURATED", { machine: 1 }, { machine: 0.96 })[0]?.args).not.toHaveProperty("alike");
    expect(group("MACHINE_SATURATED", { machine: 1 })[0]?.args).not.toHaveProperty("alike");
  });
});
