import { describe, expect, it } from "vitest";
import { fixture } from "../support/fixture.js";
import { needs } from "../support/needs.js";
import { openNetwork, type Machine } from "../support/network.js";
import { startProgram } from "../support/run-cli.js";
import { startSshServers, type SshNetwork } from "../support/ssh-server.js";
import { temporaryFolder } from "../support/temporary-folder.js";
import { ExitCode } from "../../src/cli/io.js";
import { readProcStat, signalProcess } from "../../src/system/proc.js";

const STAND_IN = `${process.execPath} ${fixture("stand-in-worker.mjs")}`;

function startWorkers(here: Machine, { env }: SshNetwork, hosts: string, master: string, command = STAND_IN) {
  const variables = Object.entries(env).map(([name, value]) => `${name}=${value}`);
  const [program, ...words] = here.within;
  const args = ["env", ...variables, process.execPath, fixture("start-by-ssh.mjs"), hosts, master, command];
  const started = startProgram(program, [...words, ...args], temporaryFolder());
  /** The processes of the workers that came to the master. */
  const workers = () => [...started.stdout().matchAll(/worker (\d+)/g)].map(([, pid]) => Number(pid));
  return { ...started, workers };
}

const isAlive = (pid: number): boolean => readProcStat(pid)?.isZombie === false;

describe.runIf(needs("ip", "sshd"))("workers by ssh", () => {
  it.each([
    ["through tunnels", "127.0.0.1"],
    ["without tunnels", "10.77.0.1"],
  ])("come to the master %s, and end with lbbench, however that ends", async (_, master) => {
    const [here, one, two] = openNetwork(3) as [Machine, Machine, Machine];
    const network = await startSshServers({ gen1: { machine: one }, gen2: { machine: two } });
    for (const signal of ["SIGINT", "SIGKILL"] as const) {
      const started = startWorkers(here, network, "gen1,gen2", master);
      await expect.poll(() => started.workers().length, { timeout: 20_000 }).toBe(2);
      expect(started.workers().filter(isAlive)).toHaveLength(2);
      started.kill(signal);
      await started.ended;
      await expect.poll(() => started.workers().filter(isAlive), { timeout: 10_000 }).toEqual([]);
      await expect.poll(started.processes).toEqual([]);
    }
  });

  it("are lost when their link is cut", async () => {
    const [here, one, two] = openNetwork(3) as [Machine, Machine, Machine];
    const network = await startSshServers({ gen1: { machine: one }, gen2: { machine: two } });
    const started = startWorkers(here, network, "gen1,gen2", "127.0.0.1");
    await expect.poll(() => started.workers().length, { timeout: 20_000 }).toBe(2);
    two.setLink("down");
    const { code, stderr } = await started.ended;
    expect(code).toBe(ExitCode.unreachable);
    expect(stderr).toMatch(/^START_FAILED: gen2: .* exit code 255\. The connection to gen2 was lost\.$/m);
    // The other one ends at once, this one when it hears nothing of its master, which a stand-in does not notice.
    await expect.poll(() => started.workers().filter(isAlive), { timeout: 10_000 }).toHaveLength(1);
    for (const pid of started.workers()) signalProcess(pid, "SIGKILL");
  });

  it("tell which host, what ssh said, and what to do", async () => {
    const [here, one] = openNetwork(2) as [Machine, Machine];
    const machine = one;
    const network = await startSshServers({
      good: { machine },
      unknown: { machine, port: 2201, client: "UserKnownHostsFile /dev/null" },
      locked: { machine, port: 2202, server: "AuthorizedKeysFile none" },
      solid: { machine, port: 2203, server: "AllowTcpForwarding no" },
    });
    const cases: readonly (readonly [host: string, says: RegExp, command?: string])[] = [
      ["unknown", / 255\. The key of unknown .*: ssh unknown\. .*:\n {2}.*\n?.*Host key verification failed\.$/],
      ["locked", /: ssh-copy-id locked\. It last printed:\n {2}.*Permission denied \(publickey\b/],
      ["solid", /--workers-listen\. It last printed:\n {2}.*remote port forwarding failed/],
      ["root@good", / 127\. .*--workers-command \/path.*:\n {2}.*no-such-program.*not found/, "no-such-program"],
      ["nowhere.invalid", /~\/\.ssh\/config\. It last printed:\n {2}.*Could not resolve hostname/],
      ["10.77.0.1", /port 22\. .*:\n {2}.*Connection refused/],
      ["good", / exit code 3\. Try it by hand: ssh good\. It last printed:\n {2}no heart$/, "echo no heart; exit 3;"],
    ];
    const outcomes = cases.map(async ([host, says, command]) => {
      const { code, stderr } = await startWorkers(here, network, host, "127.0.0.1", command).ended;
      expect(stderr.trimEnd(), host).toMatch(says);
      expect(stderr).toMatch(new RegExp(`^START_FAILED: ${host}: `));
      expect(code).toBe(ExitCode.unreachable);
    });
    await Promise.all(outcomes);
  });
});
