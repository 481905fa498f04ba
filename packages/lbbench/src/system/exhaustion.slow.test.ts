import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { killMarked, markedProcesses, markEnvironment } from "../../test/support/marked-processes.js";
import { readMarkdown, readStoredResult } from "../../test/support/read-report.js";
import { BIN } from "../../test/support/run-cli.js";
import { temporaryFolder } from "../../test/support/temporary-folder.js";
import { needs } from "../../test/support/needs.js";
import { startTestServer } from "../../test/support/test-server.js";
import { writeConfig } from "../../test/support/write-config.js";
import { ExitCode } from "../cli/io.js";
import type { Result } from "../model/result.js";

interface Swept {
  readonly code: number | null;
  readonly stderr: string;
  readonly result: Result;
  readonly markdown: string;
}

/** Runs `lbbench sweep` by a line of the shell in which `$@` stands for it; expects that no process is left of it. */
async function sweepBy(line: string, flags: readonly string[], cwd: string): Promise<Swept> {
  const mark = randomUUID();
  const args = [process.execPath, BIN, "sweep", ...flags, "--warmup", "0", "-f", "md", "-o", "out"];
  const child = spawn("sh", ["-c", line, "sh", ...args], {
    cwd,
    env: { ...process.env, ...markEnvironment(mark) },
    stdio: ["ignore", "ignore", "pipe"],
  });
  onTestFinished(() => killMarked(mark));
  let stderr = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  const [code] = (await once(child, "close")) as [number | null];
  expect(markedProcesses(mark), stderr).toEqual([]);
  const out = join(cwd, "out");
  return { code, stderr, result: readStoredResult(out), markdown: readMarkdown(out) };
}

/** A namespace with a hundred local ports; it ends with the last process in it. Making one needs to be root of something. */
const FEW_PORTS = `exec unshare -rn sh -c 'ip link set lo up && echo "40000 40099" > /proc/sys/net/ipv4/ip_local_port_range && exec "$@"' sh "$@"`;

describe.runIf(needs("ip"))("a sweep with a hundred local ports", () => {
  it("says that the client ran out of them, and not the server, before and after", async () => {
    const { code, result, markdown, stderr } = await sweepBy(
      FEW_PORTS,
      ["-t", "single", "-c", "150", "-d", "2s"],
      temporaryFolder(),
    );
    expect(code, stderr).toBe(ExitCode.inconclusive);
    const [step] = result.steps;
    expect(step?.findings.find(({ code: found }) => found === "PORTS_EXHAUSTED")).toMatchObject({
      severity: "error",
      args: { process: "generator", first: 40_000, last: 40_099 },
    });
    expect(step?.pressure).toMatchObject({ ports: 100, portsNeeded: 150 });
    expect(step?.measurement?.connections.opened).toBeLessThanOrEqual(100);
    expect(markdown).toContain("the client (the load generator), not the server, ran out of local ports");
    expect(markdown).toContain('"1024 65535"');
  });

  it("warns that the client and the balancer come close, each on its own way", async () => {
    const cwd = temporaryFolder();
    // Answers take long enough for every connection to wait for one at a time, so the balancer needs as many.
    writeConfig(cwd, {
      targets: [{ name: "mine", server: "balanced", options: { backends: 1, handler: "sleep:200ms" } }],
    });
    const { code, result, stderr } = await sweepBy(FEW_PORTS, ["-c", "90", "-d", "3s"], cwd);
    expect(code, stderr).toBe(ExitCode.pass);
    const warnings = result.steps[0]?.findings.filter(({ code: found }) => found === "PORTS_EXHAUSTED");
    expect(warnings?.map(({ severity, args }) => [severity, args["process"], args["ports"]])).toEqual([
      ["warning", "generator", 100],
      ["warning", "balancer", 100],
    ]);
  });
});

describe("a sweep with few file descriptors", () => {
  it("warns of the process that comes close to its limit, by name", async () => {
    const { url } = await startTestServer();
    const { result, stderr } = await sweepBy(
      'ulimit -n 512 && exec "$@"',
      [url, "-c", "440", "-d", "3s"],
      temporaryFolder(),
    );
    const [step] = result.steps;
    expect(
      step?.findings.find(({ code }) => code === "FD_LIMIT"),
      stderr,
    ).toMatchObject({
      severity: "warning",
      args: { process: "generator-1", role: "generator", fdLimit: 512 },
    });
  });

  it("says that the client ran out of them, and not the server", async () => {
    const { url } = await startTestServer();
    const { code, result, markdown, stderr } = await sweepBy(
      'ulimit -n 512 && exec "$@"',
      [url, "-c", "600", "-d", "2s"],
      temporaryFolder(),
    );
    expect(code, stderr).toBe(ExitCode.inconclusive);
    expect(result.steps[0]?.findings.find((finding) => finding.code === "FD_LIMIT")).toMatchObject({
      severity: "error",
      args: { process: "generator", code: "EMFILE", fdLimit: 512 },
    });
    expect(markdown).toContain("the client (the load generator), not the server, ran out of file descriptors");
  });
});
