import { BACKEND_DEFAULTS } from "../defaults.js";
import type { BackendDeath, RunningBackend } from "../running-backend.js";
import type { WorkerProcess } from "./worker-process.js";

/** A cluster whose workers all listen. */
export function runningCluster(workers: readonly WorkerProcess[], url: string, port: number): RunningBackend {
  const deaths: BackendDeath[] = [];
  const listeners = new Set<(death: BackendDeath) => void>();
  let stopped: Promise<void> | undefined;

  for (const { exited } of workers) {
    void exited.then((death) => {
      if (stopped !== undefined) return;
      deaths.push(death);
      for (const listener of listeners) listener(death);
    });
  }

  async function stopAll(graceMs: number): Promise<void> {
    await Promise.all(workers.map((worker) => worker.stop(graceMs)));
  }

  return {
    url,
    port,
    pids: workers.map(({ pid }) => pid),
    async requests() {
      const counts = await Promise.all(workers.map((worker) => worker.requests()));
      return counts.reduce((sum, count) => sum + count, 0);
    },
    onDied(listener) {
      listeners.add(listener);
      for (const death of deaths) listener(death);
      return () => void listeners.delete(listener);
    },
    stop: ({ graceMs = BACKEND_DEFAULTS.stopGraceMs } = {}) => (stopped ??= stopAll(graceMs)),
  };
}
