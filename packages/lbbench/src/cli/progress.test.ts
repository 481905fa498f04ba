import { PassThrough } from "node:stream";
import type { WriteStream } from "node:tty";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { renderStepLine, type SweepEvent } from "../index.js";
import { aSweep } from "../report/test-support/sample-results.js";
import { aScenario, anEnvironment } from "../test-support/fixtures.js";
import { openScreen, type Screen } from "./test-support/screen.js";
import { createProgressBar } from "./progress-bar.js";
import { startProgress } from "./progress.js";

const RESULT = aSweep({ targets: ["single"], connections: [1, 50] });
const [FIRST, SECOND] = RESULT.steps;

const LATEST = { second: 0, sent: 500, ok: 480, failed: 20, p50: 1, p99: 4.5 };
const USAGE = { generator: { cpu: 0.61, rssBytes: 1 }, backend: { cpu: 0.48, rssBytes: 1 } };
const A_REDRAW_MS = 150;
const ENV = { TERM: "xterm-256color" };

function events(): readonly SweepEvent[] {
  if (FIRST === undefined || SECOND === undefined) throw new Error("The sample has two steps");
  return [
    { type: "start", scenario: aScenario(), environment: anEnvironment(), total: 2 },
    { type: "check", target: "single" },
    { type: "step", step: FIRST, index: 0 },
    { type: "phase", step: FIRST, phase: "measuring" },
    { type: "progress", step: FIRST, sent: 500, done: 500, failed: 20, elapsedMs: 1000, share: 0.5, latest: LATEST },
    { type: "usage", step: FIRST, usage: USAGE },
    { type: "step-done", step: FIRST, index: 0 },
    { type: "step", step: SECOND, index: 1 },
    { type: "step-done", step: SECOND, index: 1 },
    { type: "done", result: RESULT },
  ];
}

/** A stream that takes what is printed; a terminal where that is said. */
function aStream(isTTY = false): { readonly stream: WriteStream; readonly text: () => string } {
  const stream = new PassThrough().setEncoding("utf8");
  let text = "";
  stream.on("data", (chunk: string) => (text += chunk));
  return { stream: Object.assign(stream, { isTTY, columns: 80 }) as unknown as WriteStream, text: () => text };
}

/** A terminal that can be looked at. */
function aTerminal(columns: number): Screen & { readonly stream: WriteStream } {
  const screen = openScreen(columns, 24);
  return { ...screen, stream: screen.terminal as unknown as WriteStream };
}

