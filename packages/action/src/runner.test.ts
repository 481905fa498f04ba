import { expect, test } from "vitest";
import { describeError, toLogLine } from "./runner.js";

test.each(["::error::no", "  ::set-output name=x::y", "a ##[add-mask]b", "\u001b[31m::error::no"])(
  "no line is a command for the runner: %j",
  (text) => {
    const line = toLogLine(text);
    expect(line).not.toMatch(/^\s*::/);
    expect(line).not.toContain("##[");
  },
);

test("is one line, and leaves other words as they are", () => {
  expect(toLogLine("a\r::error::b\u2028c")).toBe("a ::error::b c");
  expect(toLogLine("[1/2] http://[::1]:80/ # 5")).toBe("[1/2] http://[::1]:80/ # 5");
});

test("any other is a bug, with its stack trace", () => {
  expect(describeError(new TypeError("oops"))).toMatch(/^This is a bug in lbbench[^]*TypeError: oops\s+at /);
});
