import { execFileSync } from "node:child_process";
import { startProgram, type RunningCli } from "@lbbench/test-support/run-program.js";
import { temporaryFolder } from "@lbbench/test-support/temporary-folder.js";
import { onTestFinished } from "vitest";

/** A machine of a network: a network namespace of its own, on the processors and files of this one. */
export interface Machine {
  readonly address: string;
  /** Starts a program there, in a folder of its own unless it is told one. */
  readonly start: (
    words: readonly [program: string, ...args: string[]],
    env?: Readonly<Record<string, string>>,
    cwd?: string,
  ) => RunningCli;
  /** The processes that run there. */
  readonly processes: () => readonly number[];
  /** Takes its cable out, or puts it back. */
  readonly setLink: (state: "up" | "down") => void;
}

let networks = 0;

/** Makes machines that are joined by a switch, with addresses of 10.77.0.0/24; they are gone when the test has finished. Needs root. */
export function openNetwork(count: number): readonly Machine[] {
  networks += 1;
  const name = `lbb${process.pid}-${networks}`;
  const between = `${name}-s`;
  const spaces = [between, ...Array.from({ length: count }, (_, index) => `${name}-${index + 1}`)];
  onTestFinished(() => {
    // A namespace lives on in its processes, and an sshd hides the environment that tells whose it is.
    for (const pid of spaces.flatMap((space) => processesOf(space, true))) kill(pid);
    for (const space of spaces) ip(`netns del ${space}`, true);
  });
  for (const space of spaces) ip(`netns add ${space}`);
  ip(`-n ${between} link add name switch type bridge`);
  ip(`-n ${between} link set switch up`);
  return spaces.slice(1).map((space, index) => {
    const address = `10.77.0.${index + 1}`;
    const plug = `plug${index + 1}`;
    ip(`-n ${between} link add ${plug} type veth peer name eth0 netns ${space}`);
    ip(`-n ${between} link set ${plug} master switch up`);
    ip(`-n ${space} address add ${address}/24 dev eth0`);
    for (const device of ["lo", "eth0"]) ip(`-n ${space} link set ${device} up`);
    return {
      address,
      start: (words, env = {}, cwd = temporaryFolder()) => {
        const variables = Object.entries(env).map(([name, value]) => `${name}=${value}`);
        return startProgram("ip", ["netns", "exec", space, "env", ...variables, ...words], cwd);
      },
      processes: () => processesOf(space),
      setLink: (state) => void ip(`-n ${between} link set ${plug} ${state}`),
    };
  });
}

function kill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It has ended by itself.
  }
}

function processesOf(space: string, mayFail = false): readonly number[] {
  return ip(`netns pids ${space}`, mayFail).trim().split("\n").filter(Boolean).map(Number);
}

function ip(line: string, mayFail = false): string {
  try {
    return execFileSync("ip", line.split(" "), { stdio: ["ignore", "pipe", "pipe"], encoding: "utf8" });
  } catch (error) {
    if (mayFail) return "";
    throw error;
  }
}
