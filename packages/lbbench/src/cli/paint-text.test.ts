import { expect, it } from "vitest";
import { paintText } from "./paint-text.js";

const RED = "\u001B[31mfail\u001B[39m";

it.each([
  ["a terminal", true, {}, RED],
  ["a terminal where NO_COLOR is empty", true, { NO_COLOR: "" }, RED],
  ["anything else", false, {}, "fail"],
  ["a terminal where NO_COLOR asks for none", true, { NO_COLOR: "1" }, "fail"],
  ["a terminal that can do nothing", true, { TERM: "dumb" }, "fail"],
])("colours a text for a terminal that can, and no other: %s", (_, isTTY, env, expected) => {
  expect(paintText({ isTTY }, { TERM: "xterm-256color", ...env }, "red", "fail")).toBe(expected);
});
