import assert from "node:assert/strict";
import { isDeepStrictEqual } from "node:util";
import type { Result, StepResult } from "../model/result.js";
import type { Reporter, ReportFile } from "../plugin.js";
import { frozenCopy } from "../stats/plain-data.js";
import type { ContractCase } from "./contract.js";
import { createSampleResult } from "./sample-result.js";

/** What every reporter has to do: render any result, always in the same way, to plain files. */
export function reporterContract(reporter: Reporter): readonly ContractCase[] {
  const whole = createSampleResult();
  const results: Readonly<Record<string, Result>> = {
    "a whole sweep of two targets": whole,
    "a result without steps": { ...whole, steps: [], complete: false, finishedAt: null, command: null },
    "a single step": { ...whole, steps: whole.steps.slice(0, 1), complete: false },
    "steps that failed or were interrupted": { ...whole, steps: whole.steps.map(withoutMeasurement) },
  };
  return Object.entries(results).flatMap(([what, result]) => {
    const render = async (): Promise<readonly ReportFile[]> => reporter.render(frozenCopy(result), { charts: "png" });
    return [
      {
        name: `renders ${what} to files with plain names`,
        run: async () => {
          const names = (await render()).map(({ name }) => name);
          // Where nothing was measured there may be nothing to show, a chart without a point for one.
          const isMeasured = result.steps.some(({ measurement }) => measurement !== undefined);
          assert.ok(names.length > 0 || !isMeasured, "nothing was rendered");
          assert.deepEqual(names, [...new Set(names)], "two files have the same name");
          for (const name of names) assert.match(name, /^[\w-][\w.-]*$/, "a name is not safe in every file system");
        },
      },
      {
        name: `renders ${what} twice to the same bytes`,
        run: async () => {
          const [first, second] = [await render(), await render()];
          const other = first.find((file, index) => !isDeepStrictEqual(file, second[index]))?.name ?? "another file";
          assert.ok(isDeepStrictEqual(first, second), `it was rendered in two ways, which differ in ${other}`);
        },
      },
    ];
  });
}

function withoutMeasurement({ target, level, trial, engine }: StepResult, index: number): StepResult {
  const key = { target, level, trial, engine };
  const error = { code: "START_FAILED", message: "It did not start: <b>|\n`x`" };
  return index % 2 === 0
    ? { ...key, state: "aborted", findings: [{ code: "INTERRUPTED", severity: "info", args: {} }] }
    : { ...key, state: "failed", error, findings: [{ code: "STEP_FAILED", severity: "error", args: error }] };
}
