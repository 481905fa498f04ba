import type { Server } from "node:net";
import type { Pool } from "./pool/pool.js";
import type { Upstream } from "./pool/upstream.js";

type Changes = "add" | "remove" | "drain" | "restore" | "setWeight" | "close";

/** The backends of a balancer as far as its caller can see and change them. */
interface FrontPool extends Pick<Pool<unknown>, Changes> {
  readonly upstreams: readonly Upstream[];
}

/** What a mode makes of a balancer: the server that clients connect to, and the backends behind it. */
export interface Front {
  readonly server: Server;
  readonly pool: FrontPool;
  /** Called once, before the server listens. */
  readonly prepare?: () => Promise<void>;
  /** Connections of clients that are open. */
  readonly connections: () => number;
  /** From now on clients are asked to close their connections. */
  readonly beginClosing: () => void;
  /** Ends the connections on which nothing is under way. */
  readonly endIdle: () => void;
  /** Ends every connection of a client. */
  readonly endAll: () => void;
  /** Ends timers; called when the server has closed. Resolves when the last connection of a client has been told so. */
  readonly stop: () => Promise<void> | void;
}
