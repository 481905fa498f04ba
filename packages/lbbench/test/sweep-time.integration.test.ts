import { execFile, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, it } from "vitest";
import { inRepository } from "./repository/repository.js";

const run = promisify(execFile);
const LEVELS = [1, 50, 100, 250, 500, 1000];
const REQUESTS = 1000;
const MOST_SECONDS_LONGER = 3;
const PAIRS = 3;

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
  async () => {
    // In turn, and the best of each: another program may be using the machine at the time of one.
    const sweeps: number[] = [];
    const runsOfAb: number[] = [];
    for (let pair = 0; pair < PAIRS; pair += 1) {
      sweeps.push(await seconds(runSweep));
      runsOfAb.push(await seconds(runAb));
    }
    expect(readdirSync(folder)).toEqual(expect.arrayContaining(["throughput.png", "latency.png", "report.md"]));
    expect(Math.min(...sweeps)).toBeLessThanOrEqual(Math.min(...runsOfAb) + MOST_SECONDS_LONGER);
  },
);
