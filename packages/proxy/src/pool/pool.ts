import type { BackendOptions, RemoveOptions } from "../options/options.js";
import type { PolicyRequest } from "../policies/policy.js";
import type { Upstream } from "./upstream.js";

/** The backends of a balancer at run time: which there are, which of them may be picked, and how they come and go. */
export interface Pool<Link> {
  /** In the order in which they were added; another array after each change. */
  readonly upstreams: readonly Upstream<Link>[];
  /** One that is available and not among those that were tried already; `undefined` when there is none. */
  readonly pick: (request: PolicyRequest, tried?: readonly Upstream<Link>[]) => Upstream<Link> | undefined;
  /** Tells of a complete answer (in mode `tcp`: of a connection made). */
  readonly succeeded: (upstream: Upstream<Link>) => void;
  /** Tells of a request that the backend failed. */
  readonly failed: (upstream: Upstream<Link>) => void;
  /** When it may be worth to ask again, in whole seconds, at least 1. */
  readonly retryAfterSeconds: () => number;
  readonly add: (backend: BackendOptions) => void;
  readonly remove: (name: string, options?: RemoveOptions) => Promise<void>;
  readonly drain: (name: string) => Promise<void>;
  readonly restore: (name: string) => void;
  readonly setWeight: (name: string, weight: number) => void;
  /** Ends timers and checks, and closes the links. */
  readonly close: () => Promise<void>;
}
