import type { BackendState } from "./policy.js";

/** The weights of all available backends, added up. */
export function availableWeight(backends: readonly BackendState[]): number {
  let total = 0;
  for (const backend of backends) if (backend.available) total += backend.weight;
  return total;
}

/**
 * Draws one of the available backends other than `except`, with chances by weight; `undefined` when there is none.
 * `point` says which: from 0 to below the weight of all that may be drawn.
 */
export function drawByWeight<B extends BackendState>(backends: readonly B[], point: number, except?: B): B | undefined {
  let rest = point;
  let last: B | undefined;
  for (const backend of backends) {
    if (!backend.available || backend === except) continue;
    last = backend;
    rest -= backend.weight;
    if (rest < 0) break;
  }
  // Rounding may leave a rest after the last one.
  return last;
}

/** Whether `a` has less in flight than `b`, each compared with its weight. */
export function isLessLoaded(a: BackendState, b: BackendState): boolean {
  return a.inFlight * b.weight < b.inFlight * a.weight;
}
