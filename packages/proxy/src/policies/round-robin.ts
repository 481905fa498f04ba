import type { BackendState, Policy } from "./policy.js";

/**
 * A policy that gives each available backend a request in turn, in the order in which they are listed; weights are not
 * looked at.
 */
export function roundRobin(): Policy {
  return { name: "round-robin", create: createRoundRobin };
}

function createRoundRobin() {
  let next = 0;
  return {
    pick<B extends BackendState>(backends: readonly B[]): B | undefined {
      for (let tried = 0; tried < backends.length; tried++) {
        if (next >= backends.length) next = 0;
        const backend = backends[next++];
        if (backend?.available === true) return backend;
      }
      return undefined;
    },
  };
}
