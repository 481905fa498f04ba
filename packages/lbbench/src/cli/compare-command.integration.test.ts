import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { expectRefusal } from "../../test/support/expect-refusal.js";
import { runCli } from "../../test/support/run-cli.js";
import { temporaryFolder } from "../../test/support/temporary-folder.js";
import type { ResultComparison } from "../index.js";
import { aRun, steady } from "../judge/test-support/compare-samples.js";
import { anEnvironment } from "../test-support/fixtures.js";
import { ExitCode } from "./exit-code.js";

/** A folder with `a/result.json` and `b/result.json` in it. */
function folderWith(b: object, a: object = aRun()): string {
  const cwd = temporaryFolder();
  for (const [name, content] of Object.entries({ a, b })) {
    mkdirSync(join(cwd, name));
    writeFileSync(join(cwd, name, "result.json"), JSON.stringify(content));
  }
  return cwd;
}

const diedAt = (level: number) => (_trial: number, connections: number) =>
  connections === level ? ([{ code: "TARGET_DIED", severity: "error", args: {} }] as const) : [];

const SLOWER = aRun({ speed: steady(0.8) });

describe("lbbench compare", () => {
  it("ends with 1 when B is worse beyond the margin, and prints Markdown into a pipe", async () => {
    const { code, stdout, stderr } = await runCli(["compare", "a", "b/result.json"], folderWith(SLOWER));
    expect({ code, stderr }).toEqual({ code: ExitCode.fail, stderr: "" });
    expect(stdout).toMatch(/^### lbbench compare: fail\n/);
    expect(stdout).toContain("| Requests/s |");
  });

  it("ends with 0 when it is within the margin given", async () => {
    const { code, stdout } = await runCli(["compare", "a", "b", "--margin", "40%"], folderWith(SLOWER));
    expect(code).toBe(ExitCode.pass);
    expect(stdout).toContain("B is not worse than A beyond the margin of 40 %.");
  });

  it("ends with 3 when nothing can be told, and says why", async () => {
    const cwd = folderWith(aRun({ speed: steady(0.8), result: { environment: anEnvironment({ cores: 2 }) } }));
    const { code, stdout } = await runCli(["compare", "a", "b", "-f", "text"], cwd);
    expect(code).toBe(ExitCode.inconclusive);
    expect(stdout).toContain("Not compared: another machine: cores 8 in A, 2 in B.");
  });

  it.each([
    [ExitCode.inconclusive, "lacks a level of A", aRun({ connections: [1] })],
    [ExitCode.fail, "died at a level of A", aRun({ connections: [1, 50], findings: diedAt(50) })],
  ])("ends with %i when B %s, however good it is at the others", async (expected, _, b) => {
    const { code, stdout } = await runCli(["compare", "a", "b"], folderWith(b, aRun({ connections: [1, 50] })));
    expect(code, stdout).toBe(expected);
    expect(stdout).toContain("50 connections");
  });

  it("prints data and nothing else with --json, nothing with --quiet", async () => {
    const cwd = folderWith(SLOWER);
    const json = await runCli(["compare", "a", "b", "--json"], cwd);
    const comparison = JSON.parse(json.stdout) as ResultComparison;
    expect(comparison).toMatchObject({
      status: "fail",
      margins: { margin: 0.05, errorMargin: 0.001 },
      targets: [
        { reference: "single", other: "single", levels: [{ throughput: { worse: "yes", verdict: "slower" } }] },
      ],
    });
    expect(await runCli(["compare", "a", "b", "--quiet"], cwd)).toMatchObject({
      code: ExitCode.fail,
      stdout: "",
      stderr: "",
    });
  });

  it("compares the targets it is told to", async () => {
    const cwd = folderWith(aRun({ targets: ["z", "y"], speed: steady(0.8) }), aRun({ targets: ["x", "y"] }));
    const { code, stdout } = await runCli(["compare", "a", "b", "-t", "x=z"], cwd);
    expect(code).toBe(ExitCode.fail);
    expect(stdout).toContain("x → z");
    expect(stdout).not.toContain("| y ");
  });

  it("takes note when A and B are the same run, which is not worse than itself", async () => {
    const { code, stdout } = await runCli(["compare", "a", "a"], folderWith(SLOWER));
    expect(code).toBe(ExitCode.pass);
    expect(stdout).toContain("- **Note**: A and B are the same run.");
  });

  it.each<[readonly string[], readonly string[]]>([
    [
      ["a", "c"],
      ["Expected a result.json", "c cannot be read"],
    ],
    [["a"], ["missing required argument 'B'"]],
    [
      ["a", "b", "--margin", "5"],
      ['--margin: expected a share from 0 % to below 100 %, such as "5%" or 0.05, got "5"', 'Did you mean "5%"?'],
    ],
    [["a", "b", "-f", "pdf"], ['-f, --format: expected md or text, got "pdf"']],
    [
      ["a", "b", "-t", "balanced"],
      ["expected a target of A (single)", 'got "balanced"'],
    ],
    [["a", "b", "--marg"], ["unknown option '--marg'"]],
  ])("refuses %j", async (words, message) => {
    expectRefusal(await runCli(["compare", ...words], folderWith(SLOWER)), message);
  });

  it("compares what two sweeps have measured", async () => {
    const cwd = temporaryFolder();
    const sweep = (out: string) =>
      runCli(
        ["sweep", "-t", "single", "-c", "2", "-d", "60ms", "--warmup", "0", "--trials", "4", "-f", "md", "-o", out],
        cwd,
      );
    await sweep("before");
    await sweep("after");
    const { code, stdout, stderr } = await runCli(["compare", "before", "after", "--json"], cwd);
    const comparison = JSON.parse(stdout) as ResultComparison;
    // Whatever the machine is busy with: the two are comparable, and the code is that of the outcome.
    expect(comparison.differences).toEqual([]);
    expect(comparison.targets).toMatchObject([{ other: "single", levels: [{ level: { connections: 2 } }] }]);
    expect({ code, stderr }).toEqual({ code: ExitCode[comparison.status], stderr: "" });
  });
});
