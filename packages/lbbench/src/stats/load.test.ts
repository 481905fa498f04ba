import { describe, expect, it } from "vitest";
import { closedConnections, loadOf, loadValue } from "./load.js";

describe("loadOf", () => {
  it.each([
    [{ connections: 5, requests: 10 }, "connections", 5],
    [{ rate: 100, durationMs: 1000 }, "rate", 100],
    [{ users: 30, durationMs: 1000 }, "users", 30],
  ])("of %o is %s %i", (level, kind, value) => {
    expect(loadOf(level)).toEqual({ kind, value });
    expect(loadValue(level)).toBe(value);
  });
});

describe("closedConnections", () => {
  it("are those of a closed loop, and of nothing else", () => {
    expect(closedConnections({ connections: 5 })).toBe(5);
    expect(() => closedConnections({ rate: 5 })).toThrow(RangeError);
  });
});
