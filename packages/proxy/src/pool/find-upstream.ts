import { BalancerOptionsError } from "../options/balancer-options-error.js";
import type { Upstream } from "./upstream.js";

/** Finds an upstream by its name; throws a `BalancerOptionsError` that names those that there are. */
export function findUpstream<Link>(upstreams: readonly Upstream<Link>[], name: string): Upstream<Link> {
  const found = upstreams.find((upstream) => upstream.name === name);
  if (found !== undefined) return found;
  const known = upstreams.map((upstream) => JSON.stringify(upstream.name)).join(", ");
  throw new BalancerOptionsError(
    `name: expected the name of a backend, got ${JSON.stringify(name)}. There ${known === "" ? "is none" : `are ${known}`}.`,
  );
}
