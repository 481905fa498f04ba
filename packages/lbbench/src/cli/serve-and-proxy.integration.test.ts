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
      expect(line).toMatch(new RegExp(`^GET /page\\?number=${index} 200 [\\d.]+ms ${served[index]}$`));
    });
    cli.kill("SIGINT");
    const { stderr } = await expectEnded(cli, url);
    expect(stderr).toContain(`${first}: 3 requests, 0 errors`);
    expect(stderr).toContain(`${second}: 3 requests, 0 errors`);
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

async function printedUrl(cli: RunningCli, pattern: RegExp): Promise<string> {
  await expect.poll(cli.stderr, PATIENCE).toMatch(pattern);
  const url = pattern.exec(cli.stderr())?.[1] ?? "";
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
