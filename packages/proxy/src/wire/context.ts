import type { ResolvedOptions } from "../options/resolve-options.js";
import type { Pool } from "../pool/pool.js";
import type { DirectAccess } from "./connection.js";
import type { Deadlines } from "./deadlines.js";
import type { AnswerHead, RequestHead } from "./head.js";
import type { Link } from "./link.js";
import type { OutgoingOptions } from "./outgoing-head.js";

/** What all connections of a balancer share. */
export interface WireContext {
  readonly options: ResolvedOptions;
  readonly outgoing: OutgoingOptions;
  readonly pool: Pool<Link>;
  readonly deadlines: Deadlines;
  /** How connections are read and written; `undefined`: by the public interface of sockets only. */
  access: DirectAccess | undefined;
  /** One for all: what has been read is looked at before anything else is. */
  readonly requestHead: RequestHead;
  readonly answerHead: AnswerHead;
  /** What all clients are read into: whatever of it is still needed when a piece has been looked at is copied. */
  readonly clientMemory: Buffer;
  /** Set when the balancer closes: clients are then asked to close their connections. */
  closing: boolean;
  /** Counts a request that no backend was given. */
  readonly onRefused: (status: number) => void;
}
