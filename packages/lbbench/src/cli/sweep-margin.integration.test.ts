import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { readMarkdown, readStoredResult } from "../../test/support/read-report.js";
import { runCli } from "../../test/support/run-cli.js";
import { temporaryFolder } from "../../test/support/temporary-folder.js";
import { writeConfig } from "../../test/support/write-config.js";
import { ExitCode } from "./exit-code.js";

/** One server that answers everything, and one that refuses what comes while it is at work. */
const CONFIG = {
  targets: [
    { name: "patient", server: "single", options: { handler: "sleep:2ms" } },
    { name: "refusing", server: "pool", options: { pool: 1, queue: 1, policy: "drop-tail", handler: "sleep:2ms" } },
  ],
  connections: "8",
  duration: "150ms",
  warmup: "0",
  formats: ["md"],
  margin: "20%",
};

/** Runs a sweep of the two with these flags, in a folder of its own. */
async function runSweep(...flags: readonly string[]) {
  const cwd = temporaryFolder();
  writeConfig(cwd, CONFIG);
  const { code, stdout, stderr } = await runCli(["sweep", "-o", "out", ...flags], cwd);
  // Sentences are wrapped to the width of a terminal.
  return { code, stdout: stdout.replaceAll(/\s+/g, " "), stderr, folder: join(cwd, "out") };
}

describe("lbbench sweep --margin", () => {
  // Failed requests are counted alike on a quick machine and on a busy one, so that they decide on any.
  it("ends with 1 when a target is worse than the reference, and shows by how much", async () => {
    const { code, stdout, folder } = await runSweep("--trials", "4", "--margin", "5%");
    expect(code, stdout).toBe(ExitCode.fail);
    expect(stdout).toContain("Verdict: fail. refusing is worse than patient beyond the margin of 5 %.");
    expect(stdout).toContain("error WORSE_THAN_REFERENCE: refusing at 8 connections: the share of failed");
    const { scenario, verdict } = readStoredResult(folder);
    expect(scenario).toMatchObject({ margin: 0.05, errorMargin: 0.001, reference: "patient" });
    expect(verdict.status).toBe("fail");
    const markdown = readMarkdown(folder);
    expect(markdown).toContain("## Verdict: fail\n\nrefusing is worse than patient beyond the margin of 5 %.");
    expect(markdown).toMatch(/\| Failed \(%\) \| .* points \(.*\) \| more .*\| \*\*yes\*\* \|/);
  });

  it("ends with 3 when it cannot be told, and says why", async () => {
    const { code, stdout, folder } = await runSweep("--trials", "2", "-c", "1", "--reference", "refusing");
    expect(code, stdout).toBe(ExitCode.inconclusive);
    expect(stdout).toContain("Whether patient is worse than refusing beyond the margin of 20 % cannot be told.");
    expect(readStoredResult(folder).verdict.findings).toContainEqual(
      expect.objectContaining({
        code: "COMPARISON_INCONCLUSIVE",
        args: expect.objectContaining({
          target: "patient",
          reference: "refusing",
          margin: 0.2,
          because: expect.any(String),
        }),
      }),
    );
  });

  it("refuses a margin without a second target, and leaves out that of the config file", async () => {
    const asked = await runSweep("-t", "patient", "--margin", "5%");
    expect(asked.code).toBe(ExitCode.usage);
    expect(asked.stderr).toContain("margin (--margin): expected two targets or more");
    const { code, folder } = await runSweep("-t", "patient");
    expect(code).toBe(ExitCode.pass);
    expect(readStoredResult(folder).scenario.margin).toBeNull();
  });

  it("refuses what is no share", async () => {
    const { code, stderr } = await runSweep("--margin", "5");
    expect(code).toBe(ExitCode.usage);
    expect(stderr).toContain('--margin: expected a share from 0 % to below 100 %, such as "5%" or 0.05, got "5"');
  });
});
