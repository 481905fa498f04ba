import { availableWeight, drawByWeight, isLessLoaded } from "./draw-by-weight.js";
import type { BackendState, Policy } from "./policy.js";
import { randomSources, type RandomOptions } from "./random-source.js";

/**
 * A policy that draws two different available backends, with chances by weight, and takes the one with less in flight
 * compared with its weight; the first one drawn when they are equal. Almost as even as `least-connections`, without
 * several balancers all running to the same idle backend.
 *
 * Source: Mitzenmacher, "The Power of Two Choices in Randomized Load Balancing", IEEE TPDS 12(10), 2001; with weights as
 * in nginx, `random two least_conn`.
 */
export function powerOfTwoChoices(options: RandomOptions = {}): Policy {
  const createSource = randomSources(options);
  return { name: "power-of-two-choices", create: () => createPowerOfTwoChoices(createSource()) };
}

function createPowerOfTwoChoices(draw: () => number) {
  return {
    pick<B extends BackendState>(backends: readonly B[]): B | undefined {
      const total = availableWeight(backends);
      const first = drawByWeight(backends, draw() * total);
      if (first === undefined) return undefined;
      const second = drawByWeight(backends, draw() * (total - first.weight), first);
      return second !== undefined && isLessLoaded(second, first) ? second : first;
    },
  };
}
