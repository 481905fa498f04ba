import { expect, test } from "vitest";
import { describeError, Secrets, toLogLine } from "./runner.js";

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

test("what a user can do something about is no bug", () => {
  const error = Object.assign(new Error("w1 has lbbench 1.0.0"), { code: "WORKERS_DIFFER" });
  expect(describeError(error)).toBe("w1 has lbbench 1.0.0");
});

test.each(["a$b*c!(d)", String.raw`a\b|[c]`, "_under_", "http://x&y", "a.c+"])(
  "a secret is concealed in text and in Markdown: %s",
  (secret) => {
    const secrets = new Secrets();
    secrets.learn({ password: secret });
    const markdown = secret.replaceAll(/[\\*[\]|&$!_]/g, String.raw`\$&`).replaceAll("://", String.raw`:\//`);
    expect(secrets.conceal(`bad: ${secret}, ${markdown}.`)).toBe("bad: ***, ***.");
    expect(secrets.conceal("abcd, a-c+, aac")).toBe("abcd, a-c+, aac");
  },
);
