import { join } from "node:path";
import { expect, it } from "vitest";
import { readStoredResult } from "../../test/support/read-report.js";
import { runCli } from "../../test/support/run-cli.js";
import { temporaryFolder } from "../../test/support/temporary-folder.js";
import { writeConfig } from "../../test/support/write-config.js";

const THREADS = 10;
const SERVICE_MS = 100;

it("finds the rate that a pool of threads holds, threads over service time, within 5 %", async () => {
  const cwd = temporaryFolder();
  // So many may wait that nothing is refused: that requests pile up is all there is to see.
  const options = { pool: THREADS, queue: 10_000, policy: "drop-tail", handler: `sleep:${SERVICE_MS}ms` };
  writeConfig(cwd, { targets: [{ name: "pool", server: "pool", options }] });
  const flags = [
    "--by",
    "rate",
    "--start",
    "60",
    "--resolution",
    "4%",
    "-d",
    "2s",
    "--timeout",
    "10s",
    "--warmup",
    "0",
  ];
  const { stderr, stdout } = await runCli(["max", ...flags, "-o", "out", "-f", "md"], cwd);
  const [outcome] = readStoredResult(join(cwd, "out")).search ?? [];
  expect(outcome, stderr + stdout).toMatchObject({ status: "found", by: "rate" });
  const known = THREADS / (SERVICE_MS / 1000);
  expect(Math.abs((outcome?.held ?? 0) / known - 1), stderr + stdout).toBeLessThanOrEqual(0.05);
}, 120_000);
