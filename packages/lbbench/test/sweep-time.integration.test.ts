import { execFile, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, it } from "vitest";
import { inRepository } from "./repository/repository.js";
import { measureSlowness } from "./support/yardstick.js";

const run = promisify(execFile);
const LEVELS = [1, 50, 100, 250, 500, 1000];
const REQUESTS = 1000;
/** On the machine of the yardstick. */
const MOST_SECONDS_LONGER = 3;
const MOST_PAIRS = 8;

const hasAb = spawnSync("ab", ["-V"]).status === 0;
if (!hasAb)
  process.stderr.write(
    "skipped: the time of a sweep beside that of ab; install it with: apt-get install apache2-utils\n",
  );

const folder = mkdtempSync(join(tmpdir(), "lbbench-time-"));
const lbbench = inRepository("packages/lbbench/bin/lbbench.js");
const server = spawn(process.execPath, [lbbench, "serve", "single", "--port", "0"], {
  stdio: ["ignore", "ignore", "pipe"],
});
let url = "";
beforeAll(async () => {
  const [line] = await once(server.stderr, "data");
  url = `${/http:\S+?(?=\/? )/.exec(String(line))?.[0]}/`;
});
afterAll(async () => {
  server.kill("SIGTERM");
  await once(server, "exit");
  rmSync(folder, { recursive: true, force: true });
});

async function seconds(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return (performance.now() - start) / 1000;
}

async function runAb(): Promise<void> {
  for (const level of LEVELS) await run("ab", ["-q", "-c", String(level), "-n", String(REQUESTS), url]);
}

async function runSweep(): Promise<void> {
  const flags = ["-c", LEVELS.join(","), "-n", String(REQUESTS), "-o", folder];
  await run(process.execPath, [lbbench, "sweep", url, ...flags]);
}

it.skipIf(!hasAb)(
  "a sweep of six levels, charts included, takes at most 3 s longer than the same six runs of ab",
  { timeout: 300_000 },
  async () => {
    // In turn, and the best of each: another program may be using the machine at the time of one.
    const sweeps: number[] = [];
    const runsOfAb: number[] = [];
    const slowness: number[] = [];
    const isQuick = (): boolean =>
      Math.min(...sweeps) <= Math.min(...runsOfAb) + MOST_SECONDS_LONGER * Math.min(...slowness);
    while (sweeps.length < MOST_PAIRS && !(sweeps.length > 0 && isQuick())) {
      slowness.push(await measureSlowness());
      sweeps.push(await seconds(runSweep));
      runsOfAb.push(await seconds(runAb));
    }
    expect(readdirSync(folder)).toEqual(expect.arrayContaining(["throughput.png", "latency.png", "report.md"]));
    expect(isQuick(), JSON.stringify({ sweeps, runsOfAb, slowness })).toBe(true);
  },
);
