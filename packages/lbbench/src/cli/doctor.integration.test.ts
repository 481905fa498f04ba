import { describe, expect, it } from "vitest";
import { runCommand, startCommand } from "../../test/support/run-command.js";
import type { Diagnosis } from "../doctor/diagnosis.js";
import { judgeReadings } from "../doctor/checks.js";
import { someReadings } from "../doctor/test-support/sample-readings.js";
import { processTree } from "../system/proc.js";
import { ExitCode } from "./io.js";

describe("lbbench doctor", () => {
  it("says in a table what this machine can measure, for a pipe without colours", async () => {
    const { code, stdout, stderr } = await runCommand(["doctor"], "/");
    expect([ExitCode.pass, ExitCode.fail], stderr).toContain(code);
    expect(stderr).toBe("");
    expect(stdout).not.toContain("\u001B");
    expect(stdout).toMatch(/^(ok|problem) +Node\.js +v\d/m);
    expect(stdout).toMatch(/^\w+ +Generator +[\d,]+ requests\/s from/m);
    expect(processTree(process.pid)).toEqual([process.pid]);
  });

  it("prints data and nothing else with --json, every check once and what was found", async () => {
    const { code, stdout, stderr } = await runCommand(["doctor", "--json", "--quick"], "/");
    const diagnosis = JSON.parse(stdout) as Diagnosis;
    const expected = diagnosis.status === "problem" ? ExitCode.fail : ExitCode.pass;
    expect({ code, stderr }).toEqual({ code: expected, stderr: "" });
    expect(diagnosis.checks.map(({ id }) => id)).toEqual(judgeReadings(someReadings()).checks.map(({ id }) => id));
    expect(diagnosis.checks.filter(({ found }) => found === "")).toEqual([]);
    expect(diagnosis.readings.nodeVersion).toBe(process.version);
  });

  it("leaves nothing behind when it is interrupted while it measures", async () => {
    // The phases are told on a terminal alone.
    const { stderr, interrupt, ended } = startCommand(["doctor"], "/", { columns: 80 });
    await expect.poll(stderr).toMatch(/measuring/);
    await expect.poll(() => processTree(process.pid), { interval: 5 }).not.toEqual([process.pid]);
    interrupt();
    expect(await ended).toMatchObject({ code: ExitCode.interrupted, stdout: "" });
    expect(stderr()).toMatch(/Interrupted: nothing was found out\.\n$/);
    expect(processTree(process.pid)).toEqual([process.pid]);
  });
});
