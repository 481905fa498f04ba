/** Every default of the balancer, written once. Times are in ms, sizes in bytes. */
export const BALANCER_DEFAULTS = Object.freeze({
  /** `http` balances requests, `tcp` connections. */
  mode: "http",
  /** What speaks to the backends in mode `http`. */
  transport: "wire",
  /** How connections are read and written. */
  sockets: "direct",
  /** Any free port. */
  port: 0,
  /** Loopback only: a lab balancer is not open to the network unless asked. */
  host: "127.0.0.1",
  /** Connections the kernel may hold before they are accepted; the kernel caps it (`net.core.somaxconn`). */
  backlog: 4096,
  /** How long an idle connection to a backend is kept; below the 5 s after which a plain Node server closes it. */
  backendIdleMs: 4000,
  /** After so long without a byte a TCP peer is asked for a sign of life; one that has vanished is noticed 10 s later. */
  probeAfterMs: 60_000,
  /** How long `close()` lets requests in flight finish. */
  closeGraceMs: 2000,
  /** How long a backend that is removed may take to finish what it has. */
  removeGraceMs: 30_000,
  /** How long session tickets are encrypted with the same keys. Stolen keys decrypt the TLS 1.2 traffic of that time. */
  ticketKeysMs: 86_400_000,
  /** How much a backend is to get compared with the others. */
  weight: 1,
  /** What `consistent-hash` tells requests apart by: every request has a path. */
  hashKey: "path",
  /** A client may write any name into these headers: they are replaced. */
  forwarded: "replace",
  /** What is done with headers that only an underscore tells from these: many servers cannot tell them apart. */
  underscores: "drop",
  /** Name of the balancer in `Via`; `false` for none: where a request has one, nginx compresses no answer. */
  via: false,
  /** Who answers `Expect: 100-continue`: a 417 or a 401 of the backend comes before the body. */
  expect: "forward",
  /** Whether the texts of 500, 502, 503 and 504 name backends and errors of the system; the log always does. */
  errorDetails: false,
  /** In which time measures of latency forget: what is left of a latency is 37 %. As in Finagle. */
  latencyDecayMs: 10_000,
  /** Whether answers say what their requests waited for: it takes bytes and time. */
  serverTiming: false,
  /** How often a request may be sent once more, to another backend. */
  retries: 1,
  /** Where a request goes that is meant for a backend that is full: to the next one. */
  whenFull: "next",
  timeouts: Object.freeze({
    /** For a connection to a backend to be made: 504. */
    connectMs: 5000,
    /** From a request sent to the head of its answer: 504. */
    responseMs: 60_000,
    /** Between two pieces of a request or an answer that is under way. */
    idleMs: 60_000,
    /** From the first byte of a request, or from the connection, to the end of the request's head: 408. */
    headMs: 60_000,
    /** Until an idle connection of a client is closed. Node's own 5 s would close connections between two bursts. */
    keepAliveMs: 75_000,
    /** From the head of a request to the end of its body, however busily it comes: 408. */
    requestMs: Infinity,
    /** Over how long `limits.bodyBytesPerSecond` is looked at. */
    slowBodyMs: 30_000,
    /** Between two pieces of what goes through an upgraded connection. */
    tunnelIdleMs: 3_600_000,
    /** For a request to wait until its backend has a connection free: 503. */
    queueMs: 10_000,
  }),
  limits: Object.freeze({
    /** Requests, or connections in mode `tcp`, that a backend is given at a time; the rest waits. */
    connectionsPerBackend: Infinity,
    /** Requests that may wait for one backend; one more is answered with 503. */
    queuePerBackend: 1024,
    /** Bytes of a request's head: 431. Of an answer's: 502. */
    headBytes: 16_384,
    /** Header lines of a request: 431. Of an answer: 502. */
    headLines: 256,
    /** Of a request's body: 413. */
    bodyBytes: Infinity,
    /** The lowest rate at which a request's body may come, before its answer begins: 408. */
    bodyBytesPerSecond: 100,
    /** Of a request's body that is kept, so that it can be sent again; a longer one cannot. */
    bufferBytes: 65_536,
  }),
  passiveHealth: Object.freeze({
    /** Failures in a row after which a backend is ejected. */
    failures: 3,
    /** How long it is ejected the first time; each further time without a success between takes twice as long. */
    ejectMs: 1000,
    /** The longest that it is ejected. */
    maxEjectMs: 30_000,
  }),
  outliers: Object.freeze({
    /** How long requests are counted before backends are compared. */
    windowMs: 5000,
    /** Requests in that time from which on a backend is compared. */
    leastRequests: 20,
    /** How much larger its share of failed requests may be than that of the others together, 0 to 1; 1 turns this off. */
    errorShare: 0.3,
    /** Whether an answer of 500 to 599, or a status of gRPC that means the same, is a failure here. */
    serverErrors: true,
    /** How many times as long as with the others it may take to begin an answer, by the medians; `Infinity` turns this off. */
    slowFactor: 5,
    /** How much longer it has to take beside that, in ms: a difference of a few is not noticed. */
    slowMs: 10,
    /** The share of the backends that may be out at a time; it is always at least one. */
    mostEjected: 0.3,
    /** How long a backend is ejected the first time; twice as long each further time without an ordinary window between. */
    ejectMs: 10_000,
    /** The longest that it is ejected. */
    maxEjectMs: 300_000,
  }),
  activeHealth: Object.freeze({
    /** Asked for; its status has to be 200 to 399. In mode `tcp` a connection that is accepted is enough. */
    path: "/",
    /**
     * Name of a gRPC service that `grpc.health.v1.Health/Check` is asked about in place of `path`; it has to be SERVING. An empty name
     * means the server as a whole. `false`: it is not asked.
     */
    grpc: false,
    /** From the beginning of a check to that of the next. */
    intervalMs: 2000,
    /** For a whole check. */
    timeoutMs: 1000,
    /** Checks in a row that pass until a backend counts as healthy again. */
    healthyAfter: 2,
    /** Checks in a row that fail until it counts as unhealthy. */
    unhealthyAfter: 2,
  }),
  /** A backend that comes back is given its full share at once. */
  slowStartMs: 0,
});

/** The words that options may be. `BalancerOptions` says what each does. */
export const BALANCER_CHOICES = Object.freeze({
  mode: Object.freeze(["http", "tcp"] as const),
  transport: Object.freeze(["wire", "http-proxy"] as const),
  sockets: Object.freeze(["direct", "public"] as const),
  forwarded: Object.freeze(["replace", "append", "off"] as const),
  underscores: Object.freeze(["drop", "pass"] as const),
  expect: Object.freeze(["forward", "answer"] as const),
  whenFull: Object.freeze(["next", "wait"] as const),
});
