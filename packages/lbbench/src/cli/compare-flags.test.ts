import { describe, expect, it } from "vitest";
import { ConfigError } from "../index.js";
import { aRun } from "../judge/test-support/compare-samples.js";
import { parseTargetPair, readMargin } from "./compare-flags.js";

describe("readMargin", () => {
  it("reads a share", () => {
    expect(readMargin("5%")).toBe(0.05);
  });

  it("says which flag it does not understand", () => {
    expect(() => readMargin("five")).toThrow(ConfigError);
    expect(() => readMargin("five")).toThrow(/^--margin: expected a share .* got "five"$/);
  });
});

describe("parseTargetPair", () => {
  const a = aRun({ targets: ["single", "http://x/?a=b", "http://z/?a=b"] });
  const b = aRun({ targets: ["single", "http://y/?a=b", "http://z/?a=b"] });

  it.each([
    ["single", ["single", "single"]],
    ["single=single", ["single", "single"]],
    ["http://z/?a=b", ["http://z/?a=b", "http://z/?a=b"]],
    ["http://x/?a=b=http://y/?a=b", ["http://x/?a=b", "http://y/?a=b"]],
    ["single=http://y/?a=b", ["single", "http://y/?a=b"]],
    ["old=new", ["old", "new"]],
    ["none", ["none", "none"]],
  ])("reads %j", (text, pair) => {
    expect(parseTargetPair(text, a, b)).toEqual(pair);
  });
});
