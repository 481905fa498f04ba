import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { expectRefusal } from "../../test/support/expect-refusal.js";
import { readMarkdown, readStoredResult } from "../../test/support/read-report.js";
import { runCli, startCli } from "../../test/support/run-cli.js";
import { temporaryFolder } from "../../test/support/temporary-folder.js";
import { startTestServer } from "../../test/support/test-server.js";
import { writeConfig } from "../../test/support/write-config.js";
import { ExitCode } from "./exit-code.js";

const SHORT = ["-d", "600ms", "--timeout", "10s", "--warmup", "0", "-o", "out", "-f", "md"];

/** Serves 3 requests at a time, lets 4 wait, and refuses the rest. */
const POOL = {
  name: "pool",
  server: "pool",
  options: { pool: 3, queue: 4, policy: "drop-tail", handler: "sleep:20ms" },
};

describe("lbbench max", () => {
  it("finds how many connections a pool with a queue holds, and runs beyond", async () => {
    const cwd = temporaryFolder();
    // The levels are those of a sweep, and a search has no use for them.
    writeConfig(cwd, { targets: [POOL], connections: [1, 2], requests: 100 });
    const { code, stdout, stderr } = await runCli(["max", ...SHORT, "--beyond", "1.25"], cwd);
    expect(code, stderr + stdout).toBe(ExitCode.pass);
    expect(stdout).toContain("pool: 7 connections held, 8 did not (requests failed).");
    expect(stdout).toContain("pool was tried at 1 (held), 2 (held), 4 (held), 8 (did not), 6 (held), 7 (held).");
    expect(stdout).toContain("pool beyond its limit: 0 of 3 trials held 9 connections.");
    const result = readStoredResult(join(cwd, "out"));
    expect(result).toMatchObject({
      complete: true,
      scenario: { name: "max", search: { by: "connections", beyond: 1.25 } },
      search: [{ target: "pool", status: "found", held: 7, broken: 8, beyond: { value: 9, decision: "broken" } }],
      verdict: { status: "pass" },
    });
    expect(readMarkdown(join(cwd, "out"))).toContain("pool");
    expect(stderr).toMatch(/^\[1\] pool, 1 connection: /);
  });

  it("exits with 1 when not even one connection holds", async () => {
    const { url } = await startTestServer({ onRequest: (_, response) => void response.writeHead(503).end() });
    const { code, stdout } = await runCli(["max", url, ...SHORT, "--trials", "1"], temporaryFolder());
    expect(code).toBe(ExitCode.fail);
    expect(stdout).toContain("not even 1 connection held (requests failed).");
  });

  it("goes on with a search that was interrupted", async () => {
    const cwd = temporaryFolder();
    writeConfig(cwd, { targets: [POOL] });
    const cli = startCli(["max", ...SHORT], cwd);
    await expect.poll(cli.stderr, { timeout: 30_000, interval: 10 }).toMatch(/^\[3\] /m);
    cli.kill("SIGINT");
    expect(await cli.ended).toMatchObject({ code: ExitCode.interrupted });
    const { code, stdout, stderr } = await runCli(["max", "--resume", "out", "-f", "md"], cwd);
    expect(code, stderr).toBe(ExitCode.pass);
    expect(stdout).toContain("pool: 7 connections held, 8 did not (requests failed).");
    const { steps } = readStoredResult(join(cwd, "out"));
    const keys = steps.map(({ level, trial }) => `${level.connections}/${trial}`);
    expect(new Set(keys).size).toBe(keys.length);
  });

  it.each([
    [["--by", "users"], '--by: expected "connections" or "rate", got "users"'],
    [["--beyond", "0.5"], "--beyond: expected a number above 1, such as 1.25, got 0.5"],
    [["--resolution", "x"], '--resolution: expected a ratio of at least 0 and below 1, such as 0.02, got "x"'],
    [["--trials", "2", "--needed", "3"], "--needed"],
    [["--poisson"], "arrival: expected only with levels of a rate"],
  ])("refuses %j", async (words, message) => {
    expectRefusal(await runCli(["max", ...words], temporaryFolder()), [message]);
  });
});
