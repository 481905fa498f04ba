import { expect, it } from "vitest";
import { parseMargin } from "./parse-margin.js";

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
  expect(() => parseMargin(text)).toThrow(
    `expected a share from 0 % to below 100 %, such as "5%" or 0.05, got "${text}"`,
  );
});

it("asks whether a number was meant in percent", () => {
  expect(() => parseMargin("5")).toThrow('Did you mean "5%"?');
  expect(() => parseMargin("500")).not.toThrow("Did you mean");
});
