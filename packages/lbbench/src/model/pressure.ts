import type { Role } from "./usage.js";

/** What the system allows for connections; `null` where it does not tell. */
export interface NetworkSettings {
  /** Ports that one address has for connections to one destination: the ephemeral range without what is reserved in it. */
  readonly ephemeralPorts: number | null;
  /** Whether a port in TIME_WAIT may be used again before its minute is over: 0 never, 1 everywhere, 2 on the loopback. */
  readonly tcpTwReuse: number | null;
  /** How long such a port has to rest at least, in ms. */
  readonly tcpTwReuseDelayMs: number | null;
  /** Without timestamps no port in TIME_WAIT is used again early, whatever `tcpTwReuse` says. */
  readonly tcpTimestamps: boolean | null;
  /** Connections that may wait to be accepted by one listening socket. */
  readonly somaxconn: number | null;
  /** Connections whose handshake may be under way on one listening socket. */
  readonly tcpMaxSynBacklog: number | null;
}

/** Who opens connections: the load generator, or the balancer to its backends. */
export type PortTaker = Exclude<Role, "backend">;

/** Ports that were taken, and could not be used again yet, for connections to one destination. */
export interface PortsTaken {
  readonly process: PortTaker;
  /** Address and port: `127.0.0.1:8080`, `[::1]:8080`. */
  readonly destination: string;
  readonly taken: number;
}

/** The file descriptors of one process, or of the one with the fewest left where descendants were asked for. */
export interface DescriptorUse {
  readonly name: string;
  readonly role: Role;
  /** Most that were seen open. */
  readonly most: number;
  /** How many it may have open; `null` when there is no limit or none is told. */
  readonly limit: number | null;
}

/** What a step took of the ports and descriptors there are; `null` where the system does not tell. */
export interface Pressure {
  /** Ports that one address has for connections to one destination. */
  readonly ports: number | null;
  /** Ports that the load generator was thought to need at most, before the step; `null` when nobody could tell. */
  readonly portsNeeded: number | null;
  /** TCP sockets in TIME_WAIT, on both sides and of whatever program, just before the load and at most until its end. */
  readonly timeWait: { readonly before: number; readonly most: number } | null;
  /** Most TCP sockets in use, on both sides and of whatever program, without those in TIME_WAIT. */
  readonly socketsMost: number | null;
  /**
   * The destination for which each side had most ports taken. Looked up only when there were enough sockets for one
   * destination to come close to its limit.
   */
  readonly portsTaken?: readonly PortsTaken[];
  readonly descriptors: readonly DescriptorUse[];
}
