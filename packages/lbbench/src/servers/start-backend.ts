import type { SampleChoice } from "@lbbench/backends";
import { builtEntry, describeExit, forkChild, whileAlive } from "../system/fork.js";
import { signalProcess, waitUntilGone } from "../system/proc.js";
import type { RunningServer, ServerContext, WatchedProcess } from "../plugin.js";
import type { BackendProcess } from "./backend-process.js";
import { StartError } from "../system/program.js";

const ENTRY = builtEntry(import.meta.url, "./backend-process.js");

/**
 * Starts a sample server in a child process of its own; rejects with a {@link StartError} that names it, with nothing
 * left behind.
 *
 * @param ownName what a server is called, in messages and in the usage of its processes, that the context has no name for.
 */
export async function startBackend(
  ownName: string,
  choice: SampleChoice,
  context: ServerContext,
): Promise<RunningServer> {
  const name = context.name ?? ownName;
  const child = forkChild<BackendProcess>(ENTRY, { name, env: context.env });
  try {
    const { url, pids } = await whileAlive(child, child.call.start(choice), context.signal);
    const died = Promise.race([
      child.died.then((exit) => `${name} ended with ${describeExit(exit)}`),
      // Rejects when the process ends; that is told above.
      child.call.workerDied().then(
        (how) => `${name}: ${how}`,
        () => new Promise<string>(() => {}),
      ),
    ]);
    // A worker that is busy would notice only later that its primary is gone.
    void child.died.then(() => pids.map((pid) => signalProcess(pid, "SIGKILL")));
    const stop = (): Promise<void> => child.stop().then(() => waitUntilGone(pids));
    return { url, processes: watched(name, child.pid, pids), requests: () => child.call.requests(), died, stop };
  } catch (error) {
    await child.stop();
    if (context.signal.aborted) throw context.signal.reason;
    throw new StartError(
      `The server "${name}" could not be started: ${error instanceof Error ? error.message : String(error)}`,
      {
        cause: error,
      },
    );
  }
}

function watched(name: string, pid: number, serving: readonly number[]): readonly WatchedProcess[] {
  if (serving.length === 1 && serving[0] === pid) return [{ pid, role: "backend", name, tree: false }];
  return [
    // The primary of a cluster accepts the connections and hands them out: it balances, and serves nothing.
    { pid, role: "balancer", name: `${name} primary`, tree: false },
    ...serving.map((worker, index): WatchedProcess => ({
      pid: worker,
      role: "backend",
      name: `${name} worker-${index + 1}`,
      tree: false,
    })),
  ];
}
