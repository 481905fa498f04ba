import { numberPerBackend } from "./number-per-backend.js";
import type { BackendState, Picker, Policy } from "./policy.js";

/**
 * A policy that gives each available backend its share by weight, as evenly spread over time as possible: weights 5, 1
 * and 1 make `aabacaa`, not `aaaaabc`.
 *
 * Source: nginx, "Upstream: smooth weighted round-robin balancing" (`ngx_http_upstream_get_peer` in
 * `src/http/ngx_http_upstream_round_robin.c`). With each pick every available backend gains its weight; the one that
 * has most is picked, the first of equals, and pays what all have gained.
 */
export function weightedRoundRobin(): Policy {
  return { name: "weighted-round-robin", create: createWeightedRoundRobin };
}

/** Makes a picker of `weighted-round-robin`, for policies that fall back to it. */
export function createWeightedRoundRobin(): Picker {
  const creditsOf = numberPerBackend(() => 0);
  return {
    pick<B extends BackendState>(backends: readonly B[]): B | undefined {
      const credits = creditsOf(backends);
      let best: B | undefined;
      let bestIndex = 0;
      let bestCredit = 0;
      let gained = 0;
      for (let index = 0; index < backends.length; index++) {
        const backend = backends[index];
        if (backend?.available !== true) continue;
        const credit = (credits[index] ?? 0) + backend.weight;
        credits[index] = credit;
        gained += backend.weight;
        if (best === undefined || credit > bestCredit) {
          best = backend;
          bestIndex = index;
          bestCredit = credit;
        }
      }
      if (best !== undefined) credits[bestIndex] = bestCredit - gained;
      return best;
    },
  };
}
