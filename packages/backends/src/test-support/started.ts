import { onTestFinished } from "vitest";
import type { BackendOptions, RunningBackend } from "../running-backend.js";
import { startCluster, type ClusterOptions } from "../start-cluster.js";
import { startSingle } from "../start-single.js";

/** Starts a single server that ends with the test. */
export async function single(options: BackendOptions | string): Promise<RunningBackend> {
  return endWithTest(await startSingle(typeof options === "string" ? { handler: options } : options));
}

/** Starts a cluster that ends with the test. */
export async function clusterOf(options: ClusterOptions): Promise<RunningBackend> {
  return endWithTest(await startCluster(options));
}

function endWithTest(backend: RunningBackend): RunningBackend {
  onTestFinished(() => backend.stop({ graceMs: 0 }));
  return backend;
}
