import { availableWeight, drawByWeight } from "./draw-by-weight.js";
import type { BackendState, Policy } from "./policy.js";
import { randomSources, type RandomOptions } from "./random-source.js";

/** A policy that draws an available backend for each request, with chances by weight. */
export function random(options: RandomOptions = {}): Policy {
  const createSource = randomSources(options);
  return { name: "random", create: () => createRandom(createSource()) };
}

function createRandom(draw: () => number) {
  return {
    pick<B extends BackendState>(backends: readonly B[]): B | undefined {
      return drawByWeight(backends, draw() * availableWeight(backends));
    },
  };
}
