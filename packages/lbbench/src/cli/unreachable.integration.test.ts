import { mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { closedPort } from "../../test/ground-truth/closed-port.js";
import { expectRefusal } from "../../test/support/expect-refusal.js";
import { fixture } from "../../test/support/fixture.js";
import { runCli } from "../../test/support/run-cli.js";
import { temporaryFolder } from "../../test/support/temporary-folder.js";
import { startTestServer } from "../../test/support/test-server.js";
import { writeConfig } from "../../test/support/write-config.js";
import { ExitCode } from "./exit-code.js";

describe("lbbench with something that cannot be started or reached", () => {
  it("exits with 4 when nothing listens at a URL, and leaves no folder", async () => {
    const cwd = temporaryFolder();
    const outcome = await runCli(["sweep", `http://127.0.0.1:${await closedPort()}`], cwd);
    expectRefusal(outcome, ["Expected a server that answers at", "ECONNREFUSED"], ExitCode.unreachable);
    expect(readdirSync(cwd)).toEqual([]);
  });

  it("keeps an empty output folder that was there before", async () => {
    const cwd = temporaryFolder();
    mkdirSync(join(cwd, "mine"));
    const outcome = await runCli(["sweep", `http://127.0.0.1:${await closedPort()}`, "-o", "mine"], cwd);
    expect(outcome.code).toBe(ExitCode.unreachable);
    expect(readdirSync(cwd)).toEqual(["mine"]);
  });

  it.each([
    ["proxy", "--backend http://127.0.0.1:9 --port PORT"],
    ["serve", "single --port PORT"],
    ["serve", "cluster --workers 2 --port PORT"],
  ])("exits with 4 when the port of lbbench %s %s is in use", async (command, flags) => {
    const { port } = await startTestServer();
    const outcome = await runCli([command, ...flags.replace("PORT", String(port)).split(" ")], temporaryFolder());
    expectRefusal(outcome, [String(port), "the port is in use"], ExitCode.unreachable);
  });

  it.each([
    ["single", {}],
    ["cluster", { workers: 2 }],
    ["balanced", { backends: 2 }],
  ])("exits with 4 when the port of a target %s is in use", async (server, options) => {
    const { port, connections } = await startTestServer();
    const cwd = temporaryFolder();
    writeConfig(cwd, { targets: [{ name: "mine", server, options: { ...options, port } }] });
    const outcome = await runCli(["sweep", "-c", "1", "-n", "10"], cwd);
    expectRefusal(outcome, [String(port)], ExitCode.unreachable);
    expect(connections()).toBe(0);
  });

  it("exits with 4 when the command of a target does not exist", async () => {
    const cwd = temporaryFolder();
    writeConfig(cwd, {
      targets: [{ name: "mine", server: "command", options: { command: ["no-such-program", "--port", "{port}"] } }],
    });
    const outcome = await runCli(["sweep"], cwd);
    expectRefusal(
      outcome,
      ['The command "no-such-program', "ENOENT", "Is the program installed"],
      ExitCode.unreachable,
    );
  });

  it("exits with 4 and what it printed when the command of a target never answers", async () => {
    const cwd = temporaryFolder();
    const command = [process.execPath, fixture("deaf-program.mjs")];
    writeConfig(cwd, { targets: [{ name: "mine", server: "command", options: { command, readyTimeoutMs: 3000 } }] });
    const outcome = await runCli(["sweep"], cwd);
    expectRefusal(outcome, ["within 3000 ms", "PORT", "warming up for ever"], ExitCode.unreachable);
  });

  it("exits with 4 when the last of several targets cannot be started, before the others get load", async () => {
    const { url, requests } = await startTestServer();
    const dead = `http://127.0.0.1:${await closedPort()}/`;
    const outcome = await runCli(["sweep", url, "-t", "single", "-t", dead], temporaryFolder());
    expectRefusal(outcome, ["Expected a server that answers at"], ExitCode.unreachable);
    expect(requests()).toBe(0);
  });
});
