/** Every default of lbbench, written once: the configuration, the help texts and the documents read them here. */
export const DEFAULTS = Object.freeze({
  name: "sweep",
  /** Compared when no target is given; the first is the reference. */
  targets: Object.freeze(["single", "balanced"]),
  connections: Object.freeze([1, 50, 100, 250, 500, 1000]),
  durationMs: 3000,
  trials: 1,
  /** Warm-up of a run of fixed duration: a server that has just been started is still being compiled. */
  warmupMs: 500,
  /** Warm-up of a run of N requests, which is often much shorter than a timed one. */
  warmupOfRequestsMs: 100,
  timeoutMs: 10_000,
  keepAlive: true,
  engine: "autocannon",
  generators: 1,
  request: Object.freeze({
    method: "GET",
    path: "/",
    expectStatus: "2xx",
  }),
  handler: "hello",
  clusterWorkers: 4,
  balancedBackends: 4,
  policy: "round-robin",
  host: "127.0.0.1",
  command: Object.freeze({
    readyPath: "/",
    readyTimeoutMs: 10_000,
  }),
  outFolder: "reports",
  formats: Object.freeze(["md", "png"]),
  proxyPort: 44_444,
  servePort: 8080,
});
