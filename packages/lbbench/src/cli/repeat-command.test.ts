import { execFileSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { repeatCommand } from "./repeat-command.js";

describe("repeatCommand", () => {
  it("leaves plain words as they are", () => {
    expect(repeatCommand(["sweep", "http://127.0.0.1:8080/", "-c", "1,10:100:10", "--threshold", "errors=1%"])).toBe(
      "npx lbbench sweep http://127.0.0.1:8080/ -c 1,10:100:10 --threshold errors=1%",
    );
  });

  it.each([
    "",
    "two words",
    "p99<50ms",
    "it's",
    "$HOME",
    "`id`",
    "a\nb",
    "*",
    "~",
    "#x",
    "a;b",
    "\\",
    "ü",
    "-x y",
    "!!",
  ])("quotes %j so that a shell hands over the same word", (word) => {
    const quoted = repeatCommand([word]).slice("npx lbbench ".length);
    expect(execFileSync("/bin/sh", ["-c", `printf %s ${quoted}`], { encoding: "utf8" })).toBe(word);
  });
});
