import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { expectRefusal } from "../../test/support/expect-refusal.js";
import { readMarkdown, readStoredResult } from "../../test/support/read-report.js";
import { runCli, startCli } from "../../test/support/run-cli.js";
import { temporaryFolder } from "../../test/support/temporary-folder.js";
import { writeConfig } from "../../test/support/write-config.js";
import { ExitCode } from "./exit-code.js";

const SWEEP = ["sweep", "-c", "1,2,4", "--trials", "2", "-d", "1s", "--warmup", "0", "-o", "out", "-f", "md"];

describe("lbbench sweep --resume", () => {
  it.each(["SIGINT", "SIGKILL"] as const)(
    "goes on with a sweep that %s ended, until every step was measured once",
    async (signal) => {
      const cwd = temporaryFolder();
      const out = join(cwd, "out");
      writeConfig(cwd, { targets: [{ name: "mine", server: "balanced", options: { backends: 2 } }] });
      const cli = startCli(SWEEP, cwd);
      await expect.poll(cli.stderr, { timeout: 30_000, interval: 20 }).toMatch(/^\[2\/6\]/m);
      cli.kill(signal);
      await cli.ended;
      const begun = readStoredResult(out);
      expect(begun).toMatchObject({ complete: false });
      const kept = begun.steps.filter(({ state }) => state === "completed");
      expect(kept.length).toBeGreaterThanOrEqual(2);

      const outcome = await runCli(["sweep", "--resume", "out", "-f", "md"], cwd);
      expect(outcome.code, outcome.stderr).toBe(ExitCode.pass);
      const result = readStoredResult(out);
      expect(result).toMatchObject({ complete: true, startedAt: begun.startedAt, resumedAt: [expect.any(String)] });
      expect(result.steps.slice(0, kept.length)).toEqual(kept);
      expect(result.steps.map(({ level, trial }) => `${trial} ${level.connections}`)).toEqual([
        "1 1",
        "1 2",
        "1 4",
        "2 1",
        "2 2",
        "2 4",
      ]);
      expect(result.steps.map(({ state }) => state)).toEqual(Array.from({ length: 6 }, () => "completed"));
      expect(outcome.stderr.split("\n")[0]).toMatch(new RegExp(`^\\[${kept.length + 1}/6\\] mine`));
      expect(outcome.stdout).toContain(`Report: ${join(out, "report.md")}`);
      expect(readMarkdown(out)).not.toContain("not finished");
    },
  );

  it.each([
    [["-c", "5"], "--connections"],
    [["--no-keepalive"], "--no-keepalive"],
    [["--max-in-flight", "5"], "--max-in-flight"],
    [["http://127.0.0.1:1/"], "http://127.0.0.1:1/"],
  ])("refuses %j beside it", async (words, name) => {
    const cwd = temporaryFolder();
    const outcome = await runCli(["sweep", ...words, "--resume", "out"], cwd);
    expectRefusal(outcome, [
      "--resume: expected beside it only --format, --charts, --config, --quiet, --json, --live or --live-port",
      `got ${name}.`,
    ]);
    expect(existsSync(join(cwd, "out"))).toBe(false);
  });

  it("says so when there is nothing to go on with", async () => {
    const outcome = await runCli(["sweep", "--resume", "nowhere"], temporaryFolder());
    expectRefusal(outcome, ["Expected a result.json, or the folder of a report", "nowhere"]);
  });
});

describe("lbbench sweep --stop-on", () => {
  it("leaves out levels above the one where the rule was met, and says so", async () => {
    const cwd = temporaryFolder();
    writeConfig(cwd, {
      targets: [{ name: "bad", server: "single", options: { handler: "error:50%" } }, "single"],
    });
    const args = ["sweep", "-c", "1,2,3", "-n", "400", "--warmup", "0", "-o", "out", "-f", "md"];
    const { code, stdout, stderr } = await runCli([...args, "--stop-on", "errors>10%"], cwd);
    expect(code, stderr).toBe(ExitCode.pass);
    expect(stdout).toContain("info STOPPED_EARLY: bad at 1 connection: 2 higher levels were not measured, because");
    const result = readStoredResult(join(cwd, "out"));
    expect(result.complete).toBe(true);
    expect(result.steps.map(({ target, level }) => `${target} ${level.connections}`)).toEqual([
      "bad 1",
      "single 1",
      "single 2",
      "single 3",
    ]);
    expect(stderr).toMatch(/^\[1\/6\] bad.*\n\[2\/4\] single/);
  });
});
