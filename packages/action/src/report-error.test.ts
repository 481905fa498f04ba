import { ConfigError } from "lbbench";
import { expect, test } from "vitest";
import { describeError } from "./report-error.js";

test("an error of the user's is its message alone", () => {
  expect(describeError(new ConfigError("trials: expected a number"))).toBe("trials: expected a number");
});

test("a package that a config file imports and that is not installed is to be installed", () => {
  const text = describeError(new ConfigError("x could not be read: Cannot find package 'left-pad' imported from /x"));
  expect(text).toMatch(/Install left-pad in a step before this one, such as `npm ci`\.$/);
  expect(describeError(new ConfigError("Cannot find module './absent.js'"))).toBe("Cannot find module './absent.js'");
});

test("any other is a bug, with its stack trace", () => {
  expect(describeError(new TypeError("oops"))).toMatch(/^This is a bug in lbbench[^]*TypeError: oops\s+at /);
});
