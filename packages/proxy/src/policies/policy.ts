import type { IncomingMessage } from "node:http";

/** What a policy sees of a backend: who it is, and what it has been given so far. The counters are live. */
export interface BackendState {
  readonly name: string;
  readonly url: string;
  /** Requests handed to it since the balancer was created. */
  readonly requests: number;
  /** Requests that it ended without a complete answer. */
  readonly errors: number;
  /** Requests whose client went away first. */
  readonly aborted: number;
  /** Requests handed to it that have not ended yet. */
  readonly inFlight: number;
}

/** What a policy sees of a request. */
export type PolicyRequest = Pick<IncomingMessage, "method" | "url" | "headers" | "socket">;

/** Picks a backend for each request of one balancer; holds whatever state that takes. */
export interface Picker {
  /** Returns one of `backends`, or `undefined` when none of them will do. Called once per request; must not throw. */
  readonly pick: <B extends BackendState>(backends: readonly B[], request: PolicyRequest) => B | undefined;
}

/** How a balancer picks a backend: a plain object that makes a fresh picker for each balancer. */
export interface Policy {
  readonly name: string;
  readonly create: () => Picker;
}
