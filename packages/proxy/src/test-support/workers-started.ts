import { fork } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { Agent } from "node:http";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";
import type { BackendOptions, BalancerSnapshot } from "../options/options.js";
import { startBalancerWorkers } from "../workers/start-balancer-workers.js";
import type { WorkersOptions } from "../workers/workers-options.js";
import { send } from "./client.js";
import { startBackend } from "./servers.js";

/** Starts workers that end with the test. */
export async function startWorkers(options: WorkersOptions) {
  const balancer = await startBalancerWorkers(options);
  onTestFinished(() => balancer.close({ graceMs: 0 }));
  return balancer;
}

/** Starts backends that answer with their names and count their requests. */
export async function startNamedBackends(...names: readonly string[]) {
  const counts = new Map(names.map((name) => [name, 0]));
  const backends = await Promise.all(
    names.map(async (name): Promise<BackendOptions> => {
      const { url } = await startBackend((_, answer) => {
        counts.set(name, (counts.get(name) ?? 0) + 1);
        answer.end(name);
      });
      return { url, name };
    }),
  );
  return { backends, counts };
}

/** Sends requests, one after the other on each of some connections; returns the bodies by connection. */
export async function sendOver(url: string, connections: number, each: number): Promise<readonly string[][]> {
  return Promise.all(
    Array.from({ length: connections }, async () => {
      const agent = new Agent({ keepAlive: true, maxSockets: 1 });
      const bodies: string[] = [];
      for (let sent = 0; sent < each; sent++) bodies.push((await send(url, { agent })).body);
      agent.destroy();
      return bodies;
    }),
  );
}

/** What a program that starts workers tells. */
interface ProgramStarted {
  readonly url: string;
  readonly pids: readonly number[];
  readonly refused?: string;
}

/** Starts a program of its own that starts workers; it ends with the test. */
export async function startWorkersProgram(options: WorkersOptions, env: NodeJS.ProcessEnv = {}) {
  const program = fork(fileURLToPath(new URL("./workers-program.mjs", import.meta.url)), {
    execArgv: [],
    serialization: "advanced",
    stdio: ["ignore", "pipe", "inherit", "ipc"],
    env: { ...process.env, ...env },
  });
  onTestFinished(() => void program.kill("SIGKILL"));
  let output = "";
  program.stdout?.setEncoding("utf8").on("data", (text: string) => (output += text));
  await once(program, "message");
  program.send(options);
  const [started] = (await once(program, "message")) as [ProgramStarted];
  return { program, started, output: () => output };
}

/** Those of some processes that are running; one that has ended and was not asked how is not. */
export function alive(pids: readonly number[]): readonly number[] {
  return pids.filter((pid) => {
    try {
      process.kill(pid, 0);
    } catch {
      return false;
    }
    try {
      return !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
    } catch {
      // It ended just now, or the system has no such table.
      return process.platform !== "linux";
    }
  });
}

/** A count of each backend, by name. */
export function countsOf(
  { backends }: BalancerSnapshot,
  count: "requests" | "errors" | "weight",
): Record<string, number> {
  return Object.fromEntries(backends.map((backend) => [backend.name, backend[count]]));
}
