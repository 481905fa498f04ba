/**
 * Workers on other machines, started by the system's `ssh` with the user's keys and configuration. A worker gets the
 * secret of the run by its standard input, where no list of processes shows it, and ends with that. A worker behind a connection that was cut
 * ends by itself, because its master is silent.
 */
import { randomInt } from "node:crypto";
import { isIPv6 } from "node:net";
import { insist } from "../config/config-error.js";
import type { ChildExit } from "../model/child.js";
import { TOOL } from "../own-package.js";
import { withoutTerminalSequences } from "../stats/not-printed.js";
import { formatAddress, isLoopback, type Address } from "../stats/url-address.js";
import { describeExit } from "../system/fork.js";
import { messageOf, StartError } from "../system/program.js";
import { superviseProgram } from "../system/supervise.js";

/** Starts lbbench of this version on a machine that has Node.js; npm gets it there the first time. */
const WORKERS_COMMAND = `npx --yes --package=lbbench@${TOOL.version} --package=@lbbench/worker@${TOOL.version} lbbench`;

/** How the other machine is asked. */
export interface SshOptions {
  /** Starts lbbench there, for the shell of that machine; by default `npx`, which gets this version. */
  readonly command?: string | undefined;
  readonly signal: AbortSignal;
}

/** A port that is drawn may be taken on the other machine. */
const MOST_PORTS = 3;

/**
 * Runs a worker on a host, which finds the master through a tunnel where that listens at a loopback address, else directly. Whether the worker
 * comes the master has to see. Never resolves; rejects, when `ssh` has ended, with a {@link StartError} that says what is the matter and
 * what to do, or the reason of the signal; before anything is run, with a `ConfigError` for a host or an address that cannot be one.
 *
 * @param host a name or an address, `user@` before it if need be.
 */
export async function runWorkerBySsh(host: string, master: Address, token: string, how: SshOptions): Promise<never> {
  const { command = WORKERS_COMMAND, signal } = how;
  const address = shellAddress(master);
  const isTunnelled = isLoopback(master.host);
  for (let tried = 1; ; tried += 1) {
    // Below the ports that systems give to connections.
    const port = randomInt(20_000, 30_000);
    const tunnel = isTunnelled ? ["-R", `127.0.0.1:${port}:${address}`] : [];
    const found = isTunnelled ? `127.0.0.1:${port}` : address;
    const exit = await runSsh(host, `${command} worker --master ${found} --token-stdin`, signal, tunnel, `${token}\n`);
    const isTaken = isTunnelled && REFUSED_TUNNEL.test(exit.output.join("\n"));
    if (!isTaken || tried === MOST_PORTS) throw new StartError(explainEnd(host, exit));
  }
}

/** npm may have to get lbbench first. */
const LONGEST_ANSWER_MS = 120_000;

/** Asks the lbbench of a host for its version, by the same command and connection as a worker. Rejects as {@link runWorkerBySsh} does. */
export async function askHost(host: string, { command = WORKERS_COMMAND, signal }: SshOptions): Promise<string> {
  const limit = AbortSignal.timeout(LONGEST_ANSWER_MS);
  const exit = await runSsh(host, `${command} --version`, AbortSignal.any([signal, limit])).catch((error) => {
    if (!limit.aborted || signal.aborted) throw error;
    throw new StartError(
      `"${command} --version" took longer than ${LONGEST_ANSWER_MS / 1000} s on ${host}. Try it: ssh ${host}`,
    );
  });
  const version = exit.output.map((line) => line.trim()).findLast((line) => /^\d+\.\d+\.\d+\S*$/.test(line));
  if (exit.code !== 0 || version === undefined) throw new StartError(explainEnd(host, exit));
  return version;
}

/** The address as it is said to a worker, fit for any shell. */
function shellAddress(master: Address): string {
  const { host } = master;
  if (isIPv6(host)) return `'${formatAddress(master)}'`;
  insist(/^[\w.][\w.-]*$/.test(host), `--workers-listen: expected an address such as 10.0.0.1, got "${host}"`);
  return formatAddress(master);
}

/** Names and addresses; what begins with a dash would be an option of `ssh`. */
const HOST = /^(?:[\w.][\w.-]*@)?[\w.:][\w.:%-]*$/;

/** Options that overrule the user's configuration: ssh asks no question, and leaves no connection open. */
const OPTIONS = (
  "BatchMode=yes ConnectTimeout=10 ControlMaster=no ControlPath=none ExitOnForwardFailure=yes ForkAfterAuthentication=no " +
  "ForwardAgent=no ForwardX11=no LogLevel=ERROR RemoteCommand=none ServerAliveCountMax=2 ServerAliveInterval=3"
)
  .split(" ")
  .flatMap((option) => ["-o", option]);

/** Runs a command on another machine to its end, which reads `input`; rejects, when `ssh` has ended, with the reason of the signal. */
async function runSsh(host: string, remote: string, signal: AbortSignal, tunnel: readonly string[] = [], input = "") {
  insist(
    HOST.test(host),
    `--workers: expected hosts such as gen1 or user@gen1, got "${host}". Ports and keys go into ~/.ssh/config`,
  );
  const argv = ["ssh", "-T", ...OPTIONS, ...tunnel, "--", host, remote] as const;
  const exit = await superviseProgram("ssh", { argv, env: {}, cwd: ".", input }, signal).catch((error: unknown) => {
    signal.throwIfAborted();
    throw new StartError(
      `ssh could not be run: ${messageOf(error)}. Install it (Debian, Ubuntu: apt-get install openssh-client)`,
    );
  });
  return { ...exit, output: exit.output.map((line) => withoutTerminalSequences(line).trimEnd()) };
}

const REFUSED_TUNNEL = /remote port forwarding failed/;

/** What is to be done, with the host in place of `HOST`, by what `ssh` or the shell of the other machine printed. */
// oxfmt-ignore
const ADVICE: readonly (readonly [printed: RegExp, advice: string])[] = [
  [/Permission denied|Too many authentication failures/,
    "lbbench cannot type a password. Let your key in: ssh-copy-id HOST"],
  [/Host key verification failed|HOST IDENTIFICATION HAS CHANGED/,
    "The key of HOST is not known here. Connect once by hand and compare it: ssh HOST"],
  [REFUSED_TUNNEL,
    "HOST refuses tunnels (AllowTcpForwarding of its sshd). Allow them, or use --workers-listen"],
  [/Could not resolve hostname/,
    "Check the name, or give it an address in ~/.ssh/config"],
  [/Connection refused|timed out|No route to host|Network is unreachable/,
    "Look whether HOST is up, and its sshd listens at port 22. Another port goes into ~/.ssh/config"],
  // A server that no longer answers is told on a level that also has greetings.
  [/^$|closed by remote host|Broken pipe/,
    "The connection to HOST was lost"],
  [/not found|Unknown command|No such file/,
    "Commands by ssh do not find Node.js on HOST. Install it for all users, or say where lbbench is: --workers-command /path/to/lbbench"],
  [/^/, "Try it by hand: ssh HOST"],
];

function explainEnd(host: string, { output, ...exit }: ChildExit): string {
  const text = output.join("\n");
  const [, advice = ""] = ADVICE.find(([printed]) => printed.test(text)) ?? [];
  const printed = text === "" ? "" : ` It last printed:\n  ${output.join("\n  ")}`;
  const ended = describeExit({ ...exit, output: [] });
  return `${host}: expected lbbench to run there, but ssh ended with ${ended}. ${advice.replaceAll("HOST", () => host)}.${printed}`;
}
