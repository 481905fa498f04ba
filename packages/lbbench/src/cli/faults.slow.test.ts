import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { listeningSockets, stillListening } from "@lbbench/test-support/marked-processes.js";
import { readStoredResult } from "../../test/support/read-report.js";
import { startCli } from "../../test/support/run-cli.js";
import { temporaryFolder } from "@lbbench/test-support/temporary-folder.js";
import { type RunningCli } from "@lbbench/test-support/run-program.js";
import { writeConfig } from "../../test/support/write-config.js";
import { median } from "../stats/descriptive.js";
import { readProcStat } from "../system/proc.js";
import { ExitCode } from "./io.js";

const PATIENCE = { timeout: 60_000, interval: 5 };
const TARGET = { name: "mine", server: "balanced", options: { backends: 2 } };

/** Starts a sweep of a balancer with two backends, 100 requests a second, with these faults. */
function startFaulty(folder: string, faults: readonly string[], duration: string): RunningCli {
  writeConfig(folder, { targets: [TARGET] });
  const words = faults.flatMap((fault) => ["--fault", fault]);
  const load = ["-r", "100", "-d", duration, "--warmup", "0"];
  return startCli(["sweep", ...load, ...words, "-o", "out", "-f", "md"], folder);
}

const haltedOf = (cli: RunningCli): readonly number[] =>
  cli.processes().flatMap(({ pid }) => (readProcStat(pid)?.isHalted === true ? [pid] : []));

describe.skipIf(process.platform !== "linux")("a sweep with faults", () => {
  it("does them to real processes, tells of each when it is seen, and leaves none of them", async () => {
    const folder = temporaryFolder();
    const faults = [
      "pause backend-2 at 500ms",
      "resume backend-2 at 1.5s",
      "kill backend-1 at 1.8s",
      "start backend-1 at 2.2s",
      "slow backend-1 by 20ms at 2.5s",
      "drain backend-2 at 2.6s",
      "restore backend-2 at 2.7s",
      "roll backends at 2.8s",
    ];
    const cli = startFaulty(folder, faults, "10s");
    const waitFor = async (fault: string): Promise<void> => {
      await expect.poll(cli.stderr, PATIENCE).toContain(`fault: mine: ${fault}\n`);
    };
    await expect.poll(() => haltedOf(cli).length, PATIENCE).toBe(1);
    await waitFor("resume backend-2 at 1.5s");
    await expect.poll(() => haltedOf(cli), PATIENCE).toEqual([]);
    for (const fault of faults) await waitFor(fault);
    const { code, stderr } = await cli.ended;
    expect([ExitCode.pass, ExitCode.inconclusive, ExitCode.fail], stderr).toContain(code);
    const [step] = readStoredResult(join(folder, "out")).steps;
    expect(step).toMatchObject({ state: "completed", target: "mine" });
    expect(step?.faults?.map(({ error }) => error)).toEqual(faults.map(() => undefined));
    const lateMs = (step?.faults ?? []).map(({ atMs, beganMs = Number.NaN }) => beganMs - atMs);
    // Timers of all faults count from the same moment, which is some time before the first request.
    expect(Math.min(...lateMs)).toBeGreaterThanOrEqual(median(lateMs) - 100);
    for (const { beganMs = Number.NaN, effectMs } of step?.faults ?? []) {
      expect(effectMs).toBeGreaterThanOrEqual(beganMs);
    }
    expect(cli.processes()).toEqual([]);
  });

  it.each([
    ["SIGINT", "the group of a terminal"],
    ["SIGTERM", "all of its processes"],
    ["SIGTERM", "itself"],
  ] as const)(
    "leaves nothing halted and nothing running after %s to %s in the middle of a pause and a stop",
    async (signal, receiver) => {
      const parts = ["backend-1", "backend-1", "backend-2", "balancer"];
      const folder = temporaryFolder();
      const cli = startFaulty(
        folder,
        [
          "slow backend-1 by 1m at 0s",
          "stop backend-1 at 200ms",
          "pause backend-2 at 300ms",
          "pause balancer at 400ms",
          "resume backend-2 at 10m",
        ],
        "11m",
      );
      await expect.poll(() => haltedOf(cli).length, PATIENCE).toBe(2);
      const sockets = listeningSockets(cli.processes());
      if (receiver === "itself") cli.kill(signal);
      else cli.killGroup(signal);
      const { code, stderr } = await cli.ended;
      expect(code, stderr).toBe(ExitCode.interrupted);
      expect(cli.processes()).toEqual([]);
      await expect.poll(() => stillListening(sockets), PATIENCE).toEqual([]);
      const [step] = readStoredResult(join(folder, "out")).steps;
      expect(step?.state).toBe("aborted");
      // Its generator may be gone first, and with it what was measured.
      const mayBeGone = receiver === "all of its processes" && step?.faults === undefined;
      expect(step?.faults?.map(({ part }) => part)).toEqual(mayBeGone ? undefined : parts);
    },
  );

  it("leaves nothing when it is interrupted twice, or killed, in the middle of a pause", async () => {
    for (const signals of [["SIGINT", "SIGTERM"], ["SIGKILL"]] as const) {
      const cli = startFaulty(temporaryFolder(), ["pause backend-2 at 300ms"], "10m");
      await expect.poll(() => haltedOf(cli).length, PATIENCE).toBe(1);
      for (const signal of signals) cli.kill(signal);
      await cli.ended;
      await expect.poll(cli.processes, PATIENCE).toEqual([]);
    }
  });
});
