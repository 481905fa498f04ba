import type { IncomingHttpHeaders } from "node:http";

/** What a policy sees of a backend: its name, whether it may be picked, and what it has been given. All of it is live. */
export interface BackendState {
  /** Its own in its pool, and always the same. */
  readonly name: string;
  readonly url: string;
  /** How much it is to get compared with the others; above 0, less than it was given while it starts slowly. */
  readonly weight: number;
  /**
   * Whether it may be picked for this request: it is in service, has not failed the request, and has a connection free if
   * another one has.
   */
  readonly available: boolean;
  /** Requests handed to it since the balancer was created. */
  readonly requests: number;
  /** Requests that it ended without a complete answer. */
  readonly errors: number;
  /** Requests whose client went away first. */
  readonly aborted: number;
  /** Requests handed to it that have not ended yet. */
  readonly inFlight: number;
}

/**
 * What a policy sees of a request, by the names of Node's `IncomingMessage`. What a policy does not read costs nothing. It
 * holds for one call of `pick`: the same object stands for the next request of a connection.
 */
export interface PolicyRequest {
  readonly method?: string | undefined;
  /** Path and query as the client sent them. */
  readonly url?: string | undefined;
  /** Whether another backend has had it, and has failed; not set for `false`. */
  readonly isRetry?: boolean;
  /** By name in lower case. */
  readonly headers: IncomingHttpHeaders;
  /** The client's connection; it has no address when it is a Unix socket, or closed. */
  readonly socket: { readonly remoteAddress?: string | undefined };
}

/** Picks a backend for each request of one balancer; it may hold state. */
export interface Picker {
  /**
   * Returns one of `backends` that is `available`, or `undefined` when none of them will do. Called once per request, and
   * again where it has picked none and more of them become available, such as those that are busy. Must not throw, nor
   * change the list or what is in it. The list may differ from one call to the next.
   */
  readonly pick: <B extends BackendState>(backends: readonly B[], request: PolicyRequest) => B | undefined;
}

/** How a balancer picks a backend: a plain object that makes a fresh picker for each balancer. */
export interface Policy {
  readonly name: string;
  readonly create: () => Picker;
  /**
   * Whether the backend of a request is meant for it, as that of a session is, and not just one of many. The option
   * `whenFull` says what then happens when that backend is full. Must not throw; without it no request sticks.
   */
  readonly sticks?: (request: PolicyRequest) => boolean;
}
