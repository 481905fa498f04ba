import type { AnswerHead, BodyScan } from "@lbbench/wire";
import { describeError, shortageIn } from "../pool/connect-backend.js";

/** How an attempt failed. */
export interface Failure {
  /**
   * There was no connection; this machine could make none; one that had served before was closed without a byte; the
   * backend said that it has not begun with the request, and will not; what came was no complete answer, or none that
   * is valid.
   */
  readonly kind: "connect" | "short" | "stale" | "unprocessed" | "broken" | "invalid";
  /** Goes on after "Backend NAME", or is the code of the system's error where this machine ran short. */
  readonly what: string;
  /** What the client is told if no other backend may have the request; 502 by default. */
  readonly status?: number;
}

/** How an attempt fails whose backend switches to another protocol without being asked. */
export const UNASKED_SWITCH: Failure = {
  kind: "invalid",
  what: "sent an answer that cannot be passed on: it switches to another protocol, which was not asked for.",
};

const KINDS = { connecting: "connect", asked: "broken", kept: "stale" } as const;

/**
 * How an attempt fails whose connection was closed, by an error or not: before it was made ("connecting"); before any byte of the
 * answer, on one that is new ("asked") or had served before ("kept"); or within the answer ("answering").
 */
export function lossBy(error: Error | undefined, when: keyof typeof KINDS | "answering"): Failure {
  const shortage = when === "connecting" ? shortageIn(error) : undefined;
  if (shortage !== undefined) return { kind: "short", what: shortage };
  const why = error === undefined ? undefined : describeError(error);
  if (when !== "answering") return { kind: KINDS[when], what: `did not answer: ${why ?? "it closed the connection"}` };
  const how = why === undefined ? "closed the connection" : `broke the connection (${why})`;
  return { kind: "broken", what: `${how} before its answer was complete.` };
}

/** What makes an attempt: it says what is asked, and is told of the answer. */
export interface Asker {
  readonly method: string;
  readonly hasBody: boolean;
  /** Whether the request's body goes to the backend in chunks. */
  readonly isChunked: boolean;
  /** What is asked for in `Upgrade`; "" for nothing. */
  readonly upgrade: string;
  /** Bytes of the answer's body that were handed to the client's connection. */
  bodyBytes: number;
  /** Status of an answer of gRPC, set when it is complete; -1 where there is none. */
  grpcStatus: number;
  /** There is a connection to the backend, on which the request is to be sent. */
  readonly onConnected: () => void;
  /** The attempt has been without a connection so far, and goes on as another one, which may have one by now. */
  readonly goOnWith: (attempt: Attempt) => void;
  readonly onBackendDrained: () => void;
  /** Passes an answer before the answer on, such as 103, which took `size` bytes; false asks to wait for `resume`. */
  readonly interim: (head: AnswerHead, bytes: Buffer, size: number) => boolean;
  /**
   * Begins the answer whose head has been read from `bytes` up to `end`. `body` is told what is to be expected; without
   * it, the body comes as pieces of which each is payload. Returns from where on `write` is to send what stands in
   * `bytes`: the usual head goes on in place, with the first piece of the body behind it.
   */
  readonly openAnswer: (head: AnswerHead, bytes: Buffer, end: number, body: BodyScan | undefined) => number;
  /** Sends a piece of the answer, and what stands before it; false asks to wait for `resume`. */
  readonly write: (piece: Buffer) => boolean;
  /**
   * The answer is complete. `trailers`, each with its line end, stand behind chunks, whose end has been passed on
   * already if `isEnded`. `keep` says whether the backend's connection may serve another request.
   */
  readonly endAnswer: (trailers: string, isEnded: boolean, keep: boolean) => void;
  /** The backend agrees to what the client has asked for; the connections of both become a tunnel. */
  readonly agree: (head: AnswerHead, bytes: Buffer) => void;
  /** Passes on what the backend says in a tunnel; false asks to wait for `resume`. */
  readonly tunnelToClient: (bytes: Buffer, from: number, to: number) => boolean;
  /** One side of a tunnel has ended: the other one is told, and the tunnel ends when both have. */
  readonly endTunnelOf: (side: "client" | "backend") => void;
  /** The backend has broken a tunnel, which it may have ended before. */
  readonly breakTunnel: (reason: string, hadEnded: boolean) => void;
  /** The backend has lost the request. */
  readonly lose: (failure: Failure) => void;
}

/**
 * One attempt to have a request answered by a backend. It tells the asker what becomes of it. Nothing is told any
 * more once it has said `lose`, nor after it was released or abandoned.
 */
export interface Attempt {
  /** Whether there is a connection; if not yet, `onConnected` is called when there is one. */
  readonly isConnected: boolean;
  /** Whether the backend has not taken what it was sent; `onBackendDrained` is called when it has. */
  readonly blocked: boolean;
  /** Sends the head, and the first piece of the body if there is one by now. */
  readonly start: (first: Buffer | undefined) => void;
  /** Sends a piece of the body, which is not changed any more. Not called while the backend is blocked. */
  readonly sendBody: (piece: Buffer) => void;
  /** All of the body has been sent; also called when there is none. `trailers`: lines behind it, each with its line end; "" for none. */
  readonly endBody: (trailers: string) => void;
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
  /**
   * Begins an attempt; `isFresh`: on a connection that is made for it. A failure is told by `lose`, never thrown,
   * and not before it has returned.
   */
  readonly send: (asker: Asker, head: Buffer, isFresh: boolean) => Attempt;
  /** Ends all connections; resolves when they are closed. */
  readonly close: () => Promise<void>;
}
