/** Every default of the sample servers, written once. */
export const BACKEND_DEFAULTS = Object.freeze({
  /** Any free port. */
  port: 0,
  /** Loopback only. */
  host: "127.0.0.1",
  /** Connections the kernel may hold before they are accepted; the kernel caps it (`net.core.somaxconn`). */
  backlog: 4096,
  /** How long an idle connection is kept, in ms. Node's own 5 s would close connections between two bursts of load. */
  keepAliveTimeoutMs: 75_000,
  /** How long `stop()` lets requests in flight finish, in ms. */
  stopGraceMs: 500,
});

/** Every default of the handlers, written once. */
export const HANDLER_DEFAULTS = Object.freeze({
  /** Seed of random delays. */
  seed: 1,
  /** Status of the answers that the handler `error` fails. */
  errorStatus: 500,
});
