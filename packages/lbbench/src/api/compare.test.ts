import { expect, it } from "vitest";
import { ConfigError } from "../config/config-error.js";
import { aRun } from "../judge/test-support/compare-samples.js";
import { compare, type CompareOptions } from "./compare.js";

it.each<[CompareOptions, string]>([
  [{ margin: -0.1 }, "margin: expected a part from 0 to below 1, such as 0.05 for 5 %, got -0.1"],
  [{ margin: 5 }, "got 5"],
  [{ errorMargin: NaN }, "errorMargin: expected"],
  [{ targets: [["singel", "single"]] }, 'expected a target of A (single), got "singel". Did you mean "single"?'],
  [{ targets: [["single", "x"]] }, 'expected a target of B (single), got "x"'],
])("refuses %j", (options, message) => {
  expect(() => compare(aRun(), aRun(), options)).toThrow(ConfigError);
  expect(() => compare(aRun(), aRun(), options)).toThrow(message);
});
