import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { expectClosed } from "../../test/support/expect-closed.js";
import { fixture } from "../../test/support/fixture.js";
import { listeningPorts } from "../../test/support/marked-processes.js";
import { readMarkdown, readStoredResult } from "../../test/support/read-report.js";
import { startCli, type RunningCli } from "../../test/support/run-cli.js";
import { temporaryFolder } from "../../test/support/temporary-folder.js";
import { startTestServer } from "../../test/support/test-server.js";
import { writeConfig } from "../../test/support/write-config.js";
import { ExitCode } from "./exit-code.js";

const PATIENCE = { timeout: 20_000, interval: 20 };

/** The first level is short, the second lasts longer than any test. */
const LONG_SWEEP = ["sweep", "-c", "1", "-n", "100,1000000000", "-o", "out", "-f", "md", "--warmup", "0"];

describe.skipIf(process.platform !== "linux")("lbbench sweep when it is interrupted", () => {
  it.each([
    ["SIGINT", (cli: RunningCli) => cli.kill("SIGINT")],
    ["SIGTERM", (cli: RunningCli) => cli.kill("SIGTERM")],
    ["SIGHUP", (cli: RunningCli) => cli.kill("SIGHUP")],
    ["SIGINT to the whole group, as a terminal sends it,", (cli: RunningCli) => cli.killGroup("SIGINT")],
  ])("on %s writes what was measured, ends every process and exits with 130", async (_, interrupt) => {
    const cwd = temporaryFolder();
    writeConfig(cwd, { targets: [{ name: "mine", server: "balanced", options: { backends: 2 } }] });
    const cli = startCli(LONG_SWEEP, cwd);
    await printed(cli, /^\[1\/2\]/m);
    // The second step is under way when its generator, its balancer and its two backends are there.
    await expect.poll(() => cli.processes().length, PATIENCE).toBeGreaterThanOrEqual(5);
    const ports = listeningPorts(cli.processes());
    interrupt(cli);

    const { code, stderr, stdout } = await cli.ended;
    expect({ code }, stderr).toEqual({ code: ExitCode.interrupted });
    expect(stderr).toContain("Interrupted: writing what was measured.");
    expect(stderr + stdout, "a stack trace").not.toMatch(/^\s+at /m);
    expect(cli.processes()).toEqual([]);
    await expectClosed(ports);
    const { complete, steps, finishedAt } = readStoredResult(join(cwd, "out"));
    expect({ complete, isFinished: finishedAt !== null }).toEqual({ complete: false, isFinished: true });
    expect(steps.map(({ state }) => state)).toEqual(["completed", "aborted"]);
    expect(readMarkdown(join(cwd, "out"))).toContain("mine");
  });

  it("keeps what was counted of the step that was cut short", async () => {
    const { url, requests } = await startTestServer();
    const cwd = temporaryFolder();
    const cli = startCli(["sweep", url, "-c", "2", "-d", "1h", "-o", "out", "-f", "md", "--warmup", "0"], cwd);
    await expect.poll(requests, PATIENCE).toBeGreaterThan(100);
    cli.kill("SIGINT");
    expect(await cli.ended).toMatchObject({ code: ExitCode.interrupted });
    const [step] = readStoredResult(join(cwd, "out")).steps;
    expect(step?.state).toBe("aborted");
    // The last of them may still be on their way to this process.
    await expect.poll(requests, PATIENCE).toBe(step?.measurement?.requests.sent);
  });

  it("ends a command that is not ready yet, and leaves a report that says so", async () => {
    const cwd = temporaryFolder();
    const command = [process.execPath, fixture("deaf-program.mjs")];
    writeConfig(cwd, { targets: [{ name: "deaf", server: "command", options: { command, readyTimeoutMs: 600_000 } }] });
    const cli = startCli(LONG_SWEEP, cwd);
    // Itself, the supervisor of the command, and the command.
    await expect.poll(() => cli.processes().length, PATIENCE).toBe(3);
    cli.kill("SIGINT");
    const { code, stderr } = await cli.ended;
    expect({ code }, stderr).toEqual({ code: ExitCode.interrupted });
    expect(cli.processes()).toEqual([]);
    expect(readStoredResult(join(cwd, "out"))).toMatchObject({ complete: false, steps: [] });
  });

  it("kills at once on the second signal, even a command that ignores SIGTERM", async () => {
    const cwd = temporaryFolder();
    const command = [process.execPath, fixture("stubborn-server.mjs")];
    writeConfig(cwd, { targets: [{ name: "stubborn", server: "command", options: { command } }] });
    const cli = startCli(["sweep", "-d", "1h", "-c", "1", "-o", "out"], cwd);
    // Its generator is the fourth.
    await expect.poll(() => cli.processes().length, PATIENCE).toBeGreaterThanOrEqual(4);
    const ports = listeningPorts(cli.processes());
    expect(ports).toHaveLength(1);
    cli.kill("SIGINT");
    await printed(cli, /Interrupted/);
    cli.kill("SIGINT");
    expect(await cli.ended).toMatchObject({ code: ExitCode.interrupted });
    // Without the second signal the command would be given its grace period, and the report would be written.
    expect(existsSync(join(cwd, "out/report.md"))).toBe(false);
    await expect.poll(cli.processes, PATIENCE).toEqual([]);
    await expectClosed(ports);
  });

  it("leaves no child when it is killed itself", async () => {
    const cwd = temporaryFolder();
    const command = [process.execPath, fixture("stubborn-server.mjs")];
    writeConfig(cwd, {
      targets: [
        { name: "workers", server: "cluster", options: { workers: 2 } },
        { name: "stubborn", server: "command", options: { command } },
      ],
    });
    const cli = startCli(LONG_SWEEP, cwd);
    await printed(cli, /^\[2\/4\]/m);
    // Itself, its generator, and a target: the supervisor with its command, or the primary with its workers.
    await expect.poll(() => cli.processes().length, PATIENCE).toBeGreaterThanOrEqual(4);
    const ports = listeningPorts(cli.processes());
    cli.kill("SIGKILL");
    expect(await cli.ended).toMatchObject({ signal: "SIGKILL" });
    await expect.poll(cli.processes, PATIENCE).toEqual([]);
    await expectClosed(ports);
  });
});

async function printed(cli: RunningCli, pattern: RegExp): Promise<void> {
  await expect.poll(cli.stderr, PATIENCE).toMatch(pattern);
}
