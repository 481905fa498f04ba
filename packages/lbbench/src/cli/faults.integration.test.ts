import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { fixture } from "../../test/support/fixture.js";
import { readStoredResult } from "../../test/support/read-report.js";
import { runCli } from "../../test/support/run-cli.js";
import { temporaryFolder } from "../../test/support/temporary-folder.js";
import { startTestServer } from "../../test/support/test-server.js";
import { writeConfig } from "../../test/support/write-config.js";
import { ExitCode } from "./exit-code.js";

describe("lbbench sweep over a target with faults", () => {
  it("records what was counted before a target died, goes on, and exits with 3", async () => {
    const cwd = temporaryFolder();
    const command = [process.execPath, fixture("mortal-server.mjs"), "300"];
    writeConfig(cwd, {
      targets: [
        { name: "mortal", server: "command", options: { command } },
        { name: "sound", server: "single" },
      ],
      warmup: "0",
    });
    const sweep = ["sweep", "-c", "1,10", "-n", "1000", "-o", "out", "-f", "md"];
    const { code, stdout, stderr } = await runCli(sweep, cwd);
    expect(code, stderr).toBe(ExitCode.inconclusive);
    expect(stdout).toContain("TARGET_DIED");
    const { complete, steps } = readStoredResult(join(cwd, "out"));
    expect(complete).toBe(true);
    expect(steps.map(({ target, state }) => `${target}: ${state}`).toSorted()).toEqual([
      "mortal: failed",
      "mortal: failed",
      "sound: completed",
      "sound: completed",
    ]);
    for (const { error, measurement } of steps.filter(({ target }) => target === "mortal")) {
      expect(error).toEqual({ code: "TARGET_DIED", message: expect.stringMatching(/exit code 7[^]*that was enough/) });
      // Less one for the question whether it is ready.
      expect(measurement?.requests.ok).toBe(299);
    }
  });

  it("records a level that collapses, and goes on", async () => {
    const most = 10;
    const { url } = await startTestServer({
      onConnection: (socket, open) => {
        if (open > most) socket.resetAndDestroy();
      },
    });
    const cwd = temporaryFolder();
    const { code, stderr } = await runCli(["sweep", url, "-c", "5,40,8", "-n", "400", "-o", "out", "-f", "md"], cwd);
    const { complete, steps } = readStoredResult(join(cwd, "out"));
    expect({ complete, stderr: stderr.split("\n").length }).toEqual({ complete: true, stderr: 4 });
    expect(steps.map(({ level, state }) => `${level.connections}: ${state}`)).toEqual([
      "5: completed",
      "40: completed",
      "8: completed",
    ]);
    const [before, collapsed, after] = steps.map(({ measurement }) => measurement?.requests);
    expect(before).toMatchObject({ sent: 400, ok: 400 });
    expect((collapsed?.resets ?? 0) + (collapsed?.connectErrors ?? 0)).toBeGreaterThan(0);
    expect(after).toMatchObject({ sent: 400, ok: 400 });
    expect([ExitCode.pass, ExitCode.inconclusive]).toContain(code);
  });

  it("records a server that goes away between two levels as not reachable, and exits with 3", async () => {
    const server = await startTestServer({
      onRequest: (_, response) => {
        response.end("hello");
        if (server.requests() === 400) server.stop();
      },
    });
    const cwd = temporaryFolder();
    const flags = ["-c", "4,8", "-n", "400", "--warmup", "0", "--timeout", "1s", "-o", "out", "-f", "md"];
    const { code, stdout } = await runCli(["sweep", server.url, ...flags], cwd);
    expect(code, stdout).toBe(ExitCode.inconclusive);
    const [first, second] = readStoredResult(join(cwd, "out")).steps;
    expect(first).toMatchObject({ state: "completed", measurement: { requests: { ok: 400 } } });
    expect(second).toMatchObject({ state: "failed", error: { message: expect.stringContaining("ECONNREFUSED") } });
  });
});
