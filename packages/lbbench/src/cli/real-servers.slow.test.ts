import { join } from "node:path";
import { expect, it } from "vitest";
import { reply, startHttp2Server } from "../../test/ground-truth/http2-server.js";
import { readStoredResult } from "../../test/support/read-report.js";
import { runCommand } from "../../test/support/run-command.js";
import { temporaryFolder } from "../../test/support/temporary-folder.js";
import { writeConfig } from "../../test/support/write-config.js";
import { ExitCode } from "./exit-code.js";

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

it.each([
  ["max", ["--most", "2", "--trials", "1", "-d", "500ms"]],
  ["ramp", ["--from", "1", "--to", "4", "--over", "300ms", "--hold", "200ms"]],
])("lbbench %s speaks HTTP/2, with users that share connections", async (command, flags) => {
  const server = await startHttp2Server(() => reply({ delay: 1 }));
  const cwd = temporaryFolder();
  const { stderr } = await runCommand([command, "--http2", "--streams", "2", server.url, ...flags, ...SHORT], cwd);
  await server.close();
  const { scenario, steps } = readStoredResult(join(cwd, "out"));
  expect(scenario.httpVersion, stderr).toBe("2");
  for (const { measurement } of steps) {
    expect(measurement?.requests.ok).toBeGreaterThan(0);
    expect(measurement?.connections.opened).toBe(measurement?.connections.asked);
  }
  expect(server.log.mostStreams).toBe(2);
});
