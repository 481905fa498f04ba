import { describe, expect, it } from "vitest";
import type { SearchOutcome } from "../model/search.js";
import { aScenario } from "../test-support/fixtures.js";
import { describeLimits } from "./compare-limits.js";

const found = (target: string, held: number, broken: number, doubt?: string): SearchOutcome => ({
  target,
  by: "connections",
  status: "found",
  held,
  broken,
  tried: [
    {
      value: broken,
      decision: "broken",
      held: 0,
      broken: 2,
      unclear: 0,
      because: "errors<=0",
      ...(doubt === undefined ? {} : { doubt }),
    },
  ],
  beyond: null,
});

const limitsOf = (search: readonly SearchOutcome[], trials = 2): readonly string[] =>
  describeLimits({ search, scenario: aScenario({ trials }) });

describe("describeLimits", () => {
  it("says which holds the most, and between how many times as much and how many that is", () => {
    expect(limitsOf([found("in turn", 18, 19), found("by weight", 63, 64), found("fewest", 28, 29)])).toEqual([
      "Most connections that held: 63 (by weight), 28 (fewest), 18 (in turn).",
      "by weight holds more than fewest (2.17 to 2.29 times as much), in turn (3.32 to 3.56 times as much).",
    ]);
  });

  it("claims no difference between limits that may be the same", () => {
    expect(limitsOf([found("a", 60, 64), found("b", 58, 62), found("c", 20, 22)])).toEqual([
      "Most connections that held: 60 (a), 58 (b), 20 (c).",
      "a holds more than c (2.73 to 3.20 times as much).",
      "Between a and b no difference can be claimed (~).",
    ]);
  });

  it("claims none of a limit that may be that of the machine", () => {
    expect(limitsOf([found("a", 60, 64), found("b", 20, 22, "MACHINE_SATURATED")]).at(-1)).toBe(
      "Between a and b, whose limit may not be its own, no difference can be claimed (~).",
    );
  });

  it("counts what held at the most that was tried as more than what did not, and what held nothing as less", () => {
    const unbounded: SearchOutcome = { ...found("a", 400, 0), status: "unbounded", broken: null, tried: [] };
    const nothing: SearchOutcome = { ...found("b", 0, 1), status: "nothing-held", held: null };
    expect(limitsOf([nothing, unbounded]).at(-1)).toBe("a holds more than b (which held none).");
  });

  it("says at least how many times where the higher limit is not known, or may not be that of the target", () => {
    const unbounded: SearchOutcome = { ...found("a", 1000, 0), status: "unbounded", broken: null, tried: [] };
    for (const most of [unbounded, found("a", 1000, 1100, "MACHINE_SATURATED")]) {
      expect(limitsOf([most, found("b", 50, 100)]).at(-1)).toBe("a holds more than b (at least 10.0 times as much).");
    }
  });

  it("names those whose limit was not found", () => {
    const told = limitsOf([found("a", 60, 64), found("b", 20, 22), { ...found("c", 70, 80), status: "unclear" }]);
    expect(told.at(-1)).toBe("How c compares cannot be said: no limit was found of it.");
    expect(told).toHaveLength(3);
  });

  it("claims nothing of one trial", () => {
    expect(limitsOf([found("a", 60, 64), found("b", 20, 22)], 1).at(-1)).toMatch(/one trial cannot be told from noise/);
  });

  it("leaves out what was not found, and says nothing of a single target or of a sweep", () => {
    expect(limitsOf([found("a", 60, 64), { ...found("b", 20, 22), status: "unclear" }])).toEqual([]);
    expect(describeLimits({ scenario: aScenario() })).toEqual([]);
  });
});
