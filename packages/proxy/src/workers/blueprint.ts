import { createBalancer } from "../create-balancer.js";
import type { BalancerSnapshot } from "../options/options.js";
import { resolveOptions } from "../options/resolve-options.js";
import {
  type BalancerChanges,
  type BalancerWorker,
  type RemoteChanges,
  WorkerEndedError,
  type WorkerSetup,
} from "./worker.js";
import { fromPlainOptions, type PlainBalancerOptions } from "./workers-options.js";

/** What every worker is to be. It is changed first, and refuses what is wrong before a worker hears of it. */
export interface Blueprint extends BalancerChanges {
  /** Which backends there are to be, with their weights and drains, and nothing counted. */
  readonly snapshot: () => BalancerSnapshot;
  readonly hasBackend: (name: string) => boolean;
  /** The part of a worker's setup that may change. */
  readonly setup: () => Pick<WorkerSetup, "balancer" | "draining" | "removed">;
  readonly close: () => Promise<void>;
}

/** Makes a blueprint from options; rejects with a `BalancerOptionsError`. */
export async function createBlueprint(options: PlainBalancerOptions): Promise<Blueprint> {
  const full = await fromPlainOptions(options);
  const [first] = resolveOptions(full).backends;
  // A balancer that never listens has the checks and the messages of one that does. It asks no backend how it is.
  const balancer = createBalancer({ ...full, health: { passive: false } });
  return {
    ...balancer,
    hasBackend: (name) => balancer.snapshot().backends.some((backend) => backend.name === name),
    setup() {
      const known = balancer.snapshot().backends;
      if (known.length === 0) {
        const removed = first === undefined ? [] : [first.name];
        return { balancer: { ...options, backends: options.backends.slice(0, 1) }, draining: [], removed };
      }
      const backends = known.map(({ url, name, weight }) => ({ url, name, weight }));
      const draining = known.filter(({ condition }) => condition === "draining").map(({ name }) => name);
      return { balancer: { ...options, backends }, draining, removed: [] };
    },
    close: async () => balancer.close({ graceMs: 0 }),
  };
}

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
