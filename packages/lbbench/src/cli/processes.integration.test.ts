import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { connect } from "node:tls";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { fixture } from "../../test/support/fixture.js";
import { listeningSockets, stillListening, type ListeningSocket } from "@lbbench/test-support/marked-processes.js";
import { picturesIn, readMarkdown, readStoredResult } from "../../test/support/read-report.js";
import { BIN, startCli } from "../../test/support/run-cli.js";
import { aCommandIo } from "../../test/support/run-command.js";
import { CART, INTERNAL, LOCALHOST } from "@lbbench/test-support/certificates.js";
import { temporaryFolder, write } from "@lbbench/test-support/temporary-folder.js";
import { startTestServer } from "@lbbench/test-support/test-server.js";
import type { RunningCli } from "@lbbench/test-support/run-program.js";
import { writeConfig } from "../../test/support/write-config.js";
import { keptText } from "../import/test-support/kept-output.js";
import { aSweep } from "../report/test-support/sample-results.js";
import { ExitCode } from "./io.js";
import { main } from "./main.js";

const PATIENCE = { timeout: 60_000, interval: 20 };

/** The first level is short, the second lasts longer than any test. */
const LONG_SWEEP = ["sweep", "-c", "1", "-n", "100,1000000000", "-o", "out", "-f", "md", "--warmup", "0"];

/** Ignores SIGTERM, but not when it is tried out before the first step: that would take its grace period. */
const STUBBORN = {
  name: "stubborn",
  server: "command",
  options: { command: [process.execPath, fixture("stubborn-server.mjs")] },
};

/** The sockets at which a command line and all that it has started listen. */
const socketsOf = (cli: RunningCli): readonly ListeningSocket[] => listeningSockets(cli.processes());

async function printed(cli: RunningCli, pattern: RegExp): Promise<string> {
  await expect.poll(cli.stderr, PATIENCE).toMatch(pattern);
  return pattern.exec(cli.stderr())?.[1] ?? "";
}

/** Runs a line of a shell, to which "$NODE" and "$BIN" are the program and the script of lbbench. */
function runInShell(line: string, cwd = temporaryFolder()) {
  const env = { ...process.env, NODE: process.execPath, BIN };
  const { status, stdout, stderr } = spawnSync("sh", ["-c", line], { cwd, env, encoding: "utf8" });
  return { status, stdout, stderr };
}

/** Expects that nothing is left of a command line: no process, whoever its parent is now, and no socket. */
async function expectGone(cli: RunningCli, sockets: readonly ListeningSocket[]): Promise<void> {
  await expect.poll(cli.processes, PATIENCE).toEqual([]);
  // The system takes them away a moment after the process itself.
  await expect.poll(() => stillListening(sockets), PATIENCE).toEqual([]);
}

