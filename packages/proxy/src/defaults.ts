/** Every default of the balancer, written once. */
export const BALANCER_DEFAULTS = Object.freeze({
  /** Any free port. */
  port: 0,
  /** Loopback only: a lab balancer is not open to the network unless asked. */
  host: "127.0.0.1",
  /** Connections the kernel may hold before they are accepted; the kernel caps it (`net.core.somaxconn`). */
  backlog: 4096,
  /**
   * How long an idle client connection is kept, in ms. Node's own 5 s would close connections between two bursts of
   * load.
   */
  keepAliveTimeoutMs: 75_000,
  /**
   * How long an idle connection to a backend is kept, in ms; below the 5 s after which a plain Node server closes it.
   */
  backendIdleMs: 4000,
  /** How long `close()` lets requests in flight finish, in ms. */
  closeGraceMs: 2000,
  /** How much a backend is to get compared with the others. */
  weight: 1,
  /** What `consistent-hash` tells requests apart by: every request has a path. */
  hashKey: "path",
});
