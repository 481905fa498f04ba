import { execFileSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { ConfigError, OutputError, StartError } from "../index.js";
import { aRun } from "../judge/test-support/compare-samples.js";
import { StopError } from "../run/targets.js";
import { parseTargetPair } from "./commands/compare.js";
import { doesReflow } from "./live-block.js";
import { describeError } from "./main.js";
import { columnsOf, paintText, repeatCommand, toPrintable } from "./terminal.js";

describe("an error", () => {
  it.each([
    [new ConfigError("no"), 2],
    [new OutputError("no"), 2],
    [new StartError("no"), 4],
    [new StopError("no"), 4],
  ])("of a user is its message alone, with the code of its kind: %s", (error, exitCode) => {
    expect(describeError(error)).toEqual({ text: "error: no\n", exitCode });
  });

  it("of too few descriptors says what to do", () => {
    const error = Object.assign(new Error("EMFILE: too many open files, open '/x'"), { code: "EMFILE" });
    expect(describeError(error)).toEqual({
      text: "error: expected file descriptors enough for all files and connections, got EMFILE: too many open files, open '/x'. Raise the limit in this shell, and run lbbench again: ulimit -n 65536\n",
      exitCode: 2,
    });
  });

  it("is marked in each line that does not continue another, without escape sequences of what it quotes", () => {
    const message = "one is wrong\ntwo is wrong, it printed:\n  \u001B[2J\u0007this\n\n  and this";
    expect(describeError(new ConfigError(message)).text).toBe(
      "error: one is wrong\nerror: two is wrong, it printed:\n  this\n\n  and this\n",
    );
  });

  it.each([[new TypeError("oops")], [Object.assign(new Error("oops"), { code: "ENOENT" })], ["oops"]])(
    "of another kind is a bug, with its stack trace: %s",
    (error) => {
      const { text, exitCode } = describeError(error);
      expect(exitCode).toBe(70);
      expect(text).toMatch(/^This is a bug in lbbench, please report it:\n[^]*oops/);
      expect(/^ +at /m.test(text)).toBe(error instanceof Error);
    },
  );
});

it("line breaks and tabs are all that is left of what a terminal acts upon", () => {
  const text = toPrintable("a \u001B[31mred\u001B[0m\tword\nand a \u0007 bell, \u009B and \u001B]0;a title\u0007 über");
  expect(text).toMatch(/^a red\tword\nand a .* bell, .* über$/);
  expect(text).not.toMatch(/[^\P{Cc}\n\t]/u);
  expect(toPrintable("\u001B]8;;http://a.test\u001B\\link\u001B]8;;\u001B\\ \u001B(Bplain \u009B1;31mred")).toBe(
    "link plain red",
  );
  expect(toPrintable("\u202eleft\u2066 and\u061c")).toBe(" left  and ");
});

// In a time that grows with the square it would be minutes, more than a test may take.
it("a long hostile text is printable", () => {
  const text = ";?".repeat(300_000);
  expect(toPrintable(`\u001B${text}`)).toBe(text.slice(1));
  expect(toPrintable("\u009D".repeat(600_000)).trim()).toBe("");
});

const RED = "\u001B[31mfail\u001B[39m";

it.each([
  ["a terminal", true, {}, RED],
  ["anything else", false, {}, "fail"],
  ["a terminal where NO_COLOR asks for none", true, { NO_COLOR: "1" }, "fail"],
  ["a terminal that can do nothing", true, { TERM: "dumb" }, "fail"],
  ["anything, where FORCE_COLOR asks for it", false, { FORCE_COLOR: "1", NO_COLOR: "1", TERM: "dumb" }, RED],
  ["nothing, where FORCE_COLOR forbids it", true, { FORCE_COLOR: "0" }, "fail"],
])("a text is painted for a terminal that can, and no other: %s", (_, isTTY, env, expected) => {
  expect(paintText({ isTTY }, { TERM: "xterm-256color", ...env }, "red", "fail")).toBe(expected);
});

it.each([
  [{ isTTY: true, columns: 80 }, 80],
  [{ isTTY: true, columns: 0 }, undefined],
  [{ columns: 80 }, undefined],
])("the width of %o is known only from a terminal that does not say 0", (stream, columns) => {
  expect(columnsOf(stream)).toBe(columns);
});

it.each([
  [{ TERM: "xterm-256color" }, true],
  [{ TERM: "xterm-256color", XTERM_VERSION: "XTerm(379)" }, false],
  [{ TERM: "screen-256color", XTERM_VERSION: "XTerm(379)", TMUX: "/tmp/tmux-0/default,1,0" }, true],
  [{ TERM: "screen.xterm-256color", STY: "1.pts-0.host" }, false],
  [{ TERM: "linux" }, false],
  [{ TERM: "sterm" }, true],
])("a terminal is known by whether it breaks long lines anew: %o", (env, expected) => {
  expect(doesReflow(env)).toBe(expected);
});

it("a command line that is repeated is quoted where a shell would take it for something else, and only there", () => {
  const plain = ["sweep", "http://127.0.0.1:8080/", "-c", "1,10:100:10", "--threshold", "errors=1%"];
  expect(repeatCommand(plain)).toBe(`npx lbbench ${plain.join(" ")}`);
  const words = ["", "a b", "p99<50ms", "it's", "$HOME", "`id`", "a\nb", "*", "~", "#x", "a;b", "\\", "ü", "!!"];
  const quoted = repeatCommand(words).slice("npx lbbench ".length);
  const shown = execFileSync("/bin/sh", ["-c", `printf '%s\\0' ${quoted}`], { encoding: "utf8" });
  expect(shown.split("\0").slice(0, -1)).toEqual(words);
});

describe("a pair of targets to compare", () => {
  const a = aRun({ targets: ["single", "http://x/?a=b", "http://z/?a=b"] });
  const b = aRun({ targets: ["single", "http://y/?a=b", "http://z/?a=b"] });

  it.each([
    ["single", ["single", "single"]],
    ["http://z/?a=b", ["http://z/?a=b", "http://z/?a=b"]],
    ["http://x/?a=b=http://y/?a=b", ["http://x/?a=b", "http://y/?a=b"]],
    ["single=http://y/?a=b", ["single", "http://y/?a=b"]],
    ["old=new", ["old", "new"]],
  ])("is read of %j", (text, pair) => {
    expect(parseTargetPair(text, a, b)).toEqual(pair);
  });
});
