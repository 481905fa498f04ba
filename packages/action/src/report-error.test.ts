import { expect, test } from "vitest";
import { describeError } from "./report-error.js";

test("any other is a bug, with its stack trace", () => {
  expect(describeError(new TypeError("oops"))).toMatch(/^This is a bug in lbbench[^]*TypeError: oops\s+at /);
});
