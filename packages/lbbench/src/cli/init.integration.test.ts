import { join } from "node:path";
import { expect, it } from "vitest";
import { readStoredResult } from "../../test/support/read-report.js";
import { runCommand } from "../../test/support/run-command.js";
import { temporaryFolder } from "../../test/support/temporary-folder.js";
import { ExitCode } from "./exit-code.js";

const SERVER = `require("node:http").createServer((_, response) => response.end("hello")).listen(process.env.PORT);\n`;

it("writes a config that runs, of base and head, several processes of each behind a balancer, as the workflow has them", async () => {
  const manifest = '{ "name": "shop", "scripts": { "start": "node server.js" } }';
  const folder = temporaryFolder({
    "base/server.js": SERVER,
    "base/package.json": manifest,
    "head/server.js": SERVER,
    "head/package.json": manifest,
  });
  const init = ["init", "--workflow", "--format", "ts", "--backends", "2"];
  const made = await runCommand(init, join(folder, "head"));
  expect(made.code, made.stderr).toBe(ExitCode.pass);
  const short = ["-c", "1", "-n", "50", "--trials", "1", "--warmup", "0", "-o", "out", "-f", "json"];
  const { stderr } = await runCommand(["sweep", "--config", "head/lbbench.pull-request.ts", ...short], folder);
  const { steps } = readStoredResult(join(folder, "out"));
  expect(
    steps.map(({ target, measurement }) => [target, measurement?.requests.ok]),
    stderr,
  ).toEqual([
    ["base", 50],
    ["head", 50],
  ]);
});
