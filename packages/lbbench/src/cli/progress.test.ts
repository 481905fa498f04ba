import { PassThrough } from "node:stream";
import type { WriteStream } from "node:tty";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { SweepEvent } from "../index.js";
import { aSweep } from "../report/test-support/sample-results.js";
import { startProgress } from "./progress.js";

const CLEAR_TO_END = "\u001B[K";

const RESULT = aSweep({ targets: ["single"], connections: [1, 50] });
const [FIRST, SECOND] = RESULT.steps;

function events(): readonly SweepEvent[] {
  if (FIRST === undefined || SECOND === undefined) throw new Error("The sample has two steps");
  return [
    { type: "start", scenario: RESULT.scenario, environment: RESULT.environment, total: 2 },
    { type: "check", target: "single" },
    { type: "step", step: FIRST, index: 0 },
    { type: "phase", step: FIRST, phase: "measuring" },
    { type: "progress", step: FIRST, sent: 500, done: 500, share: 0.5 },
    { type: "step-done", step: FIRST, index: 0 },
    { type: "step", step: SECOND, index: 1 },
    { type: "step-done", step: SECOND, index: 1 },
    { type: "done", result: RESULT },
  ];
}

/** A stream that takes what is printed; a terminal when it is given columns. */
function aStream(columns?: number): { readonly stream: WriteStream; readonly text: () => string } {
  const stream = new PassThrough().setEncoding("utf8");
  let text = "";
  stream.on("data", (chunk: string) => (text += chunk));
  const terminal = columns === undefined ? {} : { isTTY: true, columns };
  return { stream: Object.assign(stream, terminal) as unknown as WriteStream, text: () => text };
}

/** What a terminal shows of lines that are drawn over one another and cleared; nothing wraps. */
function screen(text: string): readonly string[] {
  return text.split("\n").map((line) => (line.split("\r").at(-1) ?? "").replace(CLEAR_TO_END, ""));
}

describe("startProgress", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it("prints a line for each step where there is no terminal", () => {
    const { stream, text } = aStream();
    const progress = startProgress(stream, false);
    for (const event of events()) progress.onEvent(event);
    expect(text().trim().split("\n")).toEqual([
      expect.stringMatching(/^\[1\/2\] single, 1 connection: .* 0 failed$/),
      expect.stringMatching(/^\[2\/2\] single, 50 connections: .* 0 failed$/),
    ]);
  });

  it("says on a terminal how far the users of a ramp are to rise", () => {
    const { stream, text } = aStream(100);
    const progress = startProgress(stream, false);
    const step = { target: "single", level: { users: 20, durationMs: 10_000 }, trial: 1 };
    const [start] = events();
    if (start !== undefined) progress.onEvent(start);
    progress.onEvent({ type: "step", step, index: 0 });
    progress.onEvent({ type: "progress", step, sent: 500, done: 499, share: 0.5 });
    vi.advanceTimersByTime(1000);
    progress.stop();
    expect(text()).toContain("single rising to 20: 499 answers");
  });

  it("prints nothing when it is quiet", () => {
    const { stream, text } = aStream(80);
    const progress = startProgress(stream, true);
    for (const event of events()) progress.onEvent(event);
    progress.say("something");
    progress.stop();
    expect(text()).toBe("");
  });

  it("leaves only the lines of the steps on a terminal", () => {
    const { stream, text } = aStream(80);
    const progress = startProgress(stream, false);
    for (const event of events()) {
      progress.onEvent(event);
      vi.advanceTimersByTime(150);
    }
    progress.stop();
    expect(text()).toContain("25% · step 1/2");
    expect(text()).toContain("single at 1: 500 answers");
    expect(screen(text())).toEqual([
      expect.stringMatching(/^single, 1 connection: /),
      expect.stringMatching(/^single, 50 connections: /),
      "",
    ]);
  });

  it("draws no bar that a terminal of 40 columns would wrap", () => {
    const { stream, text } = aStream(40);
    const progress = startProgress(stream, false);
    for (const event of events()) {
      progress.onEvent(event);
      vi.advanceTimersByTime(150);
    }
    const bars = text()
      .split(/[\r\n]/)
      .filter((line) => /[█░]/.test(line));
    expect(bars.length).toBeGreaterThan(3);
    for (const bar of bars) expect(bar.replace(CLEAR_TO_END, "").length).toBeLessThan(40);
  });

  it("prints a sentence above the bar and draws the bar again", () => {
    const { stream, text } = aStream(80);
    const progress = startProgress(stream, false);
    for (const event of events().slice(0, 3)) progress.onEvent(event);
    progress.say("Interrupted");
    const shown = screen(text());
    expect(shown[0]).toBe("Interrupted");
    expect(shown[1]).toContain("step 1/2");
    progress.stop();
    expect(screen(text())).toEqual(["Interrupted", ""]);
  });

  it("changes nothing of the terminal that would have to be put right after a kill", () => {
    const { stream, text } = aStream(80);
    const progress = startProgress(stream, false);
    for (const event of events()) progress.onEvent(event);
    expect(text()).not.toContain("\u001B[?");
  });
});