describe("startProgress", () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval", "performance"] });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it("prints a line for each step where there is no terminal", () => {
    const { stream, text } = aStream();
    const progress = startProgress({ stderr: stream, env: ENV }, false);
    for (const event of events()) progress.onEvent(event);
    expect(text().trim().split("\n")).toEqual([
      expect.stringMatching(/^\[1\/2\] single, 1 connection: .* 0 failed$/),
      expect.stringMatching(/^\[2\/2\] single, 50 connections: .* 0 failed$/),
    ]);
  });

  it("prints lines on a terminal that can do nothing else", () => {
    const { stream, text } = aStream(true);
    const progress = startProgress({ stderr: stream, env: { TERM: "dumb" } }, false);
    for (const event of events()) progress.onEvent(event);
    expect(text()).not.toContain("\u001B");
    expect(text().trim().split("\n")).toHaveLength(2);
  });

  it("prints nothing when it is quiet", () => {
    const { stream, text } = aStream(true);
    const progress = startProgress({ stderr: stream, env: ENV }, true);
    for (const event of events()) progress.onEvent(event);
    progress.say("something");
    progress.stop();
    expect(text()).toBe("");
  });

  it("shows on a terminal how far it has come, what is measured, and what the processes use", async () => {
    const { stream, lines } = aTerminal(80);
    const progress = startProgress({ stderr: stream, env: ENV }, false);
    for (const event of events().slice(0, 6)) progress.onEvent(event);
    vi.advanceTimersByTime(A_REDRAW_MS);
    expect(await lines()).toEqual([
      expect.stringMatching(/^█{8}░{22} 25% · step 1\/2( · \d+s left)?$/),
      "single at 1 · measuring · 480 ok/s · p99 4.50 ms · 20 failed",
      "CPU generator 61% · backends 48%",
    ]);
    progress.stop();
    expect(await lines()).toEqual([]);
  });

  it("begins each step without the figures of the last one", async () => {
    const { stream, lines } = aTerminal(80);
    const progress = startProgress({ stderr: stream, env: ENV }, false);
    for (const event of events().slice(0, 8)) progress.onEvent(event);
    vi.advanceTimersByTime(A_REDRAW_MS);
    expect((await lines()).slice(1)).toEqual([
      expect.stringMatching(/^█{15}░{15} 50% · step 2\/2/),
      "single at 50 · starting",
    ]);
    progress.stop();
  });

  it("leaves only the lines of the steps on a terminal", async () => {
    const { stream, lines } = aTerminal(80);
    const progress = startProgress({ stderr: stream, env: ENV }, false);
    for (const event of events()) {
      progress.onEvent(event);
      vi.advanceTimersByTime(A_REDRAW_MS);
    }
    progress.stop();
    expect(await lines()).toEqual([
      expect.stringMatching(/^single, 1 connection: /),
      expect.stringMatching(/^single, 50 connections: /),
    ]);
  });

  it.each([20, 40, 80])("draws nothing that a terminal of %i columns would wrap", async (columns) => {
    const { stream, rows } = aTerminal(columns);
    const progress = startProgress({ stderr: stream, env: ENV }, false);
    for (const event of events().slice(0, 6)) {
      progress.onEvent(event);
      vi.advanceTimersByTime(A_REDRAW_MS);
    }
    const shown = (await rows()).filter((row) => row !== "");
    expect(shown).toHaveLength(3);
    for (const row of shown) expect(row.length).toBeLessThan(columns);
    progress.stop();
  });

  it("breaks the line of a step between words where it is longer than the terminal is wide", async () => {
    const { stream, rows, lines } = aTerminal(30);
    const progress = startProgress({ stderr: stream, env: ENV }, false);
    for (const event of events()) progress.onEvent(event);
    const shown = (await rows()).filter((row) => row !== "").map((row) => row.trimEnd());
    expect(await lines(), "no line is wrapped by the terminal").toEqual(shown);
    expect(shown[0]).toMatch(/^single, 1 connection: /);
    const said = [FIRST, SECOND].map((step) => (step === undefined ? "" : renderStepLine(step)));
    expect(shown.join(" ").split(/\s+/)).toEqual(said.join(" ").split(" "));
    expect(shown.length).toBeGreaterThan(2);
    for (const row of shown) expect(row).toMatch(/^(single,|  \S)/);
  });

  it("says how long it will go on as the live page does", async () => {
    const { terminal, lines } = aTerminal(80);
    let nowMs = 0;
    const progress = createProgressBar(terminal, ENV, () => nowMs);
    for (const event of events().slice(0, 3)) progress.onEvent(event);
    // It takes 6 s to start, then a second is half of what is measured: another second, and a step like it.
    nowMs = 7000;
    for (const event of events().slice(4, 5)) progress.onEvent(event);
    vi.advanceTimersByTime(A_REDRAW_MS);
    expect((await lines())[0]).toContain("step 1/2 · 9s left");
    progress.stop();
  });

  it("prints a sentence above and draws the rest again", async () => {
    const { stream, lines } = aTerminal(80);
    const progress = startProgress({ stderr: stream, env: ENV }, false);
    for (const event of events().slice(0, 3)) progress.onEvent(event);
    progress.say("Interrupted");
    const shown = await lines();
    expect(shown[0]).toBe("Interrupted");
    expect(shown[1]).toContain("step 1/2");
    progress.stop();
    expect(await lines()).toEqual(["Interrupted"]);
  });

  it("changes nothing of the terminal that would have to be put right after a kill, and has no colours", () => {
    const { stream, text } = aStream(true);
    const progress = startProgress({ stderr: stream, env: ENV }, false);
    for (const event of events()) progress.onEvent(event);
    expect(text()).toContain("step 1/2");
    const sequences = text()
      .split("\u001B")
      .slice(1)
      .map((rest) => /^\[\d*(.)/.exec(rest)?.[1]);
    // Up, and clearing to the end of the line and of the screen.
    expect(new Set(sequences)).toEqual(new Set(["A", "K", "J"]));
  });
});
