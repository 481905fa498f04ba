import { describe, expect, it } from "vitest";
import { parseDuration } from "./parse-duration.js";

describe("parseDuration", () => {
  it.each([
    ["500ms", 500],
    ["5s", 5000],
    ["1.5m", 90_000],
    ["2h", 7_200_000],
    [" 3s ", 3000],
    ["0", 0],
    ["0ms", 0],
  ])("reads %j as %i ms", (text, ms) => {
    expect(parseDuration(text)).toBe(ms);
  });

  it.each(["", "s", "-5s", "5 s", "5sec", "1e3ms", ".5s", "5s5s", "Infinity", "1d", "٣s"])("refuses %j", (text) => {
    expect(() => parseDuration(text)).toThrow(`expected a time such as 500ms, 5s or 2m, got "${text}"`);
  });

  it("takes no more than a timer can wait for", () => {
    expect(parseDuration("576h")).toBe(2_073_600_000);
    for (const text of ["600h", "99999999m", `${"9".repeat(200)}h`]) {
      expect(() => parseDuration(text)).toThrow(`expected a time of at most 576h (24 days), got "${text}"`);
    }
  });

  it("says that a number needs a unit", () => {
    expect(() => parseDuration("5")).toThrow('got "5"; a number needs a unit: 5s, 5ms');
  });
});
