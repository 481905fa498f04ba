import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { renderStepLine, type SweepEvent } from "../index.js";
import { aSweep } from "../report/test-support/sample-results.js";
import { aCrew, aScenario, anEnvironment } from "../test-support/fixtures.js";
import { openScreen, type Screen } from "./test-support/screen.js";
import type { Output } from "./io.js";
import { startProgress, type Progress } from "./progress.js";

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

/** Shows events on a terminal that can be looked at; redraws after each. */
function showOn(columns: number, shown: readonly SweepEvent[], env = ENV): Screen & { readonly progress: Progress } {
  const screen = openScreen(columns, 24);
  const progress = startProgress({ stderr: screen.terminal as unknown as Output, env }, false);
  for (const event of shown) {
    progress.onEvent(event);
    vi.advanceTimersByTime(A_REDRAW_MS);
  }
  return { ...screen, progress };
}

describe("progress", () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ["setInterval", "clearInterval", "performance"] }));
  afterEach(() => void vi.useRealTimers());

  it("tells on a terminal how far it has come, what is measured, and what the processes use; then nothing of it is left", async () => {
    const { lines, progress } = showOn(80, events().slice(0, 6));
    expect(await lines()).toEqual([
      expect.stringMatching(/^█{8}░{22} 25% · 0 of 2 steps done( · about \d+ s left)?$/),
      "single at 1 · measuring · 480 requests/s · p99 4.50 ms · 20 failed",
      "CPU generator 61% · backends 48%",
    ]);
    progress.say("Interrupted");
    expect(await lines()).toEqual([
      "Interrupted",
      expect.stringContaining("0 of 2 steps done"),
      expect.any(String),
      expect.any(String),
    ]);
    progress.stop();
    expect(await lines()).toEqual(["Interrupted"]);
  });

  it("begins each step without the figures of the last one, and leaves only the lines of the steps", async () => {
    const { lines, progress } = showOn(80, events().slice(0, 8));
    expect((await lines()).slice(1)).toEqual([
      expect.stringMatching(/^█{15}░{15} 50% · 1 of 2 steps done/),
      "single at 50 · starting",
    ]);
    for (const event of events().slice(8)) progress.onEvent(event);
    progress.stop();
    expect(await lines()).toEqual([
      expect.stringMatching(/^single, 1 connection: /),
      expect.stringMatching(/^single, 50 connections: /),
    ]);
  });

  it("breaks the line of a step between words where it is longer than the terminal is wide", async () => {
    const { rows, lines } = showOn(30, events());
    const shown = (await rows()).filter((row) => row !== "").map((row) => row.trimEnd());
    expect(await lines(), "no line is wrapped by the terminal").toEqual(shown);
    const said = [FIRST, SECOND].map((step) => (step === undefined ? "" : renderStepLine(step)));
    expect(shown.join(" ").split(/\s+/)).toEqual(said.join(" ").split(" "));
    for (const row of shown) expect(row).toMatch(/^(single,|  \S)/);
  });

  it.each<[string, number, ...string[]]>([
    ["127.0.0.1", 1, "Waiting for 1 worker at 127.0.0.1:5557. Start each by:", "--master 127.0.0.1:5557"],
    ["::1", 3, "Waiting for 3 workers at [::1]:5557. Start each by:", "--master [::1]:5557"],
    ["0.0.0.0", 3, "warning: Locust's port at 0.0.0.0:5557 is", "by:", "--master HOST:5557"],
    ["10.0.0.1", 3, "warning: Locust's port at 10.0.0.1:5557 is not encrypted.", "by:", "--master 10.0.0.1:5557"],
  ])("says where workers are waited for, and who else can come: %s", async (host, count, ...said) => {
    const told = { type: "workers", workers: aCrew({ count }), host, port: 5557 } as const;
    const lines = await showOn(160, [{ ...told, token: "secret" }]).lines();
    expect(lines).toEqual(said.map((line) => expect.stringContaining(line)));
    // As it is, to be copied.
    expect(lines.at(-1)).toMatch(/^LBBENCH_TOKEN=secret npx lbbench worker --master \S+$/);
    // A secret that was given is not printed.
    const given = await showOn(160, [told]).lines();
    expect(given.slice(-2)).toEqual([
      expect.stringContaining("with the same LBBENCH_TOKEN as here"),
      expect.stringMatching(/^npx lbbench worker/),
    ]);
  });

  it("prints nothing but lines, with the number of each step, on a terminal that can do no more", async () => {
    expect(await showOn(160, events(), { TERM: "dumb" }).lines()).toEqual([
      expect.stringMatching(/^\[1\/2\] single, 1 connection: /),
      expect.stringMatching(/^\[2\/2\] single, 50 connections: /),
    ]);
  });

  it("says what was refused at the port of workers", async () => {
    const lines = await showOn(120, [{ type: "worker-refused", worker: "gen1_5" }]).lines();
    expect(lines).toEqual(["warning: refused gen1_5, which does not know the token of this run."]);
  });

  it("says each fault when it has taken effect, or could not be done", async () => {
    if (FIRST === undefined) throw new Error("The sample has two steps");
    const fault = { atMs: 3000, kind: "kill", part: "backend-2", effectMs: 3002 } as const;
    const told = [fault, { ...fault, kind: "start", effectMs: null, error: "the port is in use" }] as const;
    const { lines } = showOn(
      120,
      told.map((one) => ({ type: "fault", step: FIRST, fault: one })),
    );
    expect(await lines()).toEqual([
      "fault: single: kill backend-2 at 3s",
      "warning: fault not done: single: start backend-2 at 3s: the port is in use",
    ]);
  });

  it("says how long it will go on as the live page does", async () => {
    const { terminal, lines } = openScreen(80, 24);
    let nowMs = 0;
    const progress = startProgress({ stderr: terminal as unknown as Output, env: ENV }, false, () => nowMs);
    for (const event of events().slice(0, 3)) progress.onEvent(event);
    // It takes 6 s to start, then a second is half of what is measured: another second, and a step like it.
    nowMs = 7000;
    for (const event of events().slice(4, 5)) progress.onEvent(event);
    vi.advanceTimersByTime(A_REDRAW_MS);
    expect((await lines())[0]).toContain("0 of 2 steps done · about 9 s left");
    progress.stop();
  });

  it("changes nothing of the terminal that would have to be put right after a kill, and has no colours", () => {
    const { terminal } = openScreen(80, 24);
    const write = vi.spyOn(terminal, "write");
    const progress = startProgress({ stderr: terminal as unknown as Output, env: ENV }, false);
    for (const event of events()) progress.onEvent(event);
    const text = write.mock.calls.map(([piece]) => String(piece)).join("");
    const sequences = text
      .split("\u001B")
      .slice(1)
      .map((rest) => /^\[\d*(.)/.exec(rest)?.[1]);
    // Up, and clearing to the end of the line and of the screen.
    expect(new Set(sequences)).toEqual(new Set(["A", "K", "J"]));
  });
});
