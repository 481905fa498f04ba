import type { BackendState, PolicyRequest } from "../policies/policy.js";

/** A backend as a policy sees it, whose state a test can change. */
export type ExampleBackend = { -readonly [Name in keyof BackendState]: BackendState[Name] };

/** Backends `backend-0`, `backend-1`, ... with the given weights, all available and with all counts at 0. */
export function examplePool(weights: readonly number[]): ExampleBackend[] {
  return weights.map((weight, index) => ({
    name: `backend-${index}`,
    url: `http://127.0.0.1:${4001 + index}`,
    weight,
    available: true,
    requests: 0,
    errors: 0,
    aborted: 0,
    inFlight: 0,
  }));
}

/**
 * A request that differs from those of other indexes (0 to 2^24 - 1) in all that policies may look at: path, client
 * address, header `x-user` and cookie `session`.
 */
export function exampleRequest(index: number): PolicyRequest {
  return {
    method: "GET",
    url: `/items/${index}?page=1`,
    headers: { host: "localhost", "x-user": `user-${index}`, cookie: `theme=dark; session=s${index}` },
    socket: { remoteAddress: `10.${index >>> 16}.${(index >>> 8) & 255}.${index & 255}` },
  };
}
