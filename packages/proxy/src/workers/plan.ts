import type { BackendOptions, BalancerSnapshot } from "../options/options.js";
import { checkGrace, checkWeight, resolveBackend, type ResolvedOptions } from "../options/resolve-options.js";
import { findUpstream } from "../pool/pool.js";
import { Upstream } from "../pool/upstream.js";
import type { BalancerChanges } from "./workers-options.js";

type PlannedChanges = {
  readonly [Name in keyof BalancerChanges]: (...args: Parameters<BalancerChanges[Name]>) => void;
};

/** Which backends every worker is to have. It is changed first, and refuses what is wrong before a worker hears of it. */
export interface Plan extends PlannedChanges {
  /** The backends with their weights and drains, and nothing counted. */
  readonly snapshot: () => BalancerSnapshot;
  /** The part of a worker's setup that may change. */
  readonly setup: () => { readonly backends: readonly BackendOptions[]; readonly draining: readonly string[] };
}

/** Makes a plan of the backends that there are from the beginning. In it they are upstreams that nothing is sent to. */
export function createPlan({ backends, mode, limits, health }: ResolvedOptions): Plan {
  let upstreams = backends.map((backend) => new Upstream(backend, undefined, limits, health));
  return {
    snapshot: () => ({ backends: upstreams.map((upstream) => upstream.snapshot()), connections: 0, refused: {} }),
    setup: () => ({
      backends: upstreams.map(({ name, url, baseWeight }) => ({ name, url, weight: baseWeight })),
      draining: upstreams.filter(({ condition }) => condition === "draining").map(({ name }) => name),
    }),
    addBackend(backend) {
      upstreams.push(new Upstream(resolveBackend(backend, mode, "backend", upstreams), undefined, limits, health));
    },
    removeBackend(name, { graceMs = 0 } = {}) {
      checkGrace(graceMs);
      const removed = findUpstream(upstreams, name);
      upstreams = upstreams.filter((upstream) => upstream !== removed);
    },
    drainBackend(name) {
      findUpstream(upstreams, name).condition = "draining";
    },
    restoreBackend(name) {
      findUpstream(upstreams, name).condition = "up";
    },
    setBackendWeight(name, weight) {
      findUpstream(upstreams, name).baseWeight = checkWeight(weight, "weight");
    },
  };
}
