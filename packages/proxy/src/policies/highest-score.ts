import { hashText, mixBits } from "./hash-text.js";
import { numberPerBackend } from "./number-per-backend.js";
import type { BackendState, Picker, PolicyRequest } from "./policy.js";
import { createWeightedRoundRobin } from "./weighted-round-robin.js";

/**
 * Makes a picker that sends requests with the same key to the same backend, in every process; requests without a key
 * (`undefined` or empty) are shared by `weighted-round-robin`, as nginx and HAProxy do it.
 *
 * It is weighted rendezvous hashing: key and name of the backend give each backend a score, and the highest wins. A
 * backend that comes takes its share of the keys and no other key moves; one that goes, or is not available for a
 * while, leaves its keys to all others by weight, and gets the same ones back. A ring with virtual nodes does so as
 * well, but shares are uneven by a few percent even with hundreds of points per backend, and it must be built anew with
 * every change of pool, weight or availability. The price is a look at each backend per pick, which for the dozens of a
 * pool is less than the rest of a request by far.
 *
 * Sources: Thaler and Ravishankar, "Using Name-Based Mappings to Increase Hit Rates", IEEE/ACM ToN 6(1), 1998; for the
 * weights, Schindelhauer and Schomaker, "Weighted Distributed Hash Tables", SPAA 2005 (logarithmic method): with u
 * uniform between 0 and 1, weight / -ln(u) is highest with a chance in proportion to weight.
 */
export function createHighestScore(keyOf: (request: PolicyRequest) => string | undefined): Picker {
  const nameHashesOf = numberPerBackend(({ name }) => hashText(name));
  const fallback = createWeightedRoundRobin();
  return {
    pick<B extends BackendState>(backends: readonly B[], request: PolicyRequest): B | undefined {
      const key = keyOf(request);
      if (key === undefined || key === "") return fallback.pick(backends, request);
      const keyHash = hashText(key);
      const nameHashes = nameHashesOf(backends);
      let best: B | undefined;
      let bestScore = 0;
      for (let index = 0; index < backends.length; index++) {
        const backend = backends[index];
        if (backend?.available !== true) continue;
        const score = backend.weight / -Math.log(toUnit(mixBits(keyHash ^ (nameHashes[index] ?? 0))));
        // By name when scores are equal, so that the order of the list does not matter.
        if (best === undefined || score > bestScore || (score === bestScore && backend.name < best.name)) {
          best = backend;
          bestScore = score;
        }
      }
      return best;
    },
  };
}

/** Strictly between 0 and 1, where the logarithm is finite and not 0. */
function toUnit(hash: number): number {
  return (hash + 0.5) / 2 ** 32;
}
