import { BALANCER_DEFAULTS } from "../options/defaults.js";
import { keyReader, type HashKey } from "./hash-key.js";
import { createHighestScore } from "./highest-score.js";
import type { Policy } from "./policy.js";

/** What `consistentHash` can be told. */
export interface ConsistentHashOptions {
  /** What requests are told apart by; the path by default. */
  readonly key?: HashKey;
}

/**
 * A policy that sends requests with the same key to the same backend, as long as it is available; shares are by weight
 * over many keys, and as few keys as possible move when a backend comes or goes. Requests that lack the header or the
 * cookie, or in which it is empty, are shared by `weighted-round-robin`. Throws a `BalancerOptionsError`.
 */
export function consistentHash({ key = BALANCER_DEFAULTS.hashKey }: ConsistentHashOptions = {}): Policy {
  const keyOf = keyReader(key);
  return { name: "consistent-hash", create: () => createHighestScore(keyOf) };
}
