import { existsSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { ExitCode } from "../../src/cli/io.js";
import { LOCUSTS } from "../support/locust.js";
import { needs } from "@lbbench/test-support/needs.js";
import { openNetwork, type Machine } from "../support/network.js";
import { readStoredResult } from "../support/read-report.js";
import { BIN } from "../support/run-cli.js";
import { startSshServers, type SshHost } from "../support/ssh-server.js";
import { temporaryFolder } from "@lbbench/test-support/temporary-folder.js";

const LBBENCH = `${process.execPath} ${BIN}`;
const PYTHON = LOCUSTS.at(-1)?.python ?? "";

/** A machine for lbbench, one for what it measures, and others that it reaches by ssh. */
async function openMachines(hosts: (machines: readonly Machine[]) => Readonly<Record<string, SshHost>>) {
  const [here, there, ...others] = openNetwork(4) as [Machine, Machine, ...Machine[]];
  const env = { PATH: await startSshServers(hosts(others)), LBBENCH_PYTHON: PYTHON };
  const startOn = ({ start }: Machine, args: readonly string[], cwd?: string) =>
    start([process.execPath, BIN, ...args], env, cwd);
  const server = startOn(there, ["serve", "--host", "0.0.0.0"]);
  await expect.poll(server.stderr).toMatch(/^Serving/);
  const cwd = temporaryFolder();
  /** Whether a program of this name runs on each of the others. */
  const run = (script: string) => others.map(({ processes }) => processes().some((pid) => isRunning(pid, script)));
  return {
    others,
    cwd,
    /** Runs lbbench here. */
    start: (...args: readonly string[]) => startOn(here, args, cwd),
    /** Starts a sweep of the server. */
    sweep: (where: string, ...args: readonly string[]) => {
      const flags = ["-c", "10", "--warmup", "0", "-f", "md", "-o", where, "--workers", where];
      return startOn(here, ["sweep", `http://${there.address}:8080/`, ...flags, ...args], cwd);
    },
    /** Whether workers run on the others, and whether their generators do. */
    isBusy: () => run("lbbench.js"),
    isLoading: () => run("generator-process"),
  };
}

const isRunning = (pid: number, script: string): boolean =>
  existsSync(`/proc/${pid}/cmdline`) && readFileSync(`/proc/${pid}/cmdline`, "utf8").includes(script);

const TWO = ([one, two]: readonly Machine[]) => ({
  gen1: { machine: one as Machine },
  gen2: { machine: two as Machine },
});

/** Two workers that load the server. */
async function startLoading() {
  const machines = await openMachines(TWO);
  const run = machines.sweep("ssh:gen1,gen2", "-d", "10m", "--workers-command", LBBENCH);
  await expect.poll(machines.isLoading).toEqual([true, true]);
  return { ...machines, run };
}

describe.runIf(needs("ip", "sshd", "locust"))("workers by ssh", () => {
  it.each([
    ["through tunnels", []],
    ["without tunnels", ["--workers-listen", "10.77.0.1"]],
  ])("measure together %s, and end with the run", async (_, flags) => {
    const { sweep, cwd, isBusy } = await openMachines(TWO);
    const { code, stderr } = await sweep("ssh:gen1,gen2", "-n", "1001", "--workers-command", LBBENCH, ...flags).ended;
    expect(code, stderr).toBe(ExitCode.pass);
    const { scenario, steps } = readStoredResult(`${cwd}/ssh:gen1,gen2`);
    expect(scenario.engine.workers).toMatchObject({ from: "ssh", count: 2, hosts: ["gen1", "gen2"] });
    expect(steps[0]?.measurement?.requests).toMatchObject({ sent: 1001, ok: 1001 });
    expect(steps[0]?.workers?.map(({ sent, share }) => [sent, share])).toEqual([
      [501, 5],
      [500, 5],
    ]);
    await expect.poll(isBusy).toEqual([false, false]);
  });

  it.each(["SIGINT", "SIGKILL"] as const)("end when lbbench ends by %s", async (signal) => {
    const { run, isBusy } = await startLoading();
    run.kill(signal);
    await run.ended;
    await expect.poll(isBusy).toEqual([false, false]);
    await expect.poll(run.processes).toEqual([]);
  });

  it("are lost when their link is cut, and then end by themselves", async () => {
    const { run, others, cwd, isBusy } = await startLoading();
    others[1]?.setLink("down");
    const { code, stderr } = await run.ended;
    expect(code, stderr).toBe(ExitCode.inconclusive);
    expect(readStoredResult(`${cwd}/ssh:gen1,gen2`).steps[0]).toMatchObject({
      state: "failed",
      error: { code: "WORKER_LOST" },
    });
    await expect.poll(isBusy).toEqual([false, false]);
  });

  it("tell which host, what ssh said, and what to do, in a run and in lbbench doctor", async () => {
    const { sweep, start } = await openMachines(([machine]) => ({
      good: { machine: machine as Machine },
      unknown: { machine: machine as Machine, port: 2201, client: "UserKnownHostsFile /dev/null" },
      locked: { machine: machine as Machine, port: 2202, server: "AuthorizedKeysFile none" },
      solid: { machine: machine as Machine, port: 2203, server: "AllowTcpForwarding no" },
    }));
    const cases: readonly (readonly [host: string, says: RegExp, command?: string])[] = [
      ["unknown", / 255\. The key of unknown .*: ssh unknown\. .*:\n {2}.*\n?.*Host key verification failed\.$/],
      ["locked", /: ssh-copy-id locked\. It last printed:\n {2}.*Permission denied \(publickey\b/],
      ["solid", /--workers-listen\. It last printed:\n {2}.*remote port forwarding failed/],
      ["root@good", / 127\. .*--workers-command \/path.*:\n {2}.*no-such-program.*not found/, "no-such-program"],
      ["nowhere.invalid", /~\/\.ssh\/config\. It last printed:\n {2}.*Could not resolve hostname/],
      ["10.77.0.1", /port 22\. .*:\n {2}.*Connection refused/],
      ["good", / exit code 3\. Try it by hand: ssh good\. It last printed:\n {2}no heart$/, "echo no heart; exit 3;"],
    ];
    const outcomes = cases.map(async ([host, says, command = LBBENCH]) => {
      const { code, stderr } = await sweep(`ssh:${host}`, "--workers-command", command).ended;
      expect(stderr.trimEnd(), host).toMatch(says);
      expect(stderr).toContain(`error: ${host}: `);
      expect(code).toBe(ExitCode.unreachable);
    });
    await Promise.all(outcomes);
    const hosts = ["--workers", "ssh:good,locked", "--workers-command", LBBENCH];
    const { code, stdout } = await start("doctor", "--quick", ...hosts).ended;
    expect(stdout).toMatch(/^ok +Workers +@lbbench\/worker and Locust 2\.\S+ are here$/m);
    expect(stdout).toMatch(/^ok +good +lbbench \d+\.\d+\.\d+$[^]*^problem +locked .*\n[^]*ssh-copy-id\s+locked/m);
    expect(code).toBe(ExitCode.fail);
  });
});
