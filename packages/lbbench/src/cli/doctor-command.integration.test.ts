import { describe, expect, it } from "vitest";
import { runCommand, startCommand } from "../../test/support/run-command.js";
import type { Diagnosis } from "../doctor/diagnosis.js";
import { TOOLS } from "../doctor/tools.js";
import { processTree } from "../run/usage/process-tree.js";
import { ExitCode } from "./exit-code.js";

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

describe("lbbench doctor", () => {
  it("says in a table what this machine can measure, for a pipe without colours", async () => {
    const { code, stdout, stderr } = await runCommand(["doctor"], "/");
    expect([ExitCode.pass, ExitCode.fail], stderr).toContain(code);
    expect(stderr).toBe("");
    expect(stdout).not.toContain("\u001B");
    expect(stdout).toMatch(/^(ok|problem) +Node\.js +v\d/m);
    expect(stdout).toMatch(/^\w+ +Generator +[\d,]+ requests\/s from/m);
    expect(stdout.trimEnd().split("\n").at(-1)).toMatch(/^(This machine is fit|\d+ (warning|problem)s?)/);
    expect(stdout.split("\n").filter((line) => line.length > 80)).toEqual([]);
    expect(await processTree(process.pid)).toEqual([process.pid]);
  });

  it("prints data and nothing else with --json, of which every check says what was found", async () => {
    const { code, stdout, stderr } = await runCommand(["doctor", "--json", "--quick"], "/");
    const diagnosis = JSON.parse(stdout) as Diagnosis;
    const expected = diagnosis.status === "problem" ? ExitCode.fail : ExitCode.pass;
    expect({ code, stderr }).toEqual({ code: expected, stderr: "" });
    expect(diagnosis.checks.map(({ id }) => id)).toEqual(IDS);
    for (const { id, status, found, remedy } of diagnosis.checks) {
      expect(found, id).not.toBe("");
      expect(remedy === undefined, id).toBe(status === "ok");
    }
    expect(diagnosis.readings.nodeVersion).toBe(process.version);
  });

  // The phases are told on a terminal alone.
  it.each([/looking at the machine/, /measuring/])(
    "leaves nothing behind when it is interrupted while it has something running, %s",
    async (phase) => {
      const { stderr, interrupt, ended } = startCommand(["doctor"], "/", { columns: 80 });
      await expect.poll(stderr).toMatch(phase);
      await expect.poll(() => processTree(process.pid), { interval: 5 }).not.toEqual([process.pid]);
      interrupt();
      expect(await ended).toMatchObject({ code: ExitCode.interrupted, stdout: "" });
      expect(stderr()).toMatch(/Interrupted: nothing was found out\.\n$/);
      expect(await processTree(process.pid)).toEqual([process.pid]);
    },
  );
});
