import { describe, expect, it } from "vitest";
import { ConfigError } from "../config/config-error.js";
import { aRun, steady } from "../judge/test-support/compare-samples.js";
import { compare } from "./compare.js";

describe("compare", () => {
  it("judges B against A by the default margins", () => {
    const { status, margins } = compare(aRun(), aRun({ speed: steady(0.8) }));
    expect({ status, margins }).toEqual({ status: "fail", margins: { margin: 0.05, errorMargin: 0.001 } });
  });

  it("takes other margins", () => {
    const slower = aRun({ speed: steady(0.8) });
    expect(compare(aRun(), slower, { margin: 0.4 }).status).toBe("pass");
    const failing = aRun({ failed: () => 0.02 });
    expect(compare(aRun(), failing).status).toBe("fail");
    expect(compare(aRun(), failing, { errorMargin: 0.05 }).status).toBe("pass");
  });

  it("compares the targets it is told to", () => {
    const a = aRun({ targets: ["x", "y"] });
    const b = aRun({ targets: ["z", "y"], speed: steady(0.8) });
    const { targets } = compare(a, b, { targets: [["x", "z"]] });
    expect(targets.map(({ reference, other }) => [reference, other])).toEqual([["x", "z"]]);
  });

  it.each([
    [{ margin: -0.1 }, "margin: expected a part from 0 to below 1, such as 0.05 for 5 %, got -0.1"],
    [{ margin: 5 }, "got 5"],
    [{ errorMargin: NaN }, "errorMargin: expected"],
    [
      { targets: [["singel", "single"]] as const },
      'expected a target of A (single), got "singel". Did you mean "single"?',
    ],
    [{ targets: [["single", "x"]] as const }, 'expected a target of B (single), got "x"'],
  ])("refuses %j", (options, message) => {
    expect(() => compare(aRun(), aRun(), options)).toThrow(ConfigError);
    expect(() => compare(aRun(), aRun(), options)).toThrow(message);
  });
});
