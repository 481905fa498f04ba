import { fork } from "node:child_process";
import { once } from "node:events";
import { Agent } from "node:http";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";
import type { BalancerSnapshot } from "../options/options.js";
import { startBalancerWorkers } from "../workers/start-balancer-workers.js";
import type { WorkersOptions } from "../workers/workers-options.js";
import { sendTimes } from "@lbbench/test-support/client.js";

/** Starts workers that end with the test. */
export async function startWorkers(options: WorkersOptions) {
  const balancer = await startBalancerWorkers(options);
  onTestFinished(() => balancer.close({ graceMs: 0 }));
  return balancer;
}

/** Sends requests, one after the other on each of some connections; returns the bodies by connection. */
export async function sendOver(url: string, connections: number, each: number): Promise<readonly string[][]> {
  return Promise.all(
    Array.from({ length: connections }, async () => {
      const agent = new Agent({ keepAlive: true, maxSockets: 1 });
      const bodies = await sendTimes(url, each, { agent });
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

/** A count of each backend, by name. */
export function countsOf(
  { backends }: BalancerSnapshot,
  count: "requests" | "errors" | "weight",
): Record<string, number> {
  return Object.fromEntries(backends.map((backend) => [backend.name, backend[count]]));
}
