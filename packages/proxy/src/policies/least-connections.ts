import { isLessLoaded } from "./draw-by-weight.js";
import type { BackendState, Policy } from "./policy.js";
import { randomSources, type RandomOptions } from "./random-source.js";

/**
 * A policy that takes the available backend with the least in flight compared with its weight. Of those that are equal
 * one is drawn, with chances by weight, so that a pool with nothing in flight is shared by weight too.
 */
export function leastConnections(options: RandomOptions = {}): Policy {
  const createSource = randomSources(options);
  return { name: "least-connections", create: () => createLeastConnections(createSource()) };
}

function createLeastConnections(draw: () => number) {
  return {
    pick<B extends BackendState>(backends: readonly B[]): B | undefined {
      let best: B | undefined;
      let equalWeight = 0;
      for (const backend of backends) {
        if (!backend.available) continue;
        if (best === undefined || isLessLoaded(backend, best)) {
          best = backend;
          equalWeight = backend.weight;
        } else if (!isLessLoaded(best, backend)) {
          equalWeight += backend.weight;
          // Replacing with this chance each time leaves every one of the equals with its share (reservoir sampling).
          if (draw() * equalWeight < backend.weight) best = backend;
        }
      }
      return best;
    },
  };
}
