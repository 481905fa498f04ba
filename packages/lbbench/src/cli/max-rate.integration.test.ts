import { expect, it } from "vitest";
import { readStoredResult } from "../../test/support/read-report.js";
import { runCli } from "../../test/support/run-cli.js";
import { temporaryFolder } from "../../test/support/temporary-folder.js";
import { untilKept, type Attempt } from "../../test/support/until-kept.js";
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
  const known = THREADS / (SERVICE_MS / 1000);
  const search = async (): Promise<Attempt<{ readonly held: number; readonly said: string }>> => {
    const out = temporaryFolder();
    const { stderr, stdout } = await runCli(["max", ...flags, "-o", out, "-f", "md"], cwd);
    const [outcome] = readStoredResult(out).search ?? [];
    expect(outcome, stderr + stdout).toMatchObject({ status: "found", by: "rate" });
    return { value: { held: outcome?.held ?? Number.NaN, said: stderr + stdout }, isDisturbed: false };
  };
  // A machine that is held up for a moment does not hold the rate either: the best of three is that of the pool.
  const isKnown = ({ held }: { readonly held: number }): boolean => Math.abs(held / known - 1) <= 0.05;
  const tries = await untilKept(search, isKnown);
  expect(tries.some(isKnown), tries.map(({ said }) => said).join("\n")).toBe(true);
}, 400_000);
