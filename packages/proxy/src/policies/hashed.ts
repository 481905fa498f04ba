import { BALANCER_DEFAULTS } from "../options/defaults.js";
import { refuse } from "../options/check.js";
import { hashText, mixBits } from "./hash-text.js";
import { createWeightedRoundRobin, numberPerBackend } from "./in-turn.js";
import type { BackendState, Picker, Policy, PolicyRequest } from "./policy.js";
import { validateHeaderName } from "node:http";

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
  return hashing("consistent-hash", keyReader(key));
}

/**
 * A policy that sends the requests of one client address to the same backend, as long as it is available; shares are by
 * weight over many addresses. The address is that of the connection, all of it, never what a header claims.
 * Connections without an address (Unix sockets) are shared by `weighted-round-robin`.
 */
export function ipHash(): Policy {
  return hashing("ip-hash", clientAddress);
}

function clientAddress({ socket }: PolicyRequest): string | undefined {
  const address = socket.remoteAddress;
  // How a server that listens on :: sees a client that came by IPv4.
  return address?.startsWith("::ffff:") === true && address.includes(".") ? address.slice("::ffff:".length) : address;
}

/** A policy to which requests stick that have a key. */
function hashing(name: string, keyOf: (request: PolicyRequest) => string | undefined): Policy {
  return {
    name,
    create: () => createHighestScore(keyOf),
    sticks: (request) => (keyOf(request) ?? "") !== "",
  };
}

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
function createHighestScore(keyOf: (request: PolicyRequest) => string | undefined): Picker {
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

/**
 * What requests are told apart by: the path without the query, the value of a header (its name in any case), or the
 * value of a cookie.
 */
export type HashKey = "path" | `header:${string}` | `cookie:${string}`;

/** Returns a function that reads a key from a request, `undefined` when it has none; throws a `BalancerOptionsError`. */
export function keyReader(key: HashKey): (request: PolicyRequest) => string | undefined {
  if (key === "path") return readPath;
  const [, kind, name = ""] = /^(header|cookie):([^]+)$/.exec(key) ?? [];
  try {
    validateHeaderName(name);
  } catch {
    refuse("key", '"path", "header:NAME" or "cookie:NAME", like "header:x-user"', key);
  }
  return kind === "header" ? headerReader(name.toLowerCase()) : cookieReader(name);
}

function readPath({ url }: PolicyRequest): string | undefined {
  const query = url?.indexOf("?") ?? -1;
  return query === -1 ? url : url?.slice(0, query);
}

function headerReader(name: string) {
  return ({ headers }: PolicyRequest): string | undefined => {
    // Headers are a plain object, which has a "constructor" that was not sent.
    const value = Object.hasOwn(headers, name) ? headers[name] : undefined;
    return typeof value === "object" ? value.join(", ") : value;
  };
}

function cookieReader(name: string) {
  return ({ headers }: PolicyRequest): string | undefined => {
    for (const pair of headers.cookie?.split(";") ?? []) {
      const equals = pair.indexOf("=");
      if (equals !== -1 && pair.slice(0, equals).trim() === name) return pair.slice(equals + 1).trim();
    }
    return undefined;
  };
}
