import type { Duplex } from "node:stream";
import type { ResolvedOptions } from "../options/resolve-options.js";
import type { Pool } from "../pool/pool.js";
import type { Link } from "../transports/link.js";
import type { Deadlines } from "./deadlines.js";
import type { HeadOptions } from "./request-head.js";

/** What all exchanges of a balancer share. */
export interface HttpContext {
  readonly options: ResolvedOptions;
  readonly headOptions: HeadOptions;
  readonly pool: Pool<Link>;
  readonly deadlines: Deadlines;
  /** Set when the balancer closes: clients are then asked to close their connections. */
  closing: boolean;
  /**
   * Connections that end with the answer to a request that was refused: what came behind it in the same packet, and has
   * been read as a request by then, is not to be taken for one.
   */
  readonly ending: Set<Duplex>;
  /** Counts a request that no backend was given. */
  readonly onRefused: (status: number) => void;
}
