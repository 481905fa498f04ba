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
  /** Requests whose client went away first, or spoilt them. */
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

/** How a request ended that a backend was handed. */
export interface RequestEnd {
  /**
   * `answered`: completely, with any status. `failed`: without a complete answer. `aborted`: the client went away first, or spoilt it.
   * `unsent`: this machine could make no connection for it, which says nothing of the backend.
   */
  readonly outcome: "answered" | "failed" | "aborted" | "unsent";
  /** From the moment in which the backend was handed it to its end, in ms. */
  readonly ms: number;
  /** From the same moment to the head of its answer, in ms; `undefined` if that has not come. */
  readonly waitedMs: number | undefined;
  /** Of the complete answer; 0 without one, and in mode `tcp`. */
  readonly status: number;
  /** Of the complete answer, by its name, such as `OK`; `undefined` for one that is none of gRPC. */
  readonly grpcStatus: string | undefined;
}

/**
 * What can be told of the requests of a balancer, in mode `tcp` of its connections. `began` and `ended` are told once for each
 * request that a backend is handed, with any outcome: a retry begins anew at the next backend. The backend is the same
 * object from its first request to its last. None of these may throw. What is left out costs nothing.
 */
export interface RequestEvents {
  /** A backend has been handed a request. It is in `inFlight` by now, and may still wait for a connection. */
  readonly began?: ((backend: BackendState) => void) | undefined;
  /**
   * The head of its answer has come, or the backend has agreed to an upgrade; in mode `tcp` the connection has been made. `waitedMs` is how
   * long that took since the request began. At most once for each request.
   */
  readonly answering?: ((backend: BackendState, waitedMs: number) => void) | undefined;
  /** It has ended. It is not in `inFlight` any more. */
  readonly ended?: ((backend: BackendState, end: RequestEnd) => void) | undefined;
}

/**
 * What of the events is taken, as functions that can be called on their own. `wrap` makes of each what is called in its place.
 */
export function eventsOf(
  told: RequestEvents,
  wrap: <Args extends unknown[]>(event: (...args: Args) => void) => (...args: Args) => void = (event) => event,
): RequestEvents {
  const { began, answering, ended } = told;
  return {
    began: began && wrap(began.bind(told)),
    answering: answering && wrap(answering.bind(told)),
    ended: ended && wrap(ended.bind(told)),
  };
}

/** Picks a backend for each request of one balancer; it may hold state. It may want to be told what becomes of the requests. */
export interface Picker extends RequestEvents {
  /**
   * Returns one of `backends` that is `available`, or `undefined` if none of them will do. Called once per request, and again if
   * it has picked none and more become available, such as busy ones. Must not throw, nor change the list or its entries. The list
   * may differ from one call to the next.
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
