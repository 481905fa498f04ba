import { join } from "node:path";
import { expect, it } from "vitest";
import { readStoredResult } from "../../test/support/read-report.js";
import { runCommand } from "../../test/support/run-command.js";
import { temporaryFolder } from "../../test/support/temporary-folder.js";
import { writeConfig } from "../../test/support/write-config.js";
import { ExitCode } from "./io.js";

const SHORT = ["--warmup", "0", "-o", "out", "-f", "md"];

it("lbbench max finds how many connections a pool with a queue holds", async () => {
  const cwd = temporaryFolder();
  // Serves 3 requests at a time, lets 4 wait, and refuses the rest.
  const options = { pool: 3, queue: 4, policy: "drop-tail", handler: "sleep:20ms" };
  writeConfig(cwd, { targets: [{ name: "pool", server: "pool", options }] });
  const { code, stdout, stderr } = await runCommand(["max", "-d", "600ms", "--timeout", "10s", ...SHORT], cwd);
  expect(code, stderr + stdout).toBe(ExitCode.pass);
  expect(readStoredResult(join(cwd, "out")).search).toMatchObject([{ status: "found", held: 7, broken: 8 }]);
});

it("lbbench ramp raises users against targets that speak HTTP and gRPC, each by an engine that can", async () => {
  const cwd = temporaryFolder();
  const rise = ["--from", "2", "--to", "8", "--over", "2s", "--steps", "2"];
  const { code, stdout, stderr } = await runCommand(["ramp", "-t", "single", "-t", "grpc", ...rise, ...SHORT], cwd);
  expect(code, stderr + stdout).toBe(ExitCode.pass);
  const { steps } = readStoredResult(join(cwd, "out"));
  expect(steps.map(({ target, engine }) => [target, engine])).toEqual([
    ["single", "undici"],
    ["grpc", "grpc"],
  ]);
  for (const { measurement } of steps) {
    expect(measurement?.timeline.slice(0, 3).map(({ users }) => users)).toEqual([2, 5, 8]);
  }
});
