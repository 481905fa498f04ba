import cluster, { type Worker } from "node:cluster";
import { builtEntry } from "./built-entry.js";

const WORKER_PROCESS = builtEntry(import.meta.url, "./worker-process.js");

/**
 * Forks a worker. The settings of `node:cluster` belong to the whole process: they are left as they were, and none of
 * them holds for the worker, for a program that has a cluster of its own.
 */
export function forkWorker(execArgv: readonly string[]): Worker {
  const before = cluster.settings;
  cluster.setupPrimary({
    exec: WORKER_PROCESS,
    args: [],
    execArgv: [...execArgv],
    // Keeps Buffers and Infinity what they are.
    serialization: "advanced",
    silent: false,
    stdio: ["ignore", "inherit", "inherit", "ipc"],
    cwd: undefined,
    uid: undefined,
    gid: undefined,
    inspectPort: undefined,
    windowsHide: true,
  });
  try {
    return cluster.fork();
  } finally {
    // Not by setupPrimary, which adds to what there is and so can take nothing away.
    Object.assign(cluster, { settings: before });
  }
}
