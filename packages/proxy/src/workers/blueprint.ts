import { createBalancer } from "../create-balancer.js";
import type { BalancerSnapshot } from "../options/options.js";
import { resolveOptions } from "../options/resolve-options.js";
import { fromPlainOptions } from "./resolve-workers.js";
import type { BalancerChanges, WorkerSetup } from "./worker-api.js";
import type { PlainBalancerOptions } from "./workers-options.js";

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
    addBackend: balancer.addBackend,
    removeBackend: balancer.removeBackend,
    drainBackend: balancer.drainBackend,
    restoreBackend: balancer.restoreBackend,
    setBackendWeight: balancer.setBackendWeight,
    snapshot: balancer.snapshot,
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
