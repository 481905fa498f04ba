function working(name: string, server: string, options: object) {
  return Object.freeze({ name, server, options: Object.freeze({ ...options, handler: "work:0.1ms" }) });
}

/** Every default of lbbench, written once: the configuration, the help texts and the documents read them here. */
export const DEFAULTS = Object.freeze({
  name: "sweep",
  /**
   * Compared when no target is given. Each request costs as much as makes a process worth multiplying, and so little that each of 1,000
   * connections is answered several times within seconds. What the balancer keeps back does not wait in a backend's queue of new
   * connections, of which a busy Node process takes few at a time.
   */
  targets: Object.freeze([
    working("one process", "single", {}),
    working("cluster of four", "cluster", { workers: 4 }),
    working("four behind a balancer", "balanced", {
      backends: 4,
      limits: Object.freeze({ connectionsPerBackend: 64 }),
    }),
  ]),
  connections: Object.freeze([1, 50, 100, 250, 500, 1000]),
  /** Of each level of a start; it lasts longer where its connections need that for several answers each. */
  durationMs: 300,
  /** Of a rate, which is not made longer, and of engines that cannot do that. */
  rateDurationMs: 1000,
  /** Of a sweep by duration: starts enough to claim something of three targets. */
  trials: 5,
  /** Of N requests, of a ramp and of faults, which take their time. */
  trialsOfOthers: 1,
  /** Of `--trials auto`: after so many it is looked whether all is decided, and no more are made after this time. */
  sequential: Object.freeze({ looks: Object.freeze([6, 9, 14, 20]), limitMs: 300_000 }),
  warmup: "auto",
  restart: "trial",
  /** Warm-up of a run of N requests, which is often much shorter than a timed one. */
  warmupOfRequestsMs: 100,
  timeoutMs: 10_000,
  keepAlive: true,
  httpVersion: "1.1",
  insecure: false,
  tlsResume: false,
  /** It costs bytes and work. */
  serverTiming: false,
  /** The first that can do what is asked. */
  engine: "auto",
  generators: "auto",
  /** Workers are waited for so long, by a master at this address; where they come through tunnels, at a port that is free. */
  workers: Object.freeze({ waitMs: 60_000, host: "127.0.0.1", port: 5557 }),
  request: Object.freeze({ method: "GET", path: "/", expectStatus: "2xx" }),
  mixWeight: 1,
  handler: "hello",
  clusterWorkers: 4,
  balancedBackends: 4,
  policy: "round-robin",
  host: "127.0.0.1",
  command: Object.freeze({ readyPath: "/", readyTimeoutMs: 10_000 }),
  order: "interleaved",
  seed: 1,
  arrival: Object.freeze({
    spacing: "uniform",
    by: "requests",
    /** Each needs a connection of its own by HTTP/1.1, and with it a descriptor. */
    maxInFlight: 1000,
  }),
  /** Requests that share a connection at a time by HTTP/2: more have to be asked for, because it changes what a connection is. */
  wire: Object.freeze({ streams: 1 }),
  grpc: Object.freeze({ channels: 4 }),
  /** WebSockets that the messages of a rate go over, and what is sent where there is no body. */
  websocket: Object.freeze({ sockets: 100, message: "hello" }),
  /** Programs of others in front of backends; all else is as in the balancer of lbbench. */
  balancerProgram: Object.freeze({
    workers: 1,
    /** Idle connections kept to backends: enough that none of the usual levels has to make new ones. */
    keepAlive: 1024,
    /** Connections of clients; less where the limit of descriptors is too low for as many. */
    clientConnections: 4096,
    readyTimeoutMs: 10_000,
  }),
  ab: Object.freeze({ program: "ab" }),
  /** Part of throughput or latency by which one result may be worse than another. */
  margin: 0.05,
  /** How much the share of failed requests may rise: 0.1 of a percentage point. */
  errorMargin: 0.001,
  search: Object.freeze({
    name: "max",
    by: "connections",
    start: Object.freeze({ connections: 1, rate: 10 }),
    most: Object.freeze({ connections: 10_000, rate: 1_000_000 }),
    growth: 2,
    resolution: 0.02,
    durationMs: 3000,
    trials: 3,
    /** In addition to thresholds that are asked for, unless one of them is about errors. */
    threshold: "errors<=0",
    /** How long an answer is waited for: a request that never gets one has to count within a step. */
    timeoutMs: 1500,
  }),
  ramp: Object.freeze({
    name: "ramp",
    from: 1,
    to: 100,
    riseMs: 25_000,
    /** How long all of them stay; with steps as long as each of them. */
    holdMs: 5000,
  }),
  /** Of connections that are held. */
  hold: Object.freeze({
    name: "hold",
    connections: Object.freeze([1000, 10_000]),
    durationMs: 10_000,
    /** Below the time after which servers close an idle connection: Node does after five seconds, most others later. */
    everyMs: 4000,
    /** Connections that warm a target up. So many leave little memory behind. */
    warmupConnections: 50,
  }),
  /** Of runs with faults, which a closed loop would hide. */
  faults: Object.freeze({
    name: "faults",
    targets: Object.freeze(["balanced"]),
    rate: 500,
    /** How long a step goes on after the last fault. */
    afterMs: 5000,
    /** What `lbbench faults` does: to this backend, or to one that all targets have. */
    backend: "backend-2",
    /** With time to recover: by itself nginx sends nothing to a backend for 10 s after it has failed. */
    usual: Object.freeze([
      "kill backend-2 at 3s",
      "start backend-2 at 5s",
      "pause backend-2 at 17s",
      "resume backend-2 at 19s",
      "slow backend-2 by 200ms at 24s",
      "slow backend-2 by 0 at 26s",
      "errors backend-2 50% at 29s",
      "errors backend-2 0% at 31s",
      "roll backends at 34s",
    ]),
    usualDurationMs: 48_000,
    /** How long requests under way at a backend that is drained, or at the end of our balancer, are waited for. */
    idleLimitMs: 2000,
  }),
  /** Of policies that are compared; what differs by scenario is in `policy-scenarios.ts`. */
  policies: Object.freeze({
    name: "policies",
    targets: Object.freeze(["balanced"]),
    scenario: "one-slow",
    backends: 4,
    handler: "sleep:20ms",
    /** As clients that know nothing of each other come. */
    spacing: "poisson",
    durationMs: 6000,
    /** Nothing of such backends gets faster. */
    warmupMs: 500,
  }),
  /** Of output that is imported; what load generators print of a run is some kilobytes. */
  import: Object.freeze({ name: "import", mostBytes: 64 * 1024 ** 2 }),
  init: Object.freeze({
    thresholds: Object.freeze(["errors<1%"]),
    /** Of base and head of a pull request: one level, and trials enough to tell a difference of the margin on a shared machine. */
    pullRequest: Object.freeze({ connections: "50", duration: "1s", trials: "auto", margin: "10%" }),
  }),
  outFolder: "reports",
  formats: Object.freeze(["md", "html", "png"]),
  charts: "png",
  proxyPort: 44_444,
  servePort: 8080,
});

/** The environment variable with the secret that a run and its workers have in common. */
export const TOKEN_VARIABLE = "LBBENCH_TOKEN";
