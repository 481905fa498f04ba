import { describe, expect, it } from "vitest";
import { renderBarLine } from "./bar-line.js";

describe("renderBarLine", () => {
  it("shows the share, the step, the time left and what is being done", () => {
    const line = renderBarLine({ done: 2.5, steps: 10, elapsedMs: 30_000, what: "single at 50: measuring" }, 100);
    expect(line).toBe("██████░░░░░░░░░░░░░░░░░░ 25% · step 3/10 · 1m 30s left · single at 50: measuring");
  });

  it("gives no estimate before there is something to judge by, nor at the end", () => {
    expect(renderBarLine({ done: 0, steps: 2, elapsedMs: 1000, what: "" }, 80)).toBe(
      "░░░░░░░░░░░░░░░░░░░░ 0% · step 1/2",
    );
    expect(renderBarLine({ done: 2, steps: 2, elapsedMs: 1000, what: "" }, 80)).toBe(
      "████████████████████ 100% · step 2/2",
    );
  });

  it.each([2, 10, 20, 40, 60, 80, 200])("is shorter than a terminal of %i columns", (columns) => {
    const state = {
      done: 3.3,
      steps: 1000,
      elapsedMs: 1e7,
      what: "a target with quite a long name at 1000: 123456 answers",
    };
    expect(renderBarLine(state, columns).length).toBeLessThan(columns);
  });

  it("lets no control character of a name through", () => {
    const line = renderBarLine({ done: 0, steps: 1, elapsedMs: 0, what: "red\u001B[31m\nname" }, 80);
    expect(line).not.toMatch(/\p{Cc}/u);
  });

  it("does without a number of steps", () => {
    expect(renderBarLine({ done: 3.5, steps: 0, elapsedMs: 0, what: "searching" }, 80)).toBe("step 4 · searching");
  });

  it("judges the time left by what it has done itself, when it goes on with what was begun", () => {
    const line = renderBarLine({ done: 9, before: 8, steps: 10, elapsedMs: 30_000, what: "" }, 100);
    expect(line).toContain(" 90% · step 10/10 · 30s left");
  });
});
