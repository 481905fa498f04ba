import { describe, expect, it } from "vitest";
import { ConfigError, OutputError, StartError } from "../index.js";
import { describeError } from "./describe-error.js";

describe("describeError", () => {
  it.each([
    [new ConfigError("no"), 2],
    [new OutputError("no"), 2],
    [new StartError("no"), 4],
  ])("has the message alone for %s", (error, exitCode) => {
    expect(describeError(error)).toEqual({ text: "error: no\n", exitCode });
  });

  it("marks each line that does not continue another", () => {
    const message = "one is wrong\ntwo is wrong, it printed:\n  this\n\n  and this";
    expect(describeError(new ConfigError(message)).text).toBe(
      "error: one is wrong\nerror: two is wrong, it printed:\n  this\n\n  and this\n",
    );
  });

  it("lets no escape sequence of a quoted value through", () => {
    const { text } = describeError(new StartError('got "\u001B[2J\u0007x"'));
    expect(text).toContain("x");
    expect(text).not.toMatch(/[^\P{Cc}\n]/u);
  });

  it.each([[new TypeError("oops")], [Object.assign(new Error("oops"), { code: "ENOENT" })], ["oops"]])(
    "takes anything else for a bug",
    (error) => {
      const { text, exitCode } = describeError(error);
      expect(exitCode).toBe(70);
      expect(text).toMatch(/^This is a bug in lbbench, please report it:\n[^]*oops/);
    },
  );

  it("keeps the stack trace of a bug", () => {
    expect(describeError(new TypeError("oops")).text).toMatch(/^ +at /m);
  });
});