describe.skipIf(process.platform !== "linux")("the process of lbbench", () => {
  it("sweeps a server, leaves its report with pictures, and waits for nothing that a config file has left open", async () => {
    const server = await startTestServer();
    const cwd = temporaryFolder({ "lbbench.config.mjs": "setInterval(() => {}, 1000);\nexport default {};\n" });
    const cli = startCli(["sweep", server.url, "-c", "1,10", "-n", "200", "--warmup", "0", "-o", "out"], cwd);
    const { code, stdout, stderr } = await cli.ended;
    expect(code, stderr).toBe(ExitCode.pass);
    expect(stdout).toContain(`Report: ${join(cwd, "out/report.html")}`);
    const { steps } = readStoredResult(join(cwd, "out"));
    expect(steps.map(({ measurement }) => measurement?.requests.ok)).toEqual([200, 200]);
    const pictures = picturesIn(readMarkdown(join(cwd, "out")));
    expect(pictures).toContain("throughput.png");
    const left = ["report.html", "report.md", "result.json", ...pictures];
    expect(readdirSync(join(cwd, "out")).toSorted()).toEqual(left.toSorted());
    await expectGone(cli, []);
  });

  it.each([32, 48, 64, 128, 255])("says what it needs with a limit of %d descriptors", (limit) => {
    const cwd = temporaryFolder();
    for (const line of ["--help", "sweep -t single -c 1 -n 1", "doctor --quick", "report x"]) {
      expect(runInShell(`ulimit -n ${limit} && exec "$NODE" "$BIN" ${line}`, cwd)).toEqual({
        status: ExitCode.usage,
        stdout: "",
        stderr: `error: expected a limit of at least 256 file descriptors for a process, got ${limit} (ulimit -n). Raise it in this shell, and run lbbench again: ulimit -n 65536\n`,
      });
    }
    expect(readdirSync(cwd)).toEqual([]);
  });

  it("sweeps, judges and reports with as few descriptors as it asks for", () => {
    const line = "sweep -t balanced -c 10 -n 100 --warmup 0 -o out --quiet";
    const { status, stderr } = runInShell(`ulimit -n 256 && exec "$NODE" "$BIN" ${line}`);
    expect(status, stderr).toBe(ExitCode.pass);
  });

  it("writes what was measured when a terminal sends SIGINT to all of its group, and goes on with --resume", async () => {
    const cwd = temporaryFolder();
    writeConfig(cwd, { targets: [{ name: "mine", server: "single" }] });
    const cli = startCli(LONG_SWEEP, cwd);
    await printed(cli, /^\[1\/2\]/m);
    // The second step is under way when its generator and its server are there.
    await expect.poll(() => cli.processes().length, PATIENCE).toBeGreaterThanOrEqual(3);
    const sockets = socketsOf(cli);
    cli.killGroup("SIGINT");
    const { code, stderr, stdout } = await cli.ended;
    expect({ code }, stderr).toEqual({ code: ExitCode.interrupted });
    expect(stderr).toContain("Interrupted: writing what was measured.");
    expect(stderr + stdout, "a stack trace").not.toMatch(/^\s+at /m);
    await expectGone(cli, sockets);
    const begun = readStoredResult(join(cwd, "out"));
    expect(begun.steps.map(({ state }) => state)).toEqual(["completed", "aborted"]);
    expect({ complete: begun.complete, isFinished: begun.finishedAt !== null }).toEqual({
      complete: false,
      isFinished: true,
    });
    expect(readMarkdown(join(cwd, "out"))).toContain("mine");

    const again = startCli(["sweep", "--resume", "out", "-f", "md"], cwd);
    await expect.poll(() => again.processes().length, PATIENCE).toBeGreaterThanOrEqual(3);
    // As `timeout` does, to its child and to all of its group; the server may be gone first.
    again.kill("SIGTERM");
    again.killGroup("SIGTERM");
    expect(await again.ended).toMatchObject({ code: ExitCode.interrupted });
    expect(again.processes()).toEqual([]);
    const { steps, resumedAt } = readStoredResult(join(cwd, "out"));
    expect(resumedAt).toHaveLength(1);
    expect(steps[0]).toEqual(begun.steps[0]);
    expect(steps[1]).toMatchObject({ state: "aborted" });
    expect(steps[1]).not.toHaveProperty("error");
  });

  it("keeps what was measured where SIGTERM comes to all processes at once, as from a service manager", async () => {
    const server = await startTestServer();
    const cwd = temporaryFolder();
    const line = `sweep ${server.url} -c 1 -d 1h --trials 1 --warmup 0 -o out -f md`;
    const cli = startCli(line.split(" "), cwd);
    await expect.poll(server.requests, PATIENCE).toBeGreaterThan(500);
    cli.killGroup("SIGTERM");
    expect(await cli.ended).toMatchObject({ code: ExitCode.interrupted });
    const [step] = readStoredResult(join(cwd, "out")).steps;
    expect(step?.state).toBe("aborted");
    expect(step?.measurement?.requests.ok).toBeGreaterThan(100);
    await expectGone(cli, []);
  });

  it("kills at once on the second signal, even a command that ignores SIGTERM, and closes its live page", async () => {
    const cwd = temporaryFolder();
    writeConfig(cwd, { targets: [STUBBORN] });
    const cli = startCli(["sweep", "-d", "1h", "-c", "1", "-o", "out", "--live"], cwd);
    // Its generator is the fourth.
    await expect.poll(() => cli.processes().length, PATIENCE).toBeGreaterThanOrEqual(4);
    await expect.poll(() => socketsOf(cli), { ...PATIENCE, message: "of command, page and probes" }).toHaveLength(3);
    const sockets = socketsOf(cli);
    cli.kill("SIGHUP");
    await printed(cli, /Interrupted/);
    cli.kill("SIGINT");
    expect(await cli.ended).toMatchObject({ code: ExitCode.interrupted });
    // Without the second signal the command would be given its grace period, and the report would be written.
    expect(existsSync(join(cwd, "out/report.md"))).toBe(false);
    await expectGone(cli, sockets);
  });

  it("leaves no child when it is killed itself", async () => {
    const cwd = temporaryFolder();
    const { server, options } = STUBBORN;
    const cluster = { server: "cluster", options: { workers: 1 } };
    const backends = [{ server, options }, cluster];
    writeConfig(cwd, { targets: [{ name: "mine", server: "balanced", options: { backends } }] });
    const cli = startCli(["sweep", "-d", "1h", "-c", "1", "-o", "out"], cwd);
    // Itself, its generator, the balancer, the supervisor with its command, and the primary with its worker.
    await expect.poll(() => cli.processes().length, PATIENCE).toBeGreaterThanOrEqual(7);
    const sockets = socketsOf(cli);
    cli.kill("SIGKILL");
    expect(await cli.ended).toMatchObject({ signal: "SIGKILL" });
    await expectGone(cli, sockets);
  });

  it.each(["SIGHUP", "SIGTERM"] as const)("ends a worker by %s, also before a master answers", async (signal) => {
    const server = await startTestServer();
    vi.stubEnv("LBBENCH_TOKEN", "a secret");
    onTestFinished(() => void vi.unstubAllEnvs());
    const cli = startCli(["worker", "--master", `127.0.0.1:${server.port}`], temporaryFolder());
    await expect.poll(server.connections, PATIENCE).toBeGreaterThan(0);
    cli.kill(signal);
    expect(await cli.ended).toMatchObject({ code: ExitCode.interrupted, stderr: "Interrupted.\n" });
    await expectGone(cli, []);
  });

  it("serves with a cluster until it is interrupted, and says when a worker has ended", async () => {
    const words = ["serve", "cluster", "--workers", "2", "--handler", "cpu:2ms", "--port", "0"];
    const cli = startCli(words, temporaryFolder());
    const url = await printed(cli, /^Serving "cpu:2ms" at (\S+) with 2 workers \(\d+, \d+\)$/m);
    expect(cli.processes()).toHaveLength(3);
    const answers = await Promise.all(Array.from({ length: 8 }, () => fetch(url)));
    expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 8 }, () => 200));
    const worker = cli.processes().find(({ parent }) => parent === cli.pid)?.pid ?? 0;
    process.kill(worker, "SIGKILL");
    await printed(cli, new RegExp(`Worker ${worker} ended with signal SIGKILL`));
    const sockets = socketsOf(cli);
    cli.killGroup("SIGINT");
    expect(await cli.ended).toMatchObject({ code: ExitCode.pass });
    await expectGone(cli, sockets);
  });

  it("says that nothing serves any more when the last worker of a cluster has ended", async () => {
    const cli = startCli(["serve", "cluster", "--workers", "1", "--port", "0"], temporaryFolder());
    await printed(cli, /^Serving .* with (?:process|1 worker)/m);
    process.kill(cli.processes().find(({ parent }) => parent === cli.pid)?.pid ?? 0, "SIGKILL");
    const { code, stderr } = await cli.ended;
    expect(code, stderr).toBe(ExitCode.unreachable);
    expect(stderr).toContain("error: All workers have ended, so nothing serves any more.");
    expect(stderr).not.toContain("plugin");
  });

  it("ends a worker that waits for its token when it is told to once", async () => {
    const { io, interrupt, isInterruptCaught, stderr } = aCommandIo(temporaryFolder());
    const words = ["worker", "--master", "127.0.0.1:1", "--token-stdin"];
    const ended = main(words, { ...io, openStdin: () => new PassThrough() });
    await expect.poll(isInterruptCaught, PATIENCE).toBe(true);
    interrupt();
    expect([await ended, stderr()]).toEqual([ExitCode.interrupted, "Interrupted.\n"]);
  });

  it("logs which backend served each request of a proxy, goes on when nobody reads that, and ends with connections kept alive", async () => {
    const [one, two] = [await startTestServer(), await startTestServer()];
    const flags = ["--port", "0", "--backend", one.url, "--backend", two.url, "--log"];
    const cli = startCli(["proxy", ...flags], temporaryFolder());
    const url = await printed(cli, /^Balancing 2 backends at (\S+)$/m);
    const askTwice = async (): Promise<void> => {
      for (const number of [0, 1]) {
        expect(await (await fetch(new URL(`/page?number=${number}`, url))).text()).toBe("hello");
      }
    };
    await askTwice();
    await expect.poll(() => cli.stdout().trim().split("\n"), PATIENCE).toHaveLength(2);
    const line =
      /^127\.0\.0\.1 - - \[.*\] "GET \/page\?number=(\d) HTTP\/1\.1" 200 5 "-" ".*" "127\.0\.0\.1:(\d+)" [\d.]+$/gm;
    const served = [...cli.stdout().matchAll(line)].map(([, number, port]) => [Number(number), Number(port)]);
    expect(served).toEqual([one, two].map(({ port }, number) => [number, port]));
    cli.closeStdout();
    await askTwice();
    await askTwice();
    const sockets = socketsOf(cli);
    cli.kill("SIGTERM");
    const { code, stderr } = await cli.ended;
    expect(code, stderr).toBe(ExitCode.pass);
    for (const { port } of [one, two]) expect(stderr).toContain(`127.0.0.1:${port}: 3 requests, 0 errors`);
    await expectGone(cli, sockets);
  });

  it("reads the certificates of a proxy again on SIGHUP, or when asked by the admin port, and keeps those it has where a file is bad", async () => {
    const server = await startTestServer();
    const cwd = temporaryFolder();
    const put = (identity: { readonly cert: Buffer; readonly key: Buffer }): void => {
      writeFileSync(join(cwd, "cert.pem"), identity.cert);
      writeFileSync(join(cwd, "key.pem"), identity.key);
    };
    put(LOCALHOST);
    write(join(cwd, "cart.pem"), Buffer.concat([CART.cert, CART.key]));
    const tls = ["--tls-cert", "cert.pem", "--tls-key", "key.pem", "--tls-cert", "cart.pem", "--tls-key", "cart.pem"];
    const flags = ["--port", "0", "--admin", "0", "--workers", "2", "--backend", server.url, ...tls];
    const cli = startCli(["proxy", ...flags], cwd);
    const url = await printed(cli, /^Balancing 1 backend at (\S+) with 2 workers$/m);
    const admin = await printed(cli, /^Figures and control at (\S+)$/m);
    const nameShown = async (servername: string): Promise<string | undefined> => {
      const socket = connect({
        port: Number(new URL(url).port),
        host: "127.0.0.1",
        servername,
        rejectUnauthorized: false,
      });
      await once(socket, "secureConnect");
      const shown = socket.getPeerX509Certificate()?.subject;
      socket.destroy();
      return shown;
    };
    const namesShown = async () => [await nameShown("localhost"), await nameShown("cart.shop.test")];
    // As many as there are workers see the same.
    const expectShown = async (first: string): Promise<void> => {
      for (let time = 0; time < 2; time++) expect(await namesShown()).toEqual([`CN=${first}`, "CN=cart.shop.test"]);
    };
    const reload = async () => fetch(new URL("/certificates/reload", admin), { method: "POST" });
    await expectShown("localhost");
    put(INTERNAL);
    // Also to the workers, which leave it to the command.
    cli.killGroup("SIGHUP");
    await printed(cli, /^The certificates were read again\.$/m);
    await expectShown("app.internal");
    put({ ...LOCALHOST, key: INTERNAL.key });
    cli.kill("SIGHUP");
    await printed(
      cli,
      /^warning: The certificates stay as they were\. --tls-key: expected the private key of the cert/m,
    );
    const refused = await reload();
    expect([refused.status, await refused.json()]).toEqual([400, { error: expect.stringContaining("private key") }]);
    await expectShown("app.internal");
    put(LOCALHOST);
    expect((await reload()).status).toBe(200);
    await expectShown("localhost");
    cli.kill("SIGTERM");
    const { code, stderr } = await cli.ended;
    expect(code, stderr).toBe(ExitCode.pass);
    expect(stderr.match(/^The certificates were read again/gm)).toHaveLength(1);
  });
});

