import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { readStoredResult } from "../../test/support/read-report.js";
import { runCommand } from "../../test/support/run-command.js";
import { temporaryFolder } from "../../test/support/temporary-folder.js";
import { ExitCode } from "./exit-code.js";

const SERVER = `require("node:http").createServer((_, response) => response.end("hello")).listen(process.env.PORT);\n`;

/** Writes a project whose package.json starts a server. */
function writeProject(folder: string): void {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "server.js"), SERVER);
  writeFileSync(join(folder, "package.json"), '{ "name": "shop", "scripts": { "start": "node server.js" } }');
}

it("writes a config that runs, of the program that package.json starts, several of it behind a balancer", async () => {
  const folder = temporaryFolder();
  writeProject(folder);
  const { code, stderr } = await runCommand(["init", "--format", "ts", "--backends", "2"], folder);
  expect(code, stderr).toBe(ExitCode.pass);
  await expectSweep(folder, ["-t", "2 behind the balancer"], ["2 behind the balancer"]);
});

it("writes a config of base and head that runs, side by side, as the workflow has them", async () => {
  const folder = temporaryFolder();
  for (const name of ["base", "head"]) writeProject(join(folder, name));
  const { code, stderr } = await runCommand(["init", "--workflow", "--format", "mjs"], join(folder, "head"));
  expect(code, stderr).toBe(ExitCode.pass);
  await expectSweep(folder, ["--config", "head/lbbench.pull-request.mjs"], ["base", "head"]);
});

/** Sweeps with a config, and expects that every target was asked and answered well. */
async function expectSweep(folder: string, flags: readonly string[], targets: readonly string[]): Promise<void> {
  const short = ["-c", "1", "-n", "50", "--trials", "1", "--warmup", "0", "-o", join(folder, "out"), "-f", "json"];
  const { code, stderr } = await runCommand(["sweep", ...flags, ...short], folder);
  expect([ExitCode.pass, ExitCode.inconclusive, ExitCode.fail], stderr).toContain(code);
  const { steps } = readStoredResult(join(folder, "out"));
  expect(steps.map(({ target, measurement }) => [target, measurement?.requests.ok])).toEqual(
    targets.map((target) => [target, 50]),
  );
}
