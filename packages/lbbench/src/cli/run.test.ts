import { expect, it } from "vitest";
import { aCommandIo } from "../../test/support/run-command.js";
import type { SweepOutcome } from "../index.js";
import { createSampleResult } from "../testing/sample-result.js";
import { ExitCode } from "./io.js";
import { runAndReport } from "./run.js";

const FAULT = new Error("The live page could not be drawn", { cause: new Error("no such chart\u001B[31m") });
const LIVE = { quiet: true, json: false, live: {} };

const openView = () => Promise.resolve({ url: "", onEvent: () => {}, close: () => Promise.reject(FAULT) });

function anOutcome(): SweepOutcome {
  return { result: createSampleResult(), folder: "out", files: [], problems: [] };
}

it("leaves the exit code of a run as it is where the live page could not be drawn, says so, and gives the signals back", async () => {
  const { io, stderr, isInterruptCaught } = aCommandIo("/");
  const outcome = anOutcome();
  expect(await runAndReport(LIVE, io, () => Promise.resolve(outcome), openView)).toBe(
    ExitCode[outcome.result.verdict.status],
  );
  expect(stderr()).toBe("The live page did not show all of the run: The live page could not be drawn: no such chart\n");
  expect(isInterruptCaught()).toBe(false);
});

it("does not hide why a run failed behind a live page that could not be drawn", async () => {
  const { io, isInterruptCaught } = aCommandIo("/");
  const failure = new Error("the target is not there");
  await expect(runAndReport(LIVE, io, () => Promise.reject(failure), openView)).rejects.toBe(failure);
  expect(isInterruptCaught()).toBe(false);
});
