import { describe, expect, it } from "vitest";
import type { SearchOutcome, TriedLevel } from "../model/search.js";
import { describeMissed, describeSearches } from "./describe-search.js";

const level = (value: number, decision: TriedLevel["decision"], because?: string): TriedLevel => ({
  value,
  decision,
  held: decision === "held" ? 2 : 1,
  broken: decision === "broken" ? 2 : 0,
  unclear: 0,
  ...(because === undefined ? {} : { because }),
});

const FOUND: SearchOutcome = {
  target: "api",
  by: "connections",
  status: "found",
  held: 1000,
  broken: 1016,
  tried: [level(1000, "held"), level(2000, "broken", "errors<=0"), level(1016, "broken", "p99<50ms")],
  beyond: null,
};

const firstOf = (outcome: Partial<SearchOutcome>): string | undefined =>
  describeSearches({ search: [{ ...FOUND, ...outcome }] })[0];

describe("describeSearches", () => {
  it("says what held, what did not and why, what was tried, and what was beyond", () => {
    expect(describeSearches({ search: [{ ...FOUND, beyond: level(1250, "broken") }] })).toEqual([
      "api: 1,000 connections held, 1,016 did not (p99<50ms was missed).",
      "api was tried at 1,000 (held), 2,000 (did not), 1,016 (did not).",
      "api beyond its limit: 1 of 3 trials held 1,250 connections.",
    ]);
  });

  it.each<[string, Partial<SearchOutcome>]>([
    ["api: 1,000 requests per second held, 1,016 did not (p99<50ms was missed).", { by: "rate" }],
    [
      "api: not even 1 connection held (the target died).",
      { status: "nothing-held", held: null, broken: 1, tried: [level(1, "broken", "TARGET_DIED")] },
    ],
    [
      "api: 36 connections held, 37 did not (requests failed).",
      { held: 36, broken: 37, tried: [level(36, "held"), level(37, "broken", "errors<=0")] },
    ],
    [
      "api: 1,000 connections held, which is the most that was tried.",
      { status: "unbounded", broken: null, tried: [level(1000, "held")] },
    ],
    [
      "api: 1,000 connections held; it cannot be said whether 2,000 does (FD_LIMIT).",
      { status: "unclear", broken: null, tried: [level(1000, "held"), level(2000, "unclear", "FD_LIMIT")] },
    ],
    [
      "api: nothing is known to hold; the search was cut short at 1.",
      { status: "unfinished", held: null, broken: null, tried: [level(1, "undecided")] },
    ],
  ])("says: %s", (text, outcome) => {
    expect(firstOf(outcome)).toBe(text);
  });

  it("says in a word why the smallest that did not hold did not, also where the search was cut short", () => {
    const cut = { status: "unfinished", tried: [...FOUND.tried, level(1008, "undecided")] } as const;
    expect([FOUND, { ...FOUND, ...cut }].map(describeMissed)).toEqual(["p99<50ms was missed", "p99<50ms was missed"]);
    expect(describeMissed({ ...FOUND, status: "unclear", tried: [level(2000, "unclear", "FD_LIMIT")] })).toBe(
      "FD_LIMIT",
    );
    expect(describeMissed({ ...FOUND, status: "unbounded", broken: null })).toBe("");
  });

  it("says nothing of a sweep", () => {
    expect(describeSearches({})).toEqual([]);
  });
});
