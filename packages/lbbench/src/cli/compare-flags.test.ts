import { describe, expect, it } from "vitest";
import { ConfigError } from "../index.js";
import { aRun } from "../judge/test-support/compare-samples.js";
import { parseMargin, parseTargetPair } from "./compare-flags.js";

describe("parseMargin", () => {
  it.each([
    ["5%", 0.05],
    [" 2.5 % ", 0.025],
    ["0.05", 0.05],
    ["0", 0],
    ["0%", 0],
  ])("reads %j as %d", (text, part) => {
    expect(parseMargin(text)).toBeCloseTo(part, 12);
  });

  it.each(["", "five", "-5%", "100%", "1", "5%%", "1e-2", "0x1", "5 percent"])("refuses %j", (text) => {
    expect(() => parseMargin(text)).toThrow(ConfigError);
    expect(() => parseMargin(text)).toThrow(`got "${text}"`);
  });

  it("asks whether a number was meant in percent", () => {
    expect(() => parseMargin("5")).toThrow('Did you mean "5%"?');
    expect(() => parseMargin("500")).not.toThrow("Did you mean");
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
