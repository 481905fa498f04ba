import type { Policy } from "./policies/policy.js";

/** A backend to balance over. */
export interface BackendOptions {
  /** Where it answers: `http://127.0.0.1:4001`, optionally with a path that is put before the path of each request. */
  readonly url: string;
  /** What it is called in counts, messages and headers; `host:port` of the URL by default. */
  readonly name?: string;
  /** How much it is to get compared with the others, for policies that look at it: any number above 0, 1 by default. */
  readonly weight?: number;
}

/** What is known of a request when it has ended. */
export interface RequestLogEntry {
  readonly method: string;
  /** Path and query as the client sent them. */
  readonly path: string;
  /** Status sent to the client; absent when the client got none. */
  readonly status?: number;
  /** Name of the backend that was picked; absent when none was available. */
  readonly backend?: string;
  /** From the request's head to the last byte of the answer, in ms. */
  readonly durationMs: number;
  /** Why there was no complete answer. */
  readonly error?: string;
}

/** What a balancer is made from. */
export interface BalancerOptions {
  readonly backends: readonly BackendOptions[];
  /** How a backend is picked; `roundRobin()` by default. */
  readonly policy?: Policy;
  /** Response header that names the backend that served; `false`, the default, sends none. */
  readonly backendHeader?: string | false;
  /** Called once for each request that has ended, answered or not; without it nothing is recorded or timed. */
  readonly onRequest?: (entry: RequestLogEntry) => void;
}

/** Where a balancer listens. */
export interface ListenOptions {
  /** 0, the default, takes any free port. */
  readonly port?: number;
  /** `127.0.0.1` by default. */
  readonly host?: string;
  /** Connections that may wait to be accepted; 4096 by default, capped by the kernel. */
  readonly backlog?: number;
}

/** Where a balancer can be reached. */
export interface ListenAddress {
  readonly port: number;
  readonly host: string;
  readonly url: string;
}

/** How a balancer closes. */
export interface CloseOptions {
  /** How long requests in flight may take to finish, in ms; 2000 by default. */
  readonly graceMs?: number;
}

/** Counts of one backend: `requests` = complete answers + `errors` + `aborted` + `inFlight`. */
export interface BackendStats {
  /** Requests handed to it, counted when it is picked. */
  readonly requests: number;
  /** Those that ended in no complete answer from it. */
  readonly errors: number;
  /** Those whose client went away before the answer was complete. */
  readonly aborted: number;
  /** Those that have not ended yet. */
  readonly inFlight: number;
}

/** A load balancer. */
export interface Balancer {
  /** Resolves when it accepts connections; rejects with a `BalancerListenError`. Can be called once. */
  readonly listen: (options?: ListenOptions) => Promise<ListenAddress>;
  /** Counts since it was created, by name of backend. */
  readonly stats: () => Readonly<Record<string, BackendStats>>;
  /**
   * Stops accepting, lets requests in flight finish for a grace period, then ends the rest. Resolves when no socket is
   * left. May be called again, also to shorten the grace period.
   */
  readonly close: (options?: CloseOptions) => Promise<void>;
}
