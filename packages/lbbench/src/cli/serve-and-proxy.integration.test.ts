import { describe, expect, it } from "vitest";
import { expectClosed } from "../../test/support/expect-closed.js";
import { listeningPorts } from "../../test/support/marked-processes.js";
import { startCli, type CliOutcome, type RunningCli } from "../../test/support/run-cli.js";
import { temporaryFolder } from "../../test/support/temporary-folder.js";
import { startTestServer } from "../../test/support/test-server.js";
import { ExitCode } from "./exit-code.js";

const PATIENCE = { timeout: 20_000, interval: 20 };

const WAYS_TO_END = [
  ["SIGINT", (cli: RunningCli) => cli.kill("SIGINT")],
  ["SIGTERM", (cli: RunningCli) => cli.kill("SIGTERM")],
  ["SIGINT to the whole group", (cli: RunningCli) => cli.killGroup("SIGINT")],
] as const;

describe.skipIf(process.platform !== "linux")("lbbench serve", () => {
  it.each(WAYS_TO_END)("serves with a cluster on a port of its choice until %s", async (_, end) => {
    const cli = startCli(
      ["serve", "cluster", "--workers", "2", "--handler", "cpu:2ms", "--port", "0"],
      temporaryFolder(),
    );
    const url = await printedUrl(cli, /^Serving "cpu:2ms" at (\S+) with 2 workers \(\d+, \d+\)$/m);
    expect(cli.processes()).toHaveLength(3);
    const answers = await Promise.all(Array.from({ length: 8 }, () => fetch(url)));
    expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 8 }, () => 200));
    end(cli);
    await expectEnded(cli, url);
  });

  it("serves with a single process", async () => {
    const cli = startCli(["serve", "--handler", "error:100%", "--port", "0"], temporaryFolder());
    const url = await printedUrl(cli, /^Serving "error:100%" at (\S+) with process \d+$/m);
    expect((await fetch(url)).status).toBe(500);
    cli.kill("SIGTERM");
    await expectEnded(cli, url);
  });

  it("says when a worker has ended", async () => {
    const cli = startCli(["serve", "cluster", "--workers", "2", "--port", "0"], temporaryFolder());
    const url = await printedUrl(cli, /at (\S+) with 2 workers/);
    const worker = cli.processes().find(({ parent }) => parent === cli.pid)?.pid ?? 0;
    process.kill(worker, "SIGKILL");
    await expect.poll(cli.stderr, PATIENCE).toContain(`Worker ${worker} ended with signal SIGKILL`);
    cli.kill("SIGTERM");
    await expectEnded(cli, url);
  });
});

