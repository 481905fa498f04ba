import { refuse } from "../options/check.js";
import { BalancerOptionsError } from "../options/options.js";
import { mixBits } from "./hash-text.js";
import { inFlight, type LatencyOptions, type Load, type LoadMeasure, peakEwmaLoad, responseTimeLoad } from "./load.js";
import { type BackendState, eventsOf, type Picker, type Policy } from "./policy.js";

/** What policies can be told that compare loads. */
export interface LoadedOptions extends RandomOptions {
  /** How loaded a backend is; by default what it has in flight. */
  readonly load?: LoadMeasure;
  /** Clock of the measure in ms; it never goes back. `performance.now` by default. */
  readonly now?: () => number;
}

/** What `peakEwma` and `leastResponseTime` can be told. */
export interface LatencyPolicyOptions extends Omit<LoadedOptions, "load">, LatencyOptions {}

/** `leastLoaded` over what backends have in flight. */
export function leastConnections(options: RandomOptions = {}): Policy {
  return leastLoadedAs("least-connections", options);
}

/** `leastLoaded` over `responseTimeLoad`: mean latency times what is in flight. */
export function leastResponseTime(options: LatencyPolicyOptions = {}): Policy {
  return leastLoadedAs("least-response-time", withLoad(responseTimeLoad, options));
}

/**
 * A policy that takes the available backend with the least load for its weight. Of equal ones it draws one, with chances by
 * weight, so that a pool without load is shared by weight too.
 */
export function leastLoaded(options: LoadedOptions = {}): Policy {
  return leastLoadedAs("least-loaded", options);
}

function leastLoadedAs(name: string, options: LoadedOptions): Policy {
  return comparing(name, options, (draw, loadOf) => (backends) => {
    let best: (typeof backends)[number] | undefined;
    let bestLoad = 0;
    let equalWeight = 0;
    for (const backend of backends) {
      if (!backend.available) continue;
      const load = loadOf(backend);
      // Each load is compared with the weight, without the rounding of a division.
      const difference = best === undefined ? -1 : load * best.weight - bestLoad * backend.weight;
      if (difference < 0) equalWeight = backend.weight;
      else if (difference > 0) continue;
      else {
        equalWeight += backend.weight;
        // Replacing with this chance each time leaves every one of the equals with its share (reservoir sampling).
        if (draw() * equalWeight >= backend.weight) continue;
      }
      best = backend;
      bestLoad = load;
    }
    return best;
  });
}

/**
 * A policy that draws two different available backends, with chances by weight, and takes the one with less load compared
 * with its weight; the first one drawn when they are equal. Over what is in flight it is almost as even as `least-connections`,
 * without several balancers all running to the same idle backend.
 *
 * Source: Mitzenmacher, "The Power of Two Choices in Randomized Load Balancing", IEEE TPDS 12(10), 2001; with weights as
 * in nginx, `random two least_conn`.
 */
export function powerOfTwoChoices(options: LoadedOptions = {}): Policy {
  return powerOfTwoChoicesAs("power-of-two-choices", options);
}

/** `powerOfTwoChoices` over `peakEwmaLoad`: a latency that rises at once and falls slowly, times what is in flight. */
export function peakEwma(options: LatencyPolicyOptions = {}): Policy {
  return powerOfTwoChoicesAs("peak-ewma", withLoad(peakEwmaLoad, options));
}

function powerOfTwoChoicesAs(name: string, options: LoadedOptions): Policy {
  return comparing(name, options, (draw, loadOf) => (backends) => {
    const total = availableWeight(backends);
    const first = drawByWeight(backends, draw() * total);
    if (first === undefined) return undefined;
    const second = drawByWeight(backends, draw() * (total - first.weight), first);
    if (second === undefined) return first;
    return loadOf(second) * first.weight < loadOf(first) * second.weight ? second : first;
  });
}

/** A policy that draws an available backend for each request, with chances by weight. */
export function random(options: RandomOptions = {}): Policy {
  return drawing("random", options, (draw) => ({
    pick: (backends) => drawByWeight(backends, draw() * availableWeight(backends)),
  }));
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

/** What a policy that draws at random can be told. */
export interface RandomOptions {
  /**
   * A whole number from 0 to 2^32 - 1: every picker then draws the same sequence, so that a run can be repeated.
   * Without it each picker draws from `Math.random`.
   */
  readonly seed?: number;
}

const RANGE = 2 ** 32;

/** Options with a measure of latency. */
function withLoad(
  measure: (options: LatencyOptions) => LoadMeasure,
  { decayMs, ...options }: LatencyPolicyOptions,
): LoadedOptions {
  return { ...options, load: measure(decayMs === undefined ? {} : { decayMs }) };
}

/** A policy whose pickers draw numbers and compare loads; throws a `BalancerOptionsError`. */
function comparing(
  name: string,
  { load: measure = inFlight, now = () => performance.now(), ...options }: LoadedOptions,
  picking: (draw: () => number, loadOf: Load["loadOf"]) => Picker["pick"],
): Policy {
  if (typeof (measure as Partial<LoadMeasure> | null)?.create !== "function") {
    refuse("load", "an object { name, create(now) }, like peakEwmaLoad()", measure);
  }
  return drawing(name, options, (draw) => {
    const load = measure.create(now);
    return { ...eventsOf(load), pick: picking(draw, (backend) => load.loadOf(backend)) };
  });
}

/** A policy whose pickers draw numbers from 0 to below 1; throws a `BalancerOptionsError` for a seed that is none. */
function drawing(name: string, { seed }: RandomOptions, createPicker: (draw: () => number) => Picker): Policy {
  if (seed !== undefined && (!Number.isInteger(seed) || seed < 0 || seed >= RANGE)) {
    throw new BalancerOptionsError(`seed: expected a whole number from 0 to ${RANGE - 1}, got ${String(seed)}.`);
  }
  return { name, create: () => createPicker(seed === undefined ? Math.random : seededRandom(seed)) };
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
