import { BalancerOptionsError } from "../options/options.js";
import { mixBits } from "./hash-text.js";
import type { BackendState, Picker, Policy } from "./policy.js";

/**
 * A policy that takes the available backend with the least in flight compared with its weight. Of those that are equal
 * one is drawn, with chances by weight, so that a pool with nothing in flight is shared by weight too.
 */
export function leastConnections(options: RandomOptions = {}): Policy {
  return drawing("least-connections", options, (draw) => (backends) => {
    let best: (typeof backends)[number] | undefined;
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
  });
}

/**
 * A policy that draws two different available backends, with chances by weight, and takes the one with less in flight
 * compared with its weight; the first one drawn when they are equal. Almost as even as `least-connections`, without
 * several balancers all running to the same idle backend.
 *
 * Source: Mitzenmacher, "The Power of Two Choices in Randomized Load Balancing", IEEE TPDS 12(10), 2001; with weights as
 * in nginx, `random two least_conn`.
 */
export function powerOfTwoChoices(options: RandomOptions = {}): Policy {
  return drawing("power-of-two-choices", options, (draw) => (backends) => {
    const total = availableWeight(backends);
    const first = drawByWeight(backends, draw() * total);
    if (first === undefined) return undefined;
    const second = drawByWeight(backends, draw() * (total - first.weight), first);
    return second !== undefined && isLessLoaded(second, first) ? second : first;
  });
}

/** A policy that draws an available backend for each request, with chances by weight. */
export function random(options: RandomOptions = {}): Policy {
  return drawing("random", options, (draw) => (backends) => {
    return drawByWeight(backends, draw() * availableWeight(backends));
  });
}

/** The weights of all available backends, added up. */
function availableWeight(backends: readonly BackendState[]): number {
  let total = 0;
  for (const backend of backends) if (backend.available) total += backend.weight;
  return total;
}

/**
 * Draws one of the available backends other than `except`, with chances by weight; `undefined` when there is none.
 * `point` says which: from 0 to below the weight of all that may be drawn.
 */
function drawByWeight<B extends BackendState>(backends: readonly B[], point: number, except?: B): B | undefined {
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
function isLessLoaded(a: BackendState, b: BackendState): boolean {
  return a.inFlight * b.weight < b.inFlight * a.weight;
}

/** What a policy that draws at random can be told. */
export interface RandomOptions {
  /**
   * A whole number from 0 to 2^32 - 1: every picker then draws the same sequence, so that a run can be repeated.
   * Without it each picker draws from `Math.random`.
   */
  readonly seed?: number;
}

const RANGE = 2 ** 32;

/** A policy whose pickers draw numbers from 0 to below 1; throws a `BalancerOptionsError` for a seed that is none. */
function drawing(name: string, { seed }: RandomOptions, picking: (draw: () => number) => Picker["pick"]): Policy {
  if (seed !== undefined && (!Number.isInteger(seed) || seed < 0 || seed >= RANGE)) {
    throw new BalancerOptionsError(`seed: expected a whole number from 0 to ${RANGE - 1}, got ${String(seed)}.`);
  }
  return { name, create: () => ({ pick: picking(seed === undefined ? Math.random : seededRandom(seed)) }) };
}

/**
 * Source: SplitMix (Steele, Lea and Flood, "Fast Splittable Pseudorandom Number Generators", OOPSLA 2014), with 32
 * bits.
 */
function seededRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x9e3779b9) | 0;
    return mixBits(state) / RANGE;
  };
}
