import assert from "node:assert/strict";
import { basename } from "node:path";
import { deepFreeze } from "../config/resolve.js";
import type { Result } from "../model/result.js";
import type { RenderOptions, Reporter, ReportFile } from "../plugin.js";
import type { ContractCase } from "./contract.js";
import { createSampleResult } from "./sample-result.js";

const OPTIONS: RenderOptions = { charts: "png" };

/** What every reporter has to do: render any result, always in the same way, to plain files. */
export function reporterContract(reporter: Reporter): readonly ContractCase[] {
  const whole = createSampleResult();
  const results: readonly (readonly [what: string, result: Result])[] = [
    ["a whole sweep of two targets", whole],
    ["a result without steps", { ...whole, steps: [], complete: false, finishedAt: null, command: null }],
    ["a single step", { ...whole, steps: whole.steps.slice(0, 1), complete: false }],
    ["steps that failed or were interrupted", { ...whole, steps: whole.steps.map(withoutMeasurement) }],
  ];
  return results.flatMap(([what, result]) => [
    {
      name: `renders ${what} to files with plain names`,
      run: async () => {
        const files = await reporter.render(deepFreeze(structuredClone(result)), OPTIONS);
        // Where nothing was measured there may be nothing to show, a chart without a point for one.
        if (result.steps.some(({ measurement }) => measurement !== undefined)) {
          assert.ok(files.length > 0, "nothing was rendered");
        }
        expectPlainNames(files);
      },
    },
    {
      name: `renders ${what} twice to the same bytes`,
      run: async () => {
        const first = await reporter.render(structuredClone(result), OPTIONS);
        const second = await reporter.render(structuredClone(result), OPTIONS);
        assert.deepEqual(second.map(toBytes), first.map(toBytes));
      },
    },
  ]);
}

function withoutMeasurement(
  { target, level, trial, engine }: Result["steps"][number],
  index: number,
): Result["steps"][number] {
  const key = { target, level, trial, engine };
  return index % 2 === 0
    ? { ...key, state: "aborted", findings: [{ code: "INTERRUPTED", severity: "info", args: {} }] }
    : {
        ...key,
        state: "failed",
        error: { code: "START_FAILED", message: "It did not start: <b>|\n`x`" },
        findings: [{ code: "STEP_FAILED", severity: "error", args: { code: "START_FAILED", message: "<b>|\n`x`" } }],
      };
}

function expectPlainNames(files: readonly ReportFile[]): void {
  const names = files.map(({ name }) => name);
  assert.deepEqual(names, [...new Set(names)], "two files have the same name");
  for (const name of names) {
    assert.match(name, /^[\w.-]+$/, "a name has characters that are not safe in every file system");
    assert.equal(name, basename(name));
    assert.ok(!name.startsWith("."), `a name begins with a dot: ${name}`);
  }
}

function toBytes({ name, content }: ReportFile): { readonly name: string; readonly content: string } {
  return { name, content: Buffer.from(content as string).toString("base64") };
}
