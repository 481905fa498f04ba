import type { Blueprint } from "./blueprint.js";
import type { RemoteChanges } from "./worker-api.js";
import { WorkerEndedError } from "./worker-ended-error.js";
import type { BalancerWorker } from "./worker.js";

/**
 * Changes the blueprint, which refuses what is wrong, and then the workers. Those that are still being started have it
 * from the blueprint; so do those that will replace one that ends meanwhile. `onRemoved` is told which backend is gone.
 */
export function changeAll(
  blueprint: Blueprint,
  workers: () => readonly BalancerWorker[],
  onRemoved: (name: string) => void,
): RemoteChanges {
  const tell = async (call: (worker: BalancerWorker) => Promise<void>): Promise<void> => {
    const told = workers().filter((worker) => worker.state() === "told" || worker.state() === "listening");
    const results = await Promise.allSettled(told.map(call));
    for (const result of results) {
      if (result.status === "rejected" && !(result.reason instanceof WorkerEndedError)) throw result.reason;
    }
  };
  // Nothing is awaited between the two: a worker could be started with the change and be told of it again, and changes
  // could overtake one another.
  return {
    async addBackend(backend) {
      blueprint.addBackend(backend);
      await tell(({ call }) => call("addBackend", backend));
    },
    async removeBackend(name, options) {
      const wasThere = blueprint.hasBackend(name);
      const planned = blueprint.removeBackend(name, options);
      const refused = !wasThere || blueprint.hasBackend(name);
      if (refused) return planned;
      onRemoved(name);
      await Promise.all([planned, tell(({ call }) => call("removeBackend", name, options))]);
    },
    async drainBackend(name) {
      const planned = blueprint.drainBackend(name);
      const refused = !blueprint.hasBackend(name);
      if (refused) return planned;
      await Promise.all([planned, tell(({ call }) => call("drainBackend", name))]);
    },
    async restoreBackend(name) {
      blueprint.restoreBackend(name);
      await tell(({ call }) => call("restoreBackend", name));
    },
    async setBackendWeight(name, weight) {
      blueprint.setBackendWeight(name, weight);
      await tell(({ call }) => call("setBackendWeight", name, weight));
    },
  };
}
