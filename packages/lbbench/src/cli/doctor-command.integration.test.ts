import { describe, expect, it } from "vitest";
import { expectClosed } from "../../test/support/expect-closed.js";
import { expectRefusal } from "../../test/support/expect-refusal.js";
import { listeningPorts } from "../../test/support/marked-processes.js";
import { runCli, startCli } from "../../test/support/run-cli.js";
import { temporaryFolder } from "../../test/support/temporary-folder.js";
import type { Diagnosis } from "../doctor/diagnosis.js";
import { TOOLS } from "../doctor/tools.js";
import { ExitCode } from "./exit-code.js";

const PATIENCE = { timeout: 20_000, interval: 20 };

const IDS = [
  "node",
  "png",
  "cores",
  "load",
  "steal",
  "cpu-frequency",
  "memory",
  "clock",
  "timers",
  "open-files",
  "ports",
  "time-wait",
  "backlog",
  ...TOOLS.map(({ name }) => `tool-${name}`),
];

/** What a problem on the machine of the test means for the exit code. */
function codeFor({ status }: Diagnosis): number {
  return status === "problem" ? ExitCode.fail : ExitCode.pass;
}

describe("lbbench doctor", () => {
  it("says in a table what this machine can measure, for a pipe without colours", async () => {
    const { code, stdout, stderr } = await runCli(["doctor"], temporaryFolder());
    expect([ExitCode.pass, ExitCode.fail], stderr).toContain(code);
    expect(stderr).toBe("");
    expect(stdout).not.toContain("\u001B");
    expect(stdout).toMatch(/^(ok|problem) +Node\.js +v\d/m);
    expect(stdout).toMatch(/^\w+ +Generator +[\d,]+ requests\/s from/m);
    expect(stdout.replaceAll(/\s+/g, " ")).toMatch(/Throughputs near [\d,]+ requests\/s on this machine/);
    expect(stdout.trimEnd().split("\n").at(-1)).toMatch(/^(This machine is fit|\d+ (warning|problem)s?)/);
    expect(stdout.split("\n").filter((line) => line.length > 80)).toEqual([]);
  });

  it("prints data and nothing else with --json, of which every check says what was found", async () => {
    const { code, stdout, stderr } = await runCli(["doctor", "--json", "--quick"], temporaryFolder());
    const diagnosis = JSON.parse(stdout) as Diagnosis;
    expect({ code, stderr }).toEqual({ code: codeFor(diagnosis), stderr: "" });
    expect(diagnosis.checks.map(({ id }) => id)).toEqual(IDS);
    for (const { id, status, found, remedy } of diagnosis.checks) {
      expect(["ok", "warning", "problem"]).toContain(status);
      expect(found, id).not.toBe("");
      expect(remedy === undefined, id).toBe(status === "ok");
    }
    expect(diagnosis.readings.nodeVersion).toBe(process.version);
  });

  it.each([
    ["--quik", "unknown option '--quik'", "Did you mean --quick?"],
    ["now", "too many arguments for 'doctor'", "lbbench doctor --help"],
  ])("refuses %s", async (word, ...message) => {
    expectRefusal(await runCli(["doctor", word], temporaryFolder()), message);
  });

  it.runIf(process.platform === "linux")("leaves nothing behind when it is interrupted before that", async () => {
    const cli = startCli(["doctor"], temporaryFolder());
    // Tools that are asked for their version, or what is started later.
    await expect.poll(() => cli.processes().length, PATIENCE).toBeGreaterThan(1);
    cli.kill("SIGINT");
    expect(await cli.ended).toMatchObject({ code: ExitCode.interrupted, stdout: "" });
    await expect.poll(cli.processes, PATIENCE).toEqual([]);
  });

  it.runIf(process.platform === "linux").each(["SIGINT", "SIGTERM"] as const)(
    "leaves nothing behind when %s comes while it measures",
    async (signal) => {
      const cli = startCli(["doctor"], temporaryFolder());
      // The server listens: its port is the only one.
      await expect.poll(() => listeningPorts(cli.processes()).length, PATIENCE).toBe(1);
      const ports = listeningPorts(cli.processes());
      cli.kill(signal);
      const { code, stdout, stderr } = await cli.ended;
      expect({ code, stdout }, stderr).toEqual({ code: ExitCode.interrupted, stdout: "" });
      expect(stderr).toBe("Interrupted: nothing was found out.\n");
      expect(cli.processes()).toEqual([]);
      await expectClosed(ports);
    },
  );
});
