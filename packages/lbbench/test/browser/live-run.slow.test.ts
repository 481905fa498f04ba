import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { describeInBrowser } from "../support/browser.js";
import { expectClosed } from "../support/expect-closed.js";
import { readStoredResult } from "../support/read-report.js";
import { startCli } from "../support/run-cli.js";
import { temporaryFolder } from "@lbbench/test-support/temporary-folder.js";
import { startTestServer } from "@lbbench/test-support/test-server.js";
import { type RunningCli } from "@lbbench/test-support/run-program.js";
import { ExitCode } from "../../src/cli/io.js";

const PATIENCE = { timeout: 60_000, interval: 20 };

/** The first step is short, the second lasts longer than any test. */
const LONG = ["-c", "1", "-n", "100,1000000000", "--warmup", "0", "--timeout", "1m", "-o", "out", "-f", "md", "--live"];

const FLAGS = ["-c", "1,5", "-d", "1s", "--timeout", "1m", "-o", "out", "-f", "html", "--live"];

interface Live {
  readonly cli: RunningCli;
  readonly cwd: string;
  readonly address: string;
  readonly port: number;
}

async function startLive(...args: readonly string[]): Promise<Live> {
  const cwd = temporaryFolder();
  const cli = startCli(["sweep", "--trials", "1", ...args], cwd);
  await expect.poll(cli.stderr, PATIENCE).toMatch(/^Live: \S+\n/);
  const address = /^Live: (\S+)/.exec(cli.stderr())?.[1] ?? "";
  // Before there is anything to show the page is a 503, which browsers tell of on their console.
  await expect.poll(async () => (await fetch(address)).status, PATIENCE).toBe(200);
  return { cli, cwd, address, port: Number(new URL(address).port) };
}

/** A server that answers the first requests, which may be those that see whether it is there, and the others when it is let. */
async function startGatedServer() {
  const held: (() => void)[] = [];
  let isOpen = false;
  let asked = 0;
  const server = await startTestServer({
    onRequest: (_, response) => {
      asked += 1;
      const answer = (): void => void response.end("hello");
      if (isOpen || asked <= 20) answer();
      else held.push(answer);
    },
  });
  return {
    url: server.url,
    open: () => {
      isOpen = true;
      for (const answer of held) answer();
    },
  };
}

describeInBrowser("lbbench sweep --live", (_open, visit) => {
  it("draws the run while it goes on, and is the report of what was measured when it is interrupted", async () => {
    const server = await startGatedServer();
    const { cli, cwd, address, port } = await startLive(server.url, ...LONG);
    const { page, problems, requests } = await visit(address);
    const panel = page.locator("#live-panel");
    await expect.poll(() => panel.locator(".live-step").textContent(), PATIENCE).toContain("1 connection");
    expect(await page.locator("#report").isVisible(), "a report of nothing").toBe(false);
    server.open();

    await expect.poll(() => page.locator("#report").isVisible(), PATIENCE).toBe(true);
    const shown = async () => JSON.parse((await page.locator("#result").textContent()) ?? "") as unknown;
    expect(await shown()).toMatchObject({ complete: false, steps: [{ state: "completed", level: { requests: 100 } }] });
    const rate = panel.locator(".live-figures dd").first();
    await expect.poll(() => rate.textContent(), PATIENCE).toMatch(/^[\d,.]+$/);
    const rates = new Set<string | null>();
    await expect.poll(async () => rates.add(await rate.textContent()).size, PATIENCE).toBeGreaterThan(2);
    const canvas = panel.locator("canvas").first();
    const drawings = new Set<string>();
    const draw = async (): Promise<string> => (await canvas.screenshot()).toString("base64");
    await expect.poll(async () => drawings.add(await draw()).size, PATIENCE).toBeGreaterThan(2);
    expect(await panel.locator(".live-left").textContent()).toContain("1 of 2 steps done");
    const share = Number(await panel.locator("progress").getAttribute("value"));
    expect(share).toBeGreaterThanOrEqual(0.5);
    expect(share).toBeLessThan(1);

    cli.kill("SIGINT");
    const { code, stderr } = await cli.ended;
    expect({ code }, stderr).toEqual({ code: ExitCode.interrupted });
    await expectClosed([port]);
    await expect.poll(() => panel.textContent(), PATIENCE).toContain("The run was interrupted.");
    const stored = readStoredResult(join(cwd, "out"));
    expect(stored.steps.map(({ state }) => state)).toEqual(["completed", "aborted"]);
    // Where paths of the run begin is for going on with it on this machine, and not for who is shown the page.
    const { folder, ...told } = stored;
    expect(folder).toBe(cwd);
    expect(await shown()).toEqual(JSON.parse(JSON.stringify(told)));
    expect(problems).toEqual([]);
    expect(requests.filter((url) => !url.startsWith(`${address}events`))).toEqual([]);
  });

  it("is the report at the end, which can be downloaded, and needs lbbench no more", async () => {
    const server = await startGatedServer();
    const { cli, cwd, address, port } = await startLive(server.url, ...FLAGS);
    const { page, problems } = await visit(address);
    server.open();
    const { code, stderr } = await cli.ended;
    expect({ code }, stderr).toEqual({ code: ExitCode.pass });
    expect(cli.processes()).toEqual([]);
    await expectClosed([port]);

    await expect.poll(() => page.locator("#live-panel").textContent(), PATIENCE).toContain("The run is over.");
    const { verdict, scenario } = readStoredResult(join(cwd, "out"));
    expect(await page.title()).toBe(`${scenario.name}: ${verdict.status} · lbbench`);
    expect(await page.locator("#report").textContent()).toContain(`Verdict: ${verdict.status}`);
    expect(await page.locator("#report figure.chart canvas").count()).toBeGreaterThan(0);
    expect(await page.locator("script#live").count(), "what it listens to").toBe(0);
    for (const name of ["result.json", "report.html"]) {
      const button = page.getByRole("button", { name: `Download ${name}` });
      const [download] = await Promise.all([page.waitForEvent("download"), button.click()]);
      const [saved, written] = [await download.path(), join(cwd, "out", name)].map((path) => {
        const text = readFileSync(path, "utf8");
        return name === "result.json" ? (JSON.parse(text) as unknown) : text;
      });
      expect([download.suggestedFilename(), saved]).toEqual([name, written]);
    }
    expect(problems).toEqual([]);
  });

  it("keeps what it has when lbbench is killed, and says so", async () => {
    const { url } = await startTestServer();
    const { cli, address } = await startLive(url, ...LONG);
    const { page, problems } = await visit(address);
    await expect.poll(() => page.locator("#report").isVisible(), PATIENCE).toBe(true);
    cli.kill("SIGKILL");
    await cli.ended;
    await expect.poll(() => page.locator("#live-panel").textContent(), PATIENCE).toContain("lbbench is gone");
    expect(await page.locator("#verdict").textContent()).toBe("Not finished, 1 of 2");
    // The browser itself says on the console that a connection broke off, and that others are refused.
    expect(problems.filter((problem) => !problem.startsWith("Failed to load resource: net::ERR_"))).toEqual([]);
  });
});