describe("the end of the process of lbbench", () => {
  it.each([
    ["ends the process with the code of a verdict", "() => process.exit(1)"],
    ["throws where nobody can catch it", '() => new Promise(() => setTimeout(() => { throw new Error("late"); }))'],
    ["never ends", "() => new Promise(() => {})"],
  ])("does not pass for a verdict where a plugin %s", async (_, render) => {
    const plugin = `export default { format: "own", render: ${render} };`;
    const cwd = temporaryFolder({ "result.json": JSON.stringify(aSweep()), "own.mjs": plugin });
    const { code, stderr } = await startCli(["report", ".", "-f", "./own.mjs"], cwd).ended;
    expect(stderr).toContain("expected the command to come to its end");
    expect(code, stderr).toBe(ExitCode.usage);
  });

  it("comes when all that was printed has been read, however slow the reader is", () => {
    const cwd = temporaryFolder({ "slow.txt": keptText("ab/slow") });
    // More than a pipe holds. The reader waits when the first byte has come.
    const name = "x".repeat(100_000);
    const line = `"$NODE" "$BIN" import slow.txt -o out -f json --quiet --json --name ${name}`;
    const { stdout } = runInShell(`${line} | { dd bs=1 count=1 2>/dev/null; sleep 0.2; cat; }`, cwd);
    expect(JSON.parse(stdout)).toMatchObject({ complete: true, scenario: { name } });
  });

  it("leaves every file whole, the one of before or the new one, where there is no room for all of a report", () => {
    const cwd = temporaryFolder({ "result.json": JSON.stringify(aSweep()), "report.html": "of before" });
    // Files of at most 51,200 bytes, of which a page takes more. The signal of that limit would end Node.
    const node = `"$NODE" --import 'data:text/javascript,process.on("SIGXFSZ",()=>{})'`;
    const { status, stderr } = runInShell(`ulimit -f 100; ${node} "$BIN" report . -f html,csv`, cwd);
    expect([status, stderr]).toEqual([ExitCode.usage, expect.stringMatching(/report\.html cannot: .*EFBIG/)]);
    expect(readFileSync(join(cwd, "report.html"), "utf8")).toBe("of before");
    expect(readdirSync(cwd).filter((name) => !/^(report\.html|result\.json|\w+\.csv)$/.test(name))).toEqual([]);
  });

  it.skipIf(!existsSync("/dev/full"))("is not exit code 0 when what was printed is lost", () => {
    expect(runInShell(`"$NODE" "$BIN" completion bash >/dev/full`)).toMatchObject({
      status: 2,
      stderr: expect.stringMatching(/^error: Standard output could not be written: ENOSPC.*Make room/),
    });
  });
});
