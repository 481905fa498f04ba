import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { expectRefusal } from "../../test/support/expect-refusal.js";
import { readStoredResult } from "../../test/support/read-report.js";
import { runCli, startCli } from "../../test/support/run-cli.js";
import { temporaryFolder } from "../../test/support/temporary-folder.js";
import { startTestServer } from "../../test/support/test-server.js";
import { writeConfig } from "../../test/support/write-config.js";
import { ExitCode } from "./exit-code.js";

const SHORT = ["--warmup", "50ms", "-o", "out", "-f", "md"];

describe("lbbench ramp", () => {
  it("raises users against targets that speak HTTP and gRPC, each by an engine that can", async () => {
    const cwd = temporaryFolder();
    const rise = ["--from", "2", "--to", "8", "--over", "2s", "--steps", "2"];
    const words = ["ramp", "-t", "single", "-t", "grpc", ...rise, ...SHORT];
    const { code, stdout, stderr } = await runCli(words, cwd);
    expect(code, stderr + stdout).toBe(ExitCode.pass);
    expect(stderr).toMatch(/^\[1\/2\] single, up to 8 users: /m);
    const { scenario, steps, complete, command } = readStoredResult(join(cwd, "out"));
    expect(complete).toBe(true);
    expect(command).toBe(`npx lbbench ${words.join(" ")}`);
    expect(scenario).toMatchObject({
      name: "ramp",
      levels: [{ users: 8, durationMs: 3000 }],
      ramp: { from: 2, riseMs: 2000, steps: 2 },
    });
    expect(steps.map(({ target, engine }) => [target, engine])).toEqual([
      ["single", "undici"],
      ["grpc", "grpc"],
    ]);
    for (const { measurement } of steps) {
      expect(measurement?.timeline.slice(0, 3).map(({ users }) => users)).toEqual([2, 5, 8]);
    }
  });

  it("goes by the ramp of the config file, and leaves out the levels of its sweep", async () => {
    const cwd = temporaryFolder();
    const { url } = await startTestServer();
    writeConfig(cwd, {
      targets: [url],
      connections: [1, 2],
      duration: "3s",
      stopOn: ["errors>10%"],
      ramp: { from: 3, to: 50, over: "400ms", hold: "300ms" },
    });
    const { code, stdout, stderr } = await runCli(["ramp", "--to", "5", ...SHORT], cwd);
    expect(code, stderr + stdout).toBe(ExitCode.pass);
    const { scenario, steps } = readStoredResult(join(cwd, "out"));
    expect(scenario).toMatchObject({ ramp: { from: 3, riseMs: 400 }, levels: [{ users: 5, durationMs: 700 }] });
    expect(steps[0]?.measurement?.connections).toMatchObject({ asked: 5, opened: 5 });
    // One that is for both is read by both.
    const sweep = await runCli(["sweep", "-c", "1", "-n", "50", ...SHORT], cwd);
    expect(sweep.code, sweep.stderr).toBe(ExitCode.pass);
  });

  it("keeps what it has when it is interrupted, and goes on", async () => {
    const cwd = temporaryFolder();
    const { url } = await startTestServer();
    const rise = ["--to", "4", "--over", "500ms", "--hold", "500ms", "--trials", "3"];
    const cli = startCli(["ramp", url, ...rise, ...SHORT], cwd);
    await expect.poll(cli.stderr, { timeout: 30_000, interval: 10 }).toMatch(/^\[1\/3\] /m);
    cli.kill("SIGINT");
    expect(await cli.ended).toMatchObject({ code: ExitCode.interrupted });
    const { code, stderr } = await runCli(["ramp", "--resume", "out", "-f", "md"], cwd);
    expect(code, stderr).toBe(ExitCode.pass);
    expect(readStoredResult(join(cwd, "out")).steps.map(({ trial }) => trial)).toEqual([1, 2, 3]);
  });

  it.each([
    [["--to", "0"], "--to: expected a whole number of at least 1, got 0"],
    [["--from", "x"], '--from: expected a whole number of at least 1, got "x"'],
    [["--over", "10"], "--over: expected a time such as 500ms, 5s or 2m"],
    [["--hold", "0"], "--hold: expected a time longer than 0"],
    [["--from", "9", "--to", "3"], "ramp.to (--to): expected at least as many users as there are from the start"],
    [["--to", "3", "--steps", "3"], "ramp.steps (--steps): expected at most 2"],
    [["--engine", "autocannon"], 'The engine "autocannon" cannot raise users over time'],
    [["-c", "5"], "unknown option '-c'"],
    [["--resume", "out", "--to", "5"], "--resume: expected beside it only"],
  ])("refuses %j", async (words, message) => {
    expectRefusal(await runCli(["ramp", ...words], temporaryFolder()), [message]);
  });
});