describe.skipIf(process.platform !== "linux")("lbbench proxy", () => {
  it("logs each request with the backend that served it, in strict turns", async () => {
    const [one, two] = [await startTestServer(), await startTestServer()];
    const backends = ["--backend", one.url, "--backend", two.url];
    const cli = startCli(
      ["proxy", "--port", "0", ...backends, "--log", "--backend-header", "x-served-by"],
      temporaryFolder(),
    );
    const url = await printedUrl(cli, /^Balancing 2 backends at (\S+)$/m);
    const served: (string | null)[] = [];
    for (let request = 0; request < 6; request++) {
      const response = await fetch(new URL(`/page?number=${request}`, url));
      expect(await response.text()).toBe("hello");
      served.push(response.headers.get("x-served-by"));
    }
    const [first, second] = [`127.0.0.1:${one.port}`, `127.0.0.1:${two.port}`];
    expect(served).toEqual([first, second, first, second, first, second]);
    await expect.poll(() => cli.stdout().trim().split("\n"), PATIENCE).toHaveLength(6);
    const log = cli.stdout().trim().split("\n");
    log.forEach((line, index) => {
      const request = `"GET /page\\?number=${index} HTTP/1\\.1" 200 5 "-" "[^"]*"`;
      expect(line).toMatch(new RegExp(`^127\\.0\\.0\\.1 - - \\[[^\\]]+\\] ${request} "${served[index]}" [\\d.]+$`));
    });
    cli.kill("SIGINT");
    const { stderr } = await expectEnded(cli, url);
    expect(stderr).toContain(`${first}: 3 requests, 0 errors`);
    expect(stderr).toContain(`${second}: 3 requests, 0 errors`);
  });

  it("runs in several workers, and tells and changes what they do at its admin port", async () => {
    const [one, two] = [await startTestServer(), await startTestServer()];
    const backends = ["--backend", `${one.url} name=one`, "--backend", `${two.url} name=two weight=3`];
    const policy = ["--policy", "weighted-round-robin", "--health-check", "--health-interval", "100ms"];
    const cli = startCli(
      ["proxy", "--port", "0", "--workers", "2", "--admin", "0", ...backends, ...policy, "--log", "json"],
      temporaryFolder(),
    );
    const url = await printedUrl(cli, /^Balancing 2 backends at (\S+) with 2 workers$/m);
    const admin = await printedUrl(cli, /^Figures and control at (\S+)$/m);
    for (let request = 0; request < 8; request++) expect((await fetch(url)).status).toBe(200);
    const metrics = await (await fetch(`${admin}/metrics`)).text();
    const counts = [...metrics.matchAll(/^lbbench_balancer_backend_requests_total\{backend="\w+"\} (\d+)$/gm)];
    expect(counts.map(([, count]) => Number(count)).reduce((sum, count) => sum + count, 0)).toBe(8);
    const drained = await fetch(`${admin}/backends/two/drain`, { method: "POST" });
    expect(drained.status).toBe(202);
    await expect.poll(async () => conditionsAt(admin), PATIENCE).toEqual(["up", "draining"]);
    const reloaded = await fetch(`${admin}/backends`, {
      method: "PUT",
      headers: { "content-type": "application/json" },
      body: JSON.stringify([{ url: one.url, name: "one" }]),
    });
    expect(reloaded.status).toBe(202);
    await expect.poll(async () => conditionsAt(admin), PATIENCE).toEqual(["up"]);
    await expect.poll(() => cli.stdout().trim().split("\n"), PATIENCE).toHaveLength(8);
    const entries = cli
      .stdout()
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as { status: number });
    expect(entries.map(({ status }) => status)).toEqual(Array.from({ length: 8 }, () => 200));
    cli.kill("SIGINT");
    const { stderr } = await expectEnded(cli, url);
    expect(stderr).toMatch(/^one: \d+ requests, 0 errors$/m);
  });

  it("relays connections in mode tcp", async () => {
    const backend = await startTestServer();
    const cli = startCli(["proxy", "--mode", "tcp", "--port", "0", "--backend", backend.url], temporaryFolder());
    const url = await printedUrl(cli, /at tcp:(\S+)$/m, "http:");
    expect(await (await fetch(url)).text()).toBe("hello");
    cli.kill("SIGTERM");
    await expectEnded(cli, url);
  });

  it.each([
    [["--policy", "fair"], /"fair"/],
    [["--mode", "udp"], /--mode: expected "http" or "tcp", got "udp"/],
    [["--backend", "http://127.0.0.1:1"], /for the second time/],
    [["--workers", "0"], /workers/],
  ])("refuses %j before it listens", async (flags, message) => {
    const cli = startCli(["proxy", "--port", "0", "--backend", "http://127.0.0.1:1", ...flags], temporaryFolder());
    const outcome = await cli.ended;
    expect(outcome).toMatchObject({ code: ExitCode.usage, stderr: expect.stringMatching(message) });
  });

  it.each(WAYS_TO_END)("ends with 0 on %s while connections are kept alive", async (_, end) => {
    const backend = await startTestServer();
    const cli = startCli(["proxy", "--port", "0", "--backend", backend.url], temporaryFolder());
    const url = await printedUrl(cli, /at (\S+)$/m);
    expect((await fetch(url)).status).toBe(200);
    end(cli);
    await expectEnded(cli, url);
  });

  it("goes on when nobody reads its log any more", async () => {
    const backend = await startTestServer();
    const cli = startCli(["proxy", "--port", "0", "--backend", backend.url, "--log"], temporaryFolder());
    const url = await printedUrl(cli, /at (\S+)$/m);
    cli.closeStdout();
    for (let request = 0; request < 3; request++) expect((await fetch(url)).status).toBe(200);
    cli.kill("SIGTERM");
    const { stderr } = await expectEnded(cli, url);
    expect(stderr).toContain("3 requests, 0 errors");
  });
});

async function conditionsAt(admin: string): Promise<readonly string[]> {
  const { backends } = (await (await fetch(`${admin}/stats`)).json()) as { backends: readonly { condition: string }[] };
  return backends.map(({ condition }) => condition);
}

async function printedUrl(cli: RunningCli, pattern: RegExp, scheme = ""): Promise<string> {
  await expect.poll(cli.stderr, PATIENCE).toMatch(pattern);
  const url = scheme + (pattern.exec(cli.stderr())?.[1] ?? "");
  expect(listeningPorts(cli.processes())).toContain(Number(new URL(url).port));
  return url;
}

async function expectEnded(cli: RunningCli, url: string): Promise<CliOutcome> {
  const outcome = await cli.ended;
  expect(outcome, outcome.stderr).toMatchObject({ code: ExitCode.pass });
  expect(outcome.stderr, "a stack trace").not.toMatch(/^\s+at /m);
  expect(cli.processes()).toEqual([]);
  await expectClosed([Number(new URL(url).port)]);
  return outcome;
}
