import { cpSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { fixture } from "../support/fixture.js";
import { LOCUSTS } from "../support/locust.js";
import { needs } from "@lbbench/test-support/needs.js";
import { openNetwork, type Machine } from "../support/network.js";
import { readStoredResult } from "../support/read-report.js";
import { BIN } from "../support/run-cli.js";
import { temporaryFolder } from "@lbbench/test-support/temporary-folder.js";
import { startProgram, type RunningCli } from "@lbbench/test-support/run-program.js";
import { ExitCode } from "../../src/cli/io.js";
import { sum } from "../../src/stats/descriptive.js";
import { signalProcess } from "../../src/system/proc.js";

const PORT = 5557;
const SERVER_PORT = 8080;
const TOKEN = "a secret";
const [OLDEST, NEWEST] = LOCUSTS.map(({ python }) => python) as [string, string];

/** Machines: one for lbbench, one for the server, and as many as there are workers. */
async function openMachines(workers: number) {
  const [here, behind, ...others] = openNetwork(workers + 2) as [Machine, Machine, ...Machine[]];
  const server = behind.start([process.execPath, fixture("counting-server.mjs")], { PORT: String(SERVER_PORT) });
  await expect.poll(server.stdout).toContain("listening");
  /** How many requests the server has seen. */
  const count = async (): Promise<number> => {
    const lines = () => server.stdout().trim().split("\n");
    const before = lines().length;
    server.kill("SIGUSR2");
    await expect.poll(() => lines().length).toBe(before + 1);
    return Number(lines().at(-1));
  };
  const startWorker = (machine: Machine, bin = BIN, token = TOKEN): RunningCli =>
    machine.start([process.execPath, bin, "worker", "--master", `${here.address}:${PORT}`], { LBBENCH_TOKEN: token });
  const folder = temporaryFolder();
  const run = (command: string, python = NEWEST): RunningCli => {
    const args = `${command} -o ${folder}/out --force -f json --workers-listen ${here.address}:${PORT}`.split(" ");
    const [name = "", ...flags] = args;
    return here.start([process.execPath, BIN, name, `http://${behind.address}:${SERVER_PORT}/`, ...flags], {
      LBBENCH_PYTHON: python,
      LBBENCH_TOKEN: TOKEN,
    });
  };
  return { others, count, startWorker, run, result: () => readStoredResult(`${folder}/out`) };
}

/** The program of an lbbench like this one that calls itself 99.0.0. */
function ofAnotherVersion(): string {
  const folder = temporaryFolder();
  const root = dirname(dirname(BIN));
  for (const part of ["bin", "dist"]) cpSync(join(root, part), join(folder, "lbbench", part), { recursive: true });
  const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as object;
  writeFileSync(join(folder, "lbbench/package.json"), JSON.stringify({ ...manifest, version: "99.0.0" }));
  symlinkSync(join(root, "node_modules"), join(folder, "lbbench/node_modules"));
  symlinkSync(join(root, "../../node_modules"), join(folder, "node_modules"));
  return join(folder, "lbbench/bin/lbbench.js");
}

it.runIf(needs("ip", "locust")).each([
  ["connections, by requests", "sweep -c 4,7 -n 2000", NEWEST, [2, 1, 1], [3, 2, 2]],
  ["connections, for a time", "sweep -c 5 -d 1s --trials 1", OLDEST, [2, 2, 1]],
  ["a rate", "sweep -r 300 -d 1s --trials 1", NEWEST, [100, 100, 100]],
  ["users that rise", "ramp --from 1 --to 7 --over 1s --hold 1s", OLDEST, [3, 2, 2]],
] as const)("load from three machines adds up to what the server counts: %s", async (_, command, python, ...shares) => {
  const { others, count, startWorker, run, result } = await openMachines(3);
  const workers = others.map((machine) => startWorker(machine));
  const before = await count();
  const { code, stderr } = await run(`${command} --workers wait:3 --warmup 0`, python).ended;
  expect(code, stderr).toBe(ExitCode.pass);
  expect(stderr).toContain("is not encrypted");
  const served = (await count()) - before;
  const { steps } = result();
  const requests = steps.map(({ measurement }) => measurement?.requests ?? { sent: 0 });
  const sent = sum(requests.map((one) => one.sent ?? 0));
  const inFlight = sum(requests.map((one) => ("inFlight" in one ? (one.inFlight ?? 0) : 0)));
  expect(served).toBeLessThanOrEqual(sent);
  expect(served).toBeGreaterThanOrEqual(sent - inFlight);
  for (const [index, { workers: parts = [], measurement, usage }] of steps.entries()) {
    expect(parts.map(({ share }) => share)).toEqual(shares[index]);
    expect(sum(parts.map((part) => part.sent))).toBe(measurement?.requests.sent);
    expect(Math.min(...parts.map(({ startSkewMs }) => startSkewMs))).toBe(0);
    // What is elsewhere is no process of this machine.
    expect(usage?.generator).toEqual([]);
  }
  for (const { ended, processes } of workers) {
    expect((await ended).stderr).toContain("The master has ended.");
    expect(processes()).toEqual([]);
  }
});

/** What happens to the second of three workers while a level is measured. */
const MISHAPS: readonly (readonly [what: string, says: RegExp, happen: (pid: number, machine: Machine) => void])[] = [
  ["is killed", /has been silent|heartbeats/, (pid) => signalProcess(pid, "SIGKILL")],
  ["is suspended", /heartbeats/, (pid) => signalProcess(pid, "SIGSTOP")],
  ["has its link cut", /heartbeats/, (_, machine) => machine.setLink("down")],
  ["is ended", /has left/, (pid) => signalProcess(pid, "SIGTERM")],
];

it.runIf(needs("ip", "locust")).each(MISHAPS)(
  "a worker that %s is lost, and with it the step, never a part",
  async (_, says, happen) => {
    const { others, count, startWorker, run, result } = await openMachines(3);
    const workers = others.map((machine) => startWorker(machine));
    const cli = run("sweep -c 6,9 -d 10m --trials 1 --workers wait:3 --warmup 0");
    await expect.poll(cli.stderr).toContain("Waiting for 3 workers");
    await expect.poll(count).toBeGreaterThan(0);
    happen(workers[1]?.pid ?? 0, others[1] as Machine);
    const { code, stderr } = await cli.ended;
    expect(code, stderr).toBe(ExitCode.inconclusive);
    const { steps } = result();
    expect(steps.map(({ state, error, measurement }) => [state, error?.code, measurement])).toEqual([
      ["failed", "WORKER_LOST", undefined],
      ["failed", "WORKER_LOST", undefined],
    ]);
    expect(steps[0]?.error?.message).toMatch(says);
    if (happen === MISHAPS[1]?.[2]) signalProcess(workers[1]?.pid ?? 0, "SIGCONT");
    // One that was cut off hears nothing for ten seconds.
    for (const { processes } of workers) await expect.poll(processes).toEqual([]);
  },
);

describe.runIf(needs("ip", "locust"))("workers", () => {
  it("that do not know the secret are refused and told, and the run goes on with the others", async () => {
    const { others, startWorker, run, result } = await openMachines(2);
    const stranger = startWorker(others[0] as Machine, BIN, "another secret");
    const cli = run("sweep -c 4 -n 400 --workers wait:1:20s --warmup 0");
    await expect.poll(cli.stderr).toMatch(/^warning: refused \S+, which does not know the token/m);
    startWorker(others[1] as Machine);
    const { code, stderr } = await cli.ended;
    expect(code, stderr).toBe(ExitCode.pass);
    expect(stderr).not.toContain(TOKEN);
    expect(result().steps[0]?.measurement?.requests).toMatchObject({ sent: 400, ok: 400 });
    const end = await stranger.ended;
    expect(end.stderr).toContain("The master there has another token than LBBENCH_TOKEN here.");
    expect(end.code).toBe(ExitCode.unreachable);
  });

  it("without a secret are refused at once", async () => {
    const { code, stderr } = await startProgram(process.execPath, [BIN, "worker", "--master", "127.0.0.1:1"], "/")
      .ended;
    expect(stderr).toContain(
      "error: expected the token of the run in the environment variable LBBENCH_TOKEN, got none.",
    );
    expect(code).toBe(ExitCode.usage);
  });

  it("of another version are told, and no load is sent", async () => {
    const { others, count, startWorker, run } = await openMachines(2);
    startWorker(others[0] as Machine);
    const worker = startWorker(others[1] as Machine, ofAnotherVersion());
    const { code, stderr } = await run("sweep -c 6 -d 1s --workers wait:2").ended;
    expect(stderr).toMatch(
      /^error: The worker on \S+ has lbbench 99\.0\.0, this is .*Install the same version on both\.$/m,
    );
    expect(code).toBe(ExitCode.unreachable);
    expect((await worker.ended).stderr).toContain("has lbbench 99.0.0");
    expect(await count()).toBe(0);
  });

  it("that are lost are waited for with --retry-lost, and the step is measured once more", async () => {
    const { others, startWorker, run, result } = await openMachines(2);
    const [first, second] = others.map((machine) => startWorker(machine));
    const cli = run("sweep -c 6 -d 4s --trials 1 --workers wait:2 --warmup 0 --retry-lost");
    await expect.poll(() => second?.processes().length).toBe(2);
    second?.kill("SIGTERM");
    await second?.ended;
    startWorker(others[1] as Machine);
    const { code, stderr } = await cli.ended;
    expect(code, stderr).toBe(ExitCode.pass);
    const [step, ...more] = result().steps;
    expect(more).toEqual([]);
    expect(step?.state).toBe("completed");
    expect(step?.findings.map((finding) => finding.code)).toContain("STEP_REPEATED");
    expect((await first?.ended)?.stderr).toContain("The master has ended.");
  });

  it("end when a load takes longer than it can", async () => {
    const { others, startWorker, run, result } = await openMachines(1);
    const worker = startWorker(others[0] as Machine);
    const cli = run("sweep -c 1 -d 1s --timeout 1s --workers wait:1 --warmup 0");
    await expect.poll(() => worker.processes().length).toBe(2);
    // Its generator hangs, and its heartbeats go on.
    signalProcess(worker.processes().find(({ pid }) => pid !== worker.pid)?.pid ?? 0, "SIGSTOP");
    const { code, stderr } = await worker.ended;
    // Worker and master have the same limit, and either may be the first to say so.
    expect(stderr).toMatch(/A load took longer than it can\.|did not answer for longer than a load can take/);
    expect(code).not.toBe(ExitCode.pass);
    expect(worker.processes()).toEqual([]);
    expect((await cli.ended).code).toBe(ExitCode.inconclusive);
    expect(result().steps[0]?.error?.code).toBe("WORKER_LOST");
  });

  it("end with lbbench, however that ends", async () => {
    const { others, startWorker, run } = await openMachines(2);
    for (const [signal, exitCode] of [
      ["SIGINT", ExitCode.interrupted],
      ["SIGKILL", null],
    ] as const) {
      const workers = others.map((machine) => startWorker(machine));
      const cli = run("sweep -c 6 -d 10m --trials 1 --workers wait:2 --warmup 0");
      await expect.poll(() => workers.map(({ processes }) => processes().length)).toEqual([2, 2]);
      cli.kill(signal);
      expect((await cli.ended).code).toBe(exitCode);
      for (const { processes } of [...workers, cli]) await expect.poll(processes).toEqual([]);
    }
  });
});
