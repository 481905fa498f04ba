import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { SweepOutcome } from "../index.js";
import { createSampleResult } from "../testing/sample-result.js";
import { ExitCode } from "./exit-code.js";
import { runAndReport } from "./run-and-report.js";

const FAULT = new Error("The live page could not be drawn", { cause: new Error("no such chart\u001B[31m") });

vi.mock(import("./show-live.js"), () => ({
  showLive: () => Promise.resolve({ url: "", onEvent: () => {}, close: () => Promise.reject(FAULT) }),
}));

function anOutcome(): SweepOutcome {
  return { result: createSampleResult(), folder: "out", files: [], problems: [] };
}

describe("a live page that could not be drawn", () => {
  const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
  const listeners = (): readonly number[] => signals.map((signal) => process.listenerCount(signal));
  let said = "";

  beforeEach(() => {
    said = "";
    vi.spyOn(process.stderr, "write").mockImplementation((text) => {
      said += String(text);
      return true;
    });
  });
  afterEach(() => vi.restoreAllMocks());

  it("leaves the exit code of the run as it is, says so, and gives the signals back", async () => {
    const before = listeners();
    const outcome = anOutcome();
    const code = await runAndReport({ quiet: true, json: false, live: {} }, () => Promise.resolve(outcome));
    expect(code).toBe(ExitCode[outcome.result.verdict.status]);
    expect(said).toBe("The live page did not show all of the run: The live page could not be drawn: no such chart\n");
    expect(listeners()).toEqual(before);
  });

  it("does not hide why the run failed", async () => {
    const before = listeners();
    const failure = new Error("the target is not there");
    const run = runAndReport({ quiet: true, json: false, live: {} }, () => Promise.reject(failure));
    await expect(run).rejects.toBe(failure);
    expect(listeners()).toEqual(before);
  });
});
