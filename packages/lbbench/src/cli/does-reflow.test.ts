import { expect, it } from "vitest";
import { doesReflow } from "./does-reflow.js";

it.each([
  [{ TERM: "xterm-256color" }, true],
  [{}, true],
  [{ TERM: "xterm-256color", XTERM_VERSION: "XTerm(379)" }, false],
  [{ TERM: "screen-256color", XTERM_VERSION: "XTerm(379)", TMUX: "/tmp/tmux-0/default,1,0" }, true],
  [{ TERM: "screen.xterm-256color", STY: "1.pts-0.host" }, false],
  [{ TERM: "linux" }, false],
  [{ TERM: "st-256color" }, false],
  [{ TERM: "sterm" }, true],
])("knows whether a terminal breaks long lines anew: %o", (env, expected) => {
  expect(doesReflow(env)).toBe(expected);
});
