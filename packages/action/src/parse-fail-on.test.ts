import { expect, test } from "vitest";
import { parseFailOn } from "./parse-fail-on.js";

test.each([
  ["fail", ["fail"]],
  ["fail, inconclusive", ["fail", "inconclusive"]],
  ["inconclusive", ["inconclusive"]],
  ["never", []],
])("reads %s", (text, verdicts) => {
  expect([...parseFailOn(text)]).toEqual(verdicts);
});

test.each(["", "pass", "fail,never", "constructor"])('refuses "%s"', (text) => {
  expect(() => parseFailOn(text)).toThrow(
    `fail-on: expected fail, inconclusive, both with a comma between them, or never, got "${text}"`,
  );
});
