import type { Socket } from "node:net";
import type { RequestLogEntry } from "../options/options.js";
import type { ResolvedTimeouts } from "../options/resolve-options.js";
import type { Pool } from "../pool/pool.js";
import type { Upstream } from "../pool/upstream.js";
import type { IdleSweep } from "./idle-sweep.js";
import type { RelayLink } from "./relay-link.js";

/** A backend to relay to. */
export type RelayUpstream = Upstream<RelayLink>;

/** What relays need to know from the balancer. */
export interface RelayOptions {
  readonly pool: Pool<RelayLink>;
  /** Of these `connectMs`, `queueMs` and `idleMs` count; with TLS also `headMs`, for the handshake. */
  readonly timeouts: ResolvedTimeouts;
  /** How many further backends a connection may try when one cannot be reached. */
  readonly retries: number;
  /** Called for each connection that is reset because no backend is available. */
  readonly onRefused: () => void;
  /** Called once for each connection that has ended. */
  readonly onEnd?: ((entry: RequestLogEntry) => void) | undefined;
}

/** What the relays of a server share. */
export interface RelayContext extends RelayOptions {
  /** Ends relays that have been idle for too long. */
  readonly idleSweep: IdleSweep;
  /** Ends a client's connection at once, with a reset if there is a way. */
  readonly resetClient: (client: Socket) => void;
}
