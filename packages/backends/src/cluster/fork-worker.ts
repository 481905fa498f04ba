import cluster, { type Worker } from "node:cluster";
import { builtProgram } from "../built-program.js";
import { WORKER_OPTIONS_VARIABLE, type WorkerOptions } from "./messages.js";

/** The program of a worker. */
const workerProgram = builtProgram(import.meta.url, "./cluster-worker.js");

/**
 * Forks one worker; leaves the settings of `node:cluster` as they were, for a program that has a cluster of its own.
 */
export function forkWorker(options: WorkerOptions): Worker {
  const before = {
    exec: process.argv[1] ?? "",
    args: process.argv.slice(2),
    execArgv: process.execArgv,
    silent: false,
    ...cluster.settings,
  };
  cluster.setupPrimary({ exec: workerProgram, args: [], execArgv: [], silent: true });
  try {
    return cluster.fork({ [WORKER_OPTIONS_VARIABLE]: JSON.stringify(options) });
  } finally {
    cluster.setupPrimary(before);
  }
}
