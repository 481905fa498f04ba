import type { Exchange } from "./exchange.js";

/** Why an attempt failed: whether there was no connection, or what came was no complete answer, or none that is valid. */
export type FailureKind = "connect" | "broken" | "invalid";

/**
 * One attempt to have a request answered by a backend. It tells the exchange what becomes of it. Nothing is told any
 * more once it has said `lose`, nor after it was released or abandoned.
 */
export interface Attempt {
  /** Whether there is a connection; if not yet, `exchange.onConnected` is called when there is one. */
  readonly isConnected: boolean;
  /** Whether the backend has not taken what it was sent; `exchange.onBackendDrained` is called when it has. */
  readonly blocked: boolean;
  /** Sends the head, and the first piece of the body if there is one by now. */
  readonly start: (first: Buffer | undefined) => void;
  /** Sends a piece of the body, which is not changed any more. Not called while the backend is blocked. */
  readonly sendBody: (piece: Buffer) => void;
  /** All of the body has been sent; also called when there is none. */
  readonly endBody: () => void;
  /** Goes on reading the answer: the client has taken what it was sent. */
  readonly resume: () => void;
  /** The client has all of the answer. `keep` says whether the connection may serve another request. */
  readonly release: (keep: boolean) => void;
  /** Gives the attempt up, and its connection with it: by closing it, or with a reset. */
  readonly abandon: (how: "close" | "reset") => void;
  /** Ends the sending side of a tunnel. */
  readonly end: () => void;
}

/** The way to one backend: connections that are kept, and what is spoken on them. */
export interface Link {
  /** Begins an attempt. Whatever goes wrong is told by `exchange.lose`, never thrown, and not before it has returned. */
  readonly send: (exchange: Exchange, head: Buffer) => Attempt;
  /** Ends all connections; resolves when they are closed. */
  readonly close: () => Promise<void>;
}
