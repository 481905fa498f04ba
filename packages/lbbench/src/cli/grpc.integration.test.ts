import { GRPC_SAMPLE, startGrpc } from "@lbbench/backends";
import { copyFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { readMarkdown, readStoredResult } from "../../test/support/read-report.js";
import { runCli } from "../../test/support/run-cli.js";
import { temporaryFolder } from "../../test/support/temporary-folder.js";
import { writeConfig } from "../../test/support/write-config.js";
import { ExitCode } from "./exit-code.js";

const SHORT = ["-c", "1,4", "-n", "200", "--warmup", "0", "-f", "md", "-o", "out"];

describe("lbbench sweep of gRPC", () => {
  it("compares the same work by HTTP, by HTTP over gRPC and by gRPC, each with an engine that speaks it", async () => {
    const cwd = temporaryFolder();
    const { code, stderr } = await runCli(["sweep", "-t", "single", "-t", "grpc-gateway", "-t", "grpc", ...SHORT], cwd);
    expect(code, stderr).toBe(ExitCode.pass);
    const { steps } = readStoredResult(join(cwd, "out"));
    expect(new Set(steps.map(({ target, engine }) => `${target} by ${engine}`))).toEqual(
      new Set(["single by autocannon", "grpc-gateway by autocannon", "grpc by grpc"]),
    );
    expect(steps.map(({ measurement }) => measurement?.requests.ok)).toEqual(steps.map(() => 200));
    expect(steps.find(({ target }) => target === "grpc")?.measurement?.statusCodes).toEqual({ OK: 200 });
    expect(readMarkdown(join(cwd, "out"))).toContain("grpc-gateway");
  });

  it("calls a method of a file, with a message, at a server that is running", async () => {
    const service = await startGrpc({ handler: "error:50%,status=503" });
    const cwd = temporaryFolder();
    copyFileSync(GRPC_SAMPLE.protoFile, join(cwd, "mine.proto"));
    try {
      const call = [
        "--proto",
        "mine.proto",
        "--call",
        "lbbench.sample.Work/Do",
        "-b",
        '{"content_type": "text/plain"}',
      ];
      const { code, stderr } = await runCli(["sweep", service.url, ...call, "--channels", "2", ...SHORT], cwd);
      expect(code, stderr).toBe(ExitCode.pass);
      const { steps, scenario } = readStoredResult(join(cwd, "out"));
      expect(scenario.engine).toMatchObject({ name: "grpc", options: { proto: "mine.proto", channels: 2 } });
      const [, last] = steps;
      expect(last?.measurement).toMatchObject({
        connections: { asked: 2, opened: 2 },
        requests: { sent: 200, ok: 100, non2xx: 100 },
        statusCodes: { OK: 100, UNAVAILABLE: 100 },
      });
      expect(last?.findings.find(({ code: found }) => found === "NON_2XX")?.args).toMatchObject({
        status: "UNAVAILABLE",
      });
    } finally {
      await service.stop();
    }
  });

  it("finds the file beside the config that names it", async () => {
    const cwd = temporaryFolder();
    const folder = temporaryFolder();
    copyFileSync(GRPC_SAMPLE.protoFile, join(folder, "mine.proto"));
    writeConfig(folder, { targets: ["grpc"], engines: { grpc: { proto: "mine.proto" } } });
    const { code, stderr } = await runCli(["sweep", "--config", join(folder, "lbbench.config.json"), ...SHORT], cwd);
    expect(code, stderr).toBe(ExitCode.pass);
  });

  it.each([
    [["--proto", "missing.proto"], /engine grpc: .*missing\.proto/],
    [["--call", "lbbench.sample.Work/Undo"], /engine grpc: .*Undo/],
    [["-b", '{"bodi": ""}'], /engine grpc: .*bodi/],
    [["--channels", "0"], /engines\.grpc\.channels \(--channels\): expected a number of at least 1, got 0/],
  ])("refuses %j before anything is started", async (flags, message) => {
    const cwd = temporaryFolder();
    const { code, stderr } = await runCli(["sweep", "-t", "grpc", ...flags, ...SHORT], cwd);
    expect(stderr).toMatch(message);
    expect(code).toBe(ExitCode.usage);
  });

  it("refuses flags of gRPC for a target that speaks HTTP", async () => {
    const { code, stderr } = await runCli(["sweep", "-t", "single", "--channels", "2", ...SHORT], temporaryFolder());
    expect(stderr).toContain('got those of "grpc", which loads none here');
    expect(code).toBe(ExitCode.usage);
  });
});
