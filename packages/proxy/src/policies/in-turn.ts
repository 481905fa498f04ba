import type { BackendState, Picker, Policy } from "./policy.js";

/**
 * A policy that gives each available backend a request in turn, in the order in which they are listed; weights are not
 * looked at.
 */
export function roundRobin(): Policy {
  const create = (): Picker => {
    let next = 0;
    return {
      pick(backends) {
        for (let tried = 0; tried < backends.length; tried++) {
          if (next >= backends.length) next = 0;
          const backend = backends[next++];
          if (backend?.available === true) return backend;
        }
        return undefined;
      },
    };
  };
  return { name: "round-robin", create };
}

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
  const weightsOf = numberPerBackend(({ weight }) => weight);
  const pick = <B extends BackendState>(backends: readonly B[]): B | undefined => {
    const credits = creditsOf(backends);
    const weights = weightsOf(backends);
    let best: B | undefined;
    let bestIndex = 0;
    let bestCredit = 0;
    let gained = 0;
    for (let index = 0; index < backends.length; index++) {
      const backend = backends[index];
      if (backend?.available !== true) continue;
      if (backend.weight !== weights[index]) {
        // All begin anew: what is due by weights of thousands would take thousands of turns by a small one.
        weights[index] = backend.weight;
        credits.fill(0);
        return pick(backends);
      }
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
  };
  return { pick };
}

/**
 * Keeps a number for each backend of a list: returns a function that gives the numbers in the order of the list, to be
 * read and written in place. A backend keeps its number while the list changes around it, and loses it when it leaves;
 * a new one begins with what `start` gives. Takes no memory while the list stays as it is.
 */
export function numberPerBackend(
  start: (backend: BackendState) => number,
): (backends: readonly BackendState[]) => number[] {
  let names: readonly string[] = [];
  let numbers: number[] = [];
  return (backends) => {
    if (!haveNames(backends, names)) {
      const known = new Map(names.map((name, index) => [name, numbers[index]]));
      numbers = backends.map((backend) => known.get(backend.name) ?? start(backend));
      names = backends.map(({ name }) => name);
    }
    return numbers;
  };
}

function haveNames(backends: readonly BackendState[], names: readonly string[]): boolean {
  if (backends.length !== names.length) return false;
  for (let index = 0; index < names.length; index++) {
    if (backends[index]?.name !== names[index]) return false;
  }
  return true;
}
