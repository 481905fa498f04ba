import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { readMarkdown, readStoredResult } from "../../test/support/read-report.js";
import { BIN } from "../../test/support/run-cli.js";
import { temporaryFolder } from "@lbbench/test-support/temporary-folder.js";
import { needs } from "@lbbench/test-support/needs.js";
import { startTestServer } from "@lbbench/test-support/test-server.js";
import { startProgram } from "@lbbench/test-support/run-program.js";
import { writeConfig } from "../../test/support/write-config.js";
import { ExitCode } from "../cli/io.js";

/** Runs `lbbench sweep` by a line of the shell in which `$@` stands for it; expects that no process is left of it. */
async function sweepBy(line: string, flags: readonly string[], cwd = temporaryFolder()) {
  const args = [process.execPath, BIN, "sweep", ...flags, "--trials", "1", "--warmup", "0", "-f", "md", "-o", "out"];
  const { ended, processes } = startProgram("sh", ["-c", line, "sh", ...args], cwd);
  const { code, stderr } = await ended;
  expect(processes(), stderr).toEqual([]);
  const out = join(cwd, "out");
  const result = readStoredResult(out);
  /** What was found of the only step by this code. */
  const found = (what: string) => result.steps[0]?.findings.filter((finding) => finding.code === what);
  return { code, stderr, step: result.steps[0], found, markdown: readMarkdown(out) };
}

/** A namespace with a hundred local ports; it ends with the last process in it. Making one needs to be root of something. */
const FEW_PORTS = `exec unshare -rn sh -c 'ip link set lo up && echo "40000 40099" > /proc/sys/net/ipv4/ip_local_port_range && exec "$@"' sh "$@"`;

describe.runIf(needs("ip"))("a sweep with a hundred local ports", () => {
  it("says that the client ran out of them, and not the server, before and after", async () => {
    const flags = ["-t", "single", "-c", "150", "-d", "2s"];
    const { code, step, found, markdown, stderr } = await sweepBy(FEW_PORTS, flags);
    expect(code, stderr).toBe(ExitCode.inconclusive);
    const args = { process: "generator", first: 40_000, last: 40_099 };
    expect(found("PORTS_EXHAUSTED")?.[0]).toMatchObject({ severity: "error", args });
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
    const { code, found, stderr } = await sweepBy(FEW_PORTS, ["-c", "90", "-d", "3s"], cwd);
    expect(code, stderr).toBe(ExitCode.pass);
    const told = ["generator", "balancer"].map((name) => ["warning", name, 100]);
    const warnings = found("PORTS_EXHAUSTED")?.map(({ severity, args }) => [severity, args["process"], args["ports"]]);
    expect(warnings).toEqual(told);
  });
});

describe("a sweep with few file descriptors", () => {
  const sweepWithFew = async (...flags: readonly string[]) =>
    sweepBy('ulimit -n 512 && exec "$@"', [(await startTestServer()).url, ...flags]);

  it("warns of the process that comes close to its limit, by name", async () => {
    const { found, stderr } = await sweepWithFew("-c", "440", "-d", "3s");
    const args = { process: "generator-1", role: "generator", fdLimit: 512 };
    expect(found("FD_LIMIT")?.[0], stderr).toMatchObject({ severity: "warning", args });
  });

  it("says that the client ran out of them, and not the server", async () => {
    const { code, step, found, markdown, stderr } = await sweepWithFew("-c", "600", "-d", "2s");
    expect(code, stderr).toBe(ExitCode.inconclusive);
    const args = { process: "generator", code: "EMFILE", fdLimit: 512 };
    expect(found("LEVEL_NOT_REACHED")).toHaveLength(1);
    expect(step?.measurement?.connections.opened).toBeLessThan(512);
    expect(found("FD_LIMIT")?.[0]).toMatchObject({ severity: "error", args });
    expect(markdown).toContain("the client (the load generator), not the server, ran out of file descriptors");
  });
});
