import { describe, expect, it } from "vitest";
import { headerObject } from "./header-object.js";

describe("headerObject", () => {
  it("keeps the spelling and the order", () => {
    expect(Object.entries(headerObject(["X-B", "1", "x-a", "2"]))).toEqual([
      ["X-B", "1"],
      ["x-a", "2"],
    ]);
  });

  it("makes a list of a header that is repeated, by the name that came first", () => {
    expect(headerObject(["X-A", "1", "b", "", "x-a", "2", "X-a", "3"])).toEqual({ "X-A": ["1", "2", "3"], b: "" });
  });

  it("takes names that every object has for names like others", () => {
    const headers = headerObject(["__proto__", "1", "constructor", "2", "hasOwnProperty", "3"]);
    expect(Object.entries(headers)).toEqual([
      ["__proto__", "1"],
      ["constructor", "2"],
      ["hasOwnProperty", "3"],
    ]);
    expect(Object.getPrototypeOf(headers)).toBe(Object.prototype);
  });

  it("makes nothing of nothing", () => {
    expect(headerObject([])).toEqual({});
  });
});
