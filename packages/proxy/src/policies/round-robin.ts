import type { Policy } from "./policy.js";

/** A policy that gives each backend a request in turn, in the order in which they are listed. */
export function roundRobin(): Policy {
  return { name: "round-robin", create: createRoundRobin };
}

function createRoundRobin() {
  let next = 0;
  return {
    pick<B>(backends: readonly B[]): B | undefined {
      if (next >= backends.length) next = 0;
      return backends[next++];
    },
  };
}
