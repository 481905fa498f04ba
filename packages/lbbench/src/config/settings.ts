import type { ChartStyle } from "../plugin.js";
import { DEFAULTS as D } from "./defaults.js";
import { POLICY_SCENARIO_NAMES } from "./policy-scenarios.js";
import { flagOf, group, settingsIn, type Field, type Fields, type Setting, type SettingCommand } from "./field.js";
import { defined } from "../stats/defined.js";

/** How charts can be shown in a text. */
export const CHART_STYLES = ["png", "mermaid", "none"] as const satisfies readonly ChartStyle[];

/** The names of the formats that a report can have, as help lists them; a test compares them with the reporters. */
// oxfmt-ignore
export const FORMAT_NAMES: readonly string[] = [
  "md", "html", "png", "json", "csv", "ab", "junit", "github-action-benchmark", "bencher",
];

/** Built-in servers that are a target by themselves; a test compares them with the servers. */
// oxfmt-ignore
export const SERVER_NAMES = [
  "single", "cluster", "pool", "balanced", "nginx", "haproxy", "caddy", "envoy", "traefik",
  "grpc", "grpc-gateway", "websocket",
] as const;
/** See {@link SERVER_NAMES}. */
export const SERVERS_WITH_OPTIONS = ["url", "command"] as const;

/** Built-in engines, and when to take which: help and `docs/engines.md` say so. A test compares them with the engines. */
export const ENGINES: readonly (readonly [name: string, when: string])[] = [
  ["autocannon", "closed loops over kept connections; what auto takes for them"],
  ["wire", "rates, ramps, mixes, no keep-alive, HTTP/2; less processor time for each request"],
  ["grpc", "calls of a gRPC service, unary or with a stream of answers"],
  ["websocket", "messages over WebSockets that are kept, and their echoes"],
  ["ab", "figures of ApacheBench itself; only when named"],
];
const ENGINE_NAMES = ENGINES.map(([name]) => name);

/** Runs at any load, also of gRPC, and from other machines. */
const STEADY_RUNS = ["sweep", "max", "ramp"] as const;
const BUSY_RUNS = [...STEADY_RUNS, "faults", "policies"] as const;
const RUNS = [...BUSY_RUNS, "hold"] as const;
const seconds = (ms: number): string => `${ms / 1000}s`;
const timedStep = (durationMs: number) => ({ about: "time per step", default: seconds(durationMs) });
const percent = (part: number): string => `${Number((part * 100).toPrecision(6))}%`;
const OWN_TARGETS = D.targets.map(({ name }) => name);
const either = (of: { readonly connections: number; readonly rate: number }): string =>
  `${of.connections}, by rate ${of.rate}`;

/** An engine of one target. */
// oxfmt-ignore
const TARGET_ENGINE = {
  name: { isNeeded: true, schema: (v) => v.z.string(), about: "name of the engine" },
  options: { schema: (v) => v.options, about: "options of the engine, for this target", default: "those in `engines`" },
} as const satisfies Fields;

/** A target. */
// oxfmt-ignore
const TARGET = {
  name: { isNeeded: true, schema: (v) => v.name, about: "name in the report" },
  server: { isNeeded: true, schema: (v) => v.z.string(), about: "name of a server, or of a plugin", page: "plugins.md" },
  options: { schema: (v) => v.options, about: "options of that server", default: "its own", page: "servers.md" },
  grid: { schema: (v) => v.z.record(v.z.string(), v.z.array(v.z.unknown()).min(1)), about: "values of options to combine, each combination a target",
    example: '{"queue": [10, 20]}', page: "servers.md#grids" },
  engine: group(
    { about: "engine that loads this target: a name, or an object with the two below", default: "that of the run" },
    TARGET_ENGINE,
    (engine, v) => v.z.union([v.z.string().transform((name) => ({ name, options: {} })),
      engine.transform(({ name, options = {} }) => ({ name, options }))])),
  reference: { schema: (v) => v.z.union([v.z.string().transform((one) => [one]), v.z.array(v.z.string()).min(1)]),
    about: "name of the target that this one is compared with, or a list of names", default: "that of the run" },
} as const satisfies Fields;

/** How requests of a rate arrive. */
// oxfmt-ignore
const ARRIVAL = {
  by: { oneOf: ["requests", "connections"], flags: "--by <what>", commands: ["sweep"],
    about: "what a rate counts: `requests`, or new `connections`, each of which sends `requestsPerConnection`, or one", default: D.arrival.by,
    page: "loads.md#connections" },
  spacing: { oneOf: ["uniform", "poisson"], flags: "--poisson", commands: ["sweep", "faults", "max"], value: "poisson",
    about: "with a rate: `uniform`, or `poisson`, at random with an exponential distribution of the gaps",
    flagAbout: "with a rate: requests leave at random, with an exponential distribution of the gaps", default: D.arrival.spacing,
    in: { policies: { default: D.policies.spacing } } },
  maxInFlight: { schema: (v) => v.count, flags: "--max-in-flight <count>", commands: ["sweep", "faults", "policies", "max"], kind: "number",
    about: "with a rate: requests open at a time", default: `${D.arrival.maxInFlight}` },
} as const satisfies Fields;

/** How TLS is spoken. */
// oxfmt-ignore
const TLS = {
  resume: { schema: (v) => v.z.boolean(), flags: "--tls-resume", commands: RUNS, value: true,
    about: "`true`: new connections go on with the session of an earlier one", flagAbout: "new connections go on with the TLS session of an earlier one",
    default: `${D.tlsResume}` },
  version: { oneOf: ["1.2", "1.3"], flags: "--tls-version <version>", commands: RUNS, kind: "word", about: "the only version of TLS that is offered",
    default: "the highest that both sides have" },
  serverName: { schema: (v) => v.name, flags: "--sni <name>", commands: RUNS, about: "name that is asked for and verified, in place of that of the URL" },
  cert: { schema: (v) => v.filePath, flags: "--cert <file>", commands: RUNS, kind: "path", about: "certificate that clients show, in PEM" },
  key: { schema: (v) => v.filePath, flags: "--key <file>", commands: RUNS, kind: "path", about: "key of that certificate, in PEM" },
} as const satisfies Fields;

/** What is sent, and what is expected. */
// oxfmt-ignore
const REQUEST = {
  method: { schema: (v) => v.method, flags: "-m, --method <method>", commands: RUNS, about: "method of every request",
    words: ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"], default: D.request.method },
  path: { schema: (v) => v.path, about: "path and query, as they are sent; a URL brings its own", default: D.request.path },
  headers: { schema: (v) => v.headers, flags: "-H, --header <line>", commands: RUNS, kind: "headers",
    about: "headers by name; a list of values for one that is repeated", flagAbout: 'repeatable; a header, "Name: value"' },
  body: { schema: (v) => v.z.string().nullable(), flags: "-b, --body <text>", commands: RUNS, kind: "body",
    about: "body of every request; `null`: none, in an entry of a mix also where `request` has one", flagAbout: "body of every request" },
  bodyFile: { schema: (v) => v.filePath, flags: "--body-file <file>", commands: RUNS, kind: "bodyFile", about: "file that is the body, as it is",
    conflicts: ["body"] },
  bodyEncoding: { oneOf: ["utf8", "base64"], about: "`utf8`, or `base64` for a `body` that is not text", default: "utf8" },
  expectStatus: { schema: (v) => v.statuses, flags: "--expect-status <list>", commands: RUNS, about: "status codes or classes of an ok response",
    default: D.request.expectStatus, example: "200,304" },
  expectBody: { schema: (v) => v.z.string().nullable(), flags: "--expect-body <text>", commands: RUNS,
    about: "exact body of an ok response; `null`: any, in an entry of a mix also where `request` expects one", flagAbout: "exact body of an ok response" },
} as const satisfies Fields;

/** What an entry of a mix has besides. */
// oxfmt-ignore
const ENTRY = {
  name: { schema: (v) => v.name, about: "name in the report", default: "method and path" },
  weight: { schema: (v) => v.weight, about: "how often it is sent, beside the weights of the others", default: `${D.mixWeight}` },
  bodies: { schema: (v) => v.z.array(v.z.string()).min(1).max(v.MOST_BODIES), about: "bodies to send in turn" },
  bodiesFile: { schema: (v) => v.filePath, about: "file of such bodies, one in each line" },
} as const satisfies Fields;

/** A fault as an object. */
// oxfmt-ignore
const FAULT = {
  at: { isNeeded: true, schema: (v) => v.duration, about: "when it is done, from the start of the measurement" },
  kill: { schema: (v) => v.part, about: "part that is ended at once (SIGKILL)" },
  start: { schema: (v) => v.part, about: "part that is started again after `kill` or `stop`" },
  stop: { schema: (v) => v.part, about: "part that is asked to end, as by a deploy" },
  pause: { schema: (v) => v.part, about: "part that stands still (SIGSTOP), like a host that hangs" },
  resume: { schema: (v) => v.part, about: "part that goes on after `pause`" },
  slow: { schema: (v) => v.part, about: "backend whose answers are held back, `by` some time" },
  errors: { schema: (v) => v.part, about: "backend that answers a `share` of its requests with 503" },
  drain: { schema: (v) => v.part, about: "backend that gets no more requests from the balancer" },
  restore: { schema: (v) => v.part, about: "backend that gets requests again after `drain`" },
  reload: { schema: (v) => v.part, about: "balancer program that reads its configuration again" },
  roll: { schema: (v) => v.part, about: "`backends`: each is stopped and started, one after the other" },
  by: { schema: (v) => v.duration, about: "of `slow`: how long answers are held back, or 0 to end it", example: "200ms" },
  share: { schema: (v) => v.share, about: "of `errors`: share of the requests, or 0 to end it", example: "50%" },
} as const satisfies Fields;

/** A search. */
// oxfmt-ignore
const SEARCH = {
  by: { oneOf: ["connections", "rate"], flags: "--by <what>", commands: ["max"],
    about: "`connections`, or `rate`: requests per second of an open loop", default: D.search.by },
  start: { schema: (v) => v.count, flags: "--start <value>", commands: ["max"], kind: "number", about: "the first value that is tried",
    default: either(D.search.start) },
  growth: { schema: (v) => v.factor, about: "factor from a value that held to the next one", default: `${D.search.growth}` },
  most: { schema: (v) => v.count, flags: "--most <value>", commands: ["max"], kind: "number", about: "the largest value that is tried",
    default: either(D.search.most) },
  resolution: { schema: (v) => v.ratio, flags: "--resolution <share>", commands: ["max"], kind: "share",
    about: "the search ends when what held and what did not differ by this share, or by 1", default: `${D.search.resolution}` },
  needed: { schema: (v) => v.count, flags: "--needed <count>", commands: ["max"], kind: "number",
    about: "how many of the trials of a level have to hold", default: "more than half" },
  beyond: { schema: (v) => v.factor, flags: "--beyond <factor>", commands: ["max"], kind: "share",
    about: "one more run, at this many times the limit", example: "1.25" },
} as const satisfies Fields;

/** A ramp. */
// oxfmt-ignore
const RAMP = {
  from: { schema: (v) => v.count, flags: "--from <users>", commands: ["ramp"], kind: "number", about: "users at the start",
    default: `${D.ramp.from}` },
  to: { schema: (v) => v.count, flags: "--to <users>", commands: ["ramp"], kind: "number", about: "users in the end", default: `${D.ramp.to}` },
  over: { schema: (v) => v.someTime(), flags: "--over <time>", commands: ["ramp"], about: "time over which users are added",
    default: seconds(D.ramp.riseMs) },
  steps: { schema: (v) => v.countOr("none").transform((steps) => (steps === "none" ? null : steps)), flags: "--steps <count>", commands: ["ramp"],
    kind: "number", about: "equal steps in which users are added, each at its end, or `none`", default: "one user after the other" },
  hold: { schema: (v) => v.someTime(": the last user comes when it begins"), flags: "--hold <time>", commands: ["ramp"],
    about: "how long all users stay", default: `${seconds(D.ramp.holdMs)}, with steps as long as each of them` },
} as const satisfies Fields;

/** How connections are held. */
// oxfmt-ignore
const HOLD = {
  for: { schema: (v) => v.someTime(), flags: "--for <time>", commands: ["hold"], about: "how long they are held",
    default: `${seconds(D.hold.durationMs)}, with faults at least ${seconds(D.faults.afterMs)} after the last` },
  every: { schema: (v) => v.someTime(), flags: "--every <time>", commands: ["hold"],
    about: "how often each sends a request; servers close connections that idle for longer than they allow",
    default: `${seconds(D.hold.everyMs)}, or once where they are held for less` },
  burst: { schema: (v) => v.count, flags: "--burst <connections>", commands: ["hold"], kind: "number",
    about: "connections that are busy for a while beside them, told apart", default: "none" },
} as const satisfies Fields;

/** A comparison of policies. */
// oxfmt-ignore
const POLICIES = {
  scenario: { oneOf: POLICY_SCENARIO_NAMES, about: "what the backends do", default: D.policies.scenario },
  only: { schema: (v) => v.z.array(v.name).min(1), flags: "--policy <name>", commands: ["policies"], kind: "repeat",
    about: "policies to compare", flagAbout: "repeatable; a policy to compare",
    default: "all that a balancer can do, but for those by weight and by hash" },
  within: { schema: (v) => v.someTime(), flags: "--within <time>", commands: ["policies"],
    about: "deadline: what is answered later is no success", default: "that of the scenario" },
  slow: { schema: (v) => v.slow, flags: "--slow <text>", commands: ["policies"],
    about: "which backend of `one-slow` answers later, by how much, and when", default: "that of the scenario",
    example: "'backend-1 by 2s from 10s to 40s'" },
  backends: { schema: (v) => v.z.union([v.processes, v.z.array(v.name).min(1).max(v.MOST_PROCESSES)], "expected a number of backends, or a list with the handler of each"),
    flags: "--backends <count>", commands: ["policies"], kind: "number",
    about: "how many backends, or a list with the handler of each", flagAbout: "how many backends", default: `${D.policies.backends}` },
  handler: { schema: (v) => v.name, flags: "--handler <spec>", commands: ["policies"], about: "what each backend does",
    default: D.policies.handler },
} as const satisfies Fields;

/** What a config file may say, and a caller of the library: everything has a default. */
// oxfmt-ignore
export const CONFIG = {
  $schema: { schema: (v) => v.z.string(), about: "address of the JSON schema, for editors", example: "./node_modules/lbbench/config.schema.json" },
  name: { schema: (v) => v.name, flags: "--name <name>", commands: [...RUNS, "import"], about: "name of the run, and of its folder", default: "name of the command" },
  targets: group(
    { about: "names of servers, URLs, or objects with a name, a server and its options", default: OWN_TARGETS.join(", "),
      page: "servers.md", isList: true,
      in: { faults: { default: D.faults.targets.join(", ") }, policies: { default: D.policies.targets.join(", ") } } },
    TARGET,
    (target, v) => v.z.array(v.z.union([v.z.string(), target.transform(v.withReferences)],
      "expected the name of a server, a URL, or an object with name and server")).min(1)),
  reference: { schema: (v) => v.z.string(), flags: "--reference <name>", commands: ["sweep", "faults", "ramp"],
    about: "name of the target that the others are compared with", default: "the first", action: "reference" },
  connections: { schema: (v) => v.counts, flags: "-c, --connections <list>", commands: ["sweep", "policies", "hold", "init"],
    about: "levels of a closed loop: connections kept busy", default: D.connections.join(","), action: "connections", example: "10:100:10",
    in: { hold: { about: "levels: connections that are opened and held", default: D.hold.connections.join(","), example: "1000,10000,50000" }, policies: { about: "connections of a closed loop, in place of a rate", default: "none", example: "50" } } },
  rate: { schema: (v) => v.counts, flags: "-r, --rate <list>", commands: ["sweep", "faults", "policies"],
    about: "levels of an open loop, in place of connections: requests per second, sent on schedule", action: "rate",
    default: `${D.faults.rate} with faults, unless there are connections`, example: "500:2000:500",
    in: { faults: { about: "levels: requests per second, sent on schedule", default: `${D.faults.rate}` }, policies: { about: "requests per second, sent on schedule", default: "that of the scenario", example: "500" } } },
  arrival: { about: "with `rate`: how requests arrive", fields: ARRIVAL },
  requests: { schema: (v) => v.counts, flags: "-n, --requests <list>", commands: ["sweep", "policies"],
    about: "requests per step; several values make a matrix with the levels", action: "requests", example: "1000,10000",
    in: { policies: { about: "requests per step, in place of a time; not with faults" } } },
  duration: { schema: (v) => v.someTime(), flags: "-d, --duration <time>", commands: ["sweep", "faults", "policies", "max", "init"],
    about: "time per step, in place of requests",
    default: `${seconds(D.durationMs)}, of rates and ab ${seconds(D.rateDurationMs)}, with faults ${seconds(D.faults.afterMs)} after the last`,
    action: "duration",
    in: { max: timedStep(D.search.durationMs), policies: { about: "time per step", default: `from ${seconds(D.policies.durationMs)}` }, init: { about: "time per step", default: "that of each command" }, faults: { about: "time per step", default: `${seconds(D.faults.usualDurationMs)}, with faults of your own ${seconds(D.faults.afterMs)} after the last` } } },
  trials: { schema: (v) => v.countOr("auto"), flags: "--trials <count>", commands: RUNS, kind: "number",
    about: "starts of every target, each measured at every level; a claim takes several. `auto`: as many as decide every comparison", words: ["auto"],
    default: `${D.trials}, with a margin auto, with requests or faults ${D.trialsOfOthers}`, action: "trials", page: "methodology.md#why-trials",
    in: { max: { about: "most repetitions of every level", words: [], default: `${D.search.trials}` }, ramp: { about: "starts of every target; a claim takes several", words: [], default: `${D.trialsOfOthers}` }, policies: { about: "starts of every target; a claim takes several", words: [], default: "as few as can tell a difference" }, faults: { about: "starts of every target; a claim takes several", words: [], default: `${D.trialsOfOthers}` }, hold: { about: "starts of every target, each of which holds every level", words: [], default: `${D.trialsOfOthers}` } } },
  warmup: { schema: (v) => v.z.union([v.z.literal("auto"), v.duration], `${v.TIME_EXPECTED}, or "auto"`), flags: "--warmup <time>", commands: RUNS,
    about: "load before the measurement that is not counted: `auto` until throughput is steady, a time, or 0 for none", words: ["auto", "0"],
    default: `${D.warmup}, with requests ${D.warmupOfRequestsMs}ms`, action: "warmup", page: "methodology.md#warm-up",
    in: { max: { default: D.warmup }, ramp: { default: D.warmup }, faults: { default: D.warmup }, hold: { default: D.warmup }, policies: { default: `${D.policies.warmupMs}ms` } } },
  restart: { oneOf: ["trial", "step"], flags: "--restart <when>", commands: STEADY_RUNS,
    about: "when targets are started again: for every `trial`, or for every `step`", default: `${D.restart}, with faults step`,
    page: "methodology.md#how-long-a-target-lives", in: { max: { default: D.restart }, ramp: { default: D.restart } } },
  timeout: { schema: (v) => v.someTime(), flags: "--timeout <time>", commands: RUNS, about: "longest wait for an answer",
    default: seconds(D.timeoutMs), action: "timeout", in: { max: { default: seconds(D.search.timeoutMs) } } },
  keepAlive: { schema: (v) => v.z.boolean(), flags: "--no-keepalive", commands: BUSY_RUNS, refusedIn: ["hold"], value: false, about: "`false`: a connection for each request",
    flagAbout: "open a connection for each request", default: `${D.keepAlive}`, action: "keep-alive",
    in: { action: { about: "`false` opens a connection for each request" } } },
  requestsPerConnection: { schema: (v) => v.count, flags: "--requests-per-connection <count>", commands: BUSY_RUNS, kind: "number",
    about: "requests that a connection sends before it is closed", default: "no limit", page: "loads.md#connections" },
  connectTo: { schema: (v) => v.place, flags: "--connect-to <place>", commands: BUSY_RUNS, refusedIn: ["hold"],
    about: "connect to `host:port`, or to the socket of `unix:/path`, in place of the address of the URL", default: "the address of the URL",
    example: "127.0.0.1:8443" },
  tls: { about: "how TLS is spoken", page: "loads.md#connections", fields: TLS },
  httpVersion: { schema: (v) => v.z.enum(["1.1", "2"], 'expected "1.1" or "2"'), flags: "--http2", commands: BUSY_RUNS, refusedIn: ["hold"], value: "2",
    about: "`1.1` or `2`: HTTP/2, without asking over http://, negotiated over https://",
    flagAbout: "speak HTTP/2, without asking over http://, negotiated over https://", default: D.httpVersion },
  insecure: { schema: (v) => v.z.boolean(), flags: "--insecure", commands: RUNS, value: true, about: "`true`: accept any certificate",
    flagAbout: "accept any certificate, as curl -k does", default: `${D.insecure}` },
  serverTiming: { schema: (v) => v.z.boolean(), flags: "--server-timing", commands: RUNS, value: true,
    about: "`true`: split latency by what servers tell in `Server-Timing`",
    flagAbout: "split latency by what backends and balancers tell in Server-Timing; those that lbbench starts tell it then", default: `${D.serverTiming}`,
    page: "reading-a-report.md#where-the-time-goes" },
  engine: { schema: (v) => v.z.string(), flags: "--engine <name>", commands: RUNS, about: "what generates the load",
    words: [D.engine, ...ENGINE_NAMES], default: D.engine, action: "engine", page: "engines.md",
    in: { action: { about: `what generates the load: ${ENGINE_NAMES.join(", ")}` } } },
  engines: { schema: (v) => v.z.record(v.z.string(), v.options), about: "options of engines, by name", example: '{"wire": {"streams": 10}}' },
  generators: { schema: (v) => v.z.union([v.z.literal("auto"), v.processes], `${v.PROCESSES_EXPECTED}, or "auto"`), flags: "--generators <count>", commands: RUNS, kind: "number",
    about: "processes that the load is split over, or `auto`: more than one where one is not enough", words: [D.generators], default: D.generators,
    page: "methodology.md#generators" },
  workers: { schema: (v) => v.workers, flags: "--workers <where>", commands: STEADY_RUNS, refusedIn: ["faults", "policies", "hold"],
    about: "machines that generate the load: `ssh:gen1,gen2` starts a worker on each, `wait:3` waits a minute for 3 that you start, `wait:3:5m` five minutes",
    default: "this machine alone", page: "many-machines.md" },
  workersListen: { schema: (v) => v.address, flags: "--workers-listen <address>", commands: STEADY_RUNS, refusedIn: ["faults", "policies", "hold"],
    about: "with workers: address, or address:port, at which they find the master; its port is not encrypted",
    default: `${D.workers.host}:${D.workers.port}`, example: "10.0.0.1" },
  workersCommand: { schema: (v) => v.z.string().min(1), flags: "--workers-command <command>", commands: STEADY_RUNS, refusedIn: ["faults", "policies", "hold"],
    about: "with workers by ssh: what starts lbbench there, for the shell of that machine", default: "npx, which gets this version",
    example: "/opt/lbbench/bin/lbbench" },
  retryLost: { schema: (v) => v.z.boolean(), flags: "--retry-lost", commands: STEADY_RUNS, refusedIn: ["faults", "policies", "hold"],
    about: "with workers: a step that lost one is measured once more when all are there again", default: "false" },
  request: group(
    { about: "what is sent, and what is expected" },
    REQUEST,
    (request, v) => request.superRefine(v.checkBodies)),
  mix: group(
    { flags: "--mix <file>", commands: RUNS, kind: "mixFile",
      about: "several requests in place of one, each as often as its weight says: a list",
      flagAbout: "file of JSON with a list of requests in place of one, each as often as its weight says",
      page: "loads.md#several-requests", isList: true },
    { ...ENTRY, ...REQUEST },
    (entry, v) => v.z.array(entry.superRefine(v.checkBodies)).min(1).max(v.MOST_ENTRIES)),
  faults: group(
    { flags: "--fault <text>", commands: ["sweep", "faults", "hold"], kind: "repeat",
      about: "what is done to every target while it is measured, and when: texts, or objects as below",
      flagAbout: "repeatable; what is done to a part of every target while it is measured, and when",
      default: "none", example: '"kill backend-2 at 3s"', page: "faults.md", action: "faults",
      in: { faults: { default: "the usual ones" }, action: { about: "what is done to every target while it is measured", example: "kill backend-2 at 3s" } }, isList: true },
    FAULT,
    (fault, v) => v.z.array(v.z.union([v.parsed(v.parseFault), fault.transform(v.reading(v.faultOf))],
      `${v.parseFault.expected}, or an object such as { at: "3s", kill: "backend-2" }`))),
  thresholds: { schema: (v) => v.z.array(v.threshold), flags: "--threshold <expression>", commands: [...RUNS, "import", "init"], kind: "repeat",
    about: "conditions that every level has to meet: `errors<1%`, `throughput>1000`, with faults `lost<10` or `recovery<2s`, or on latency",
    flagAbout: "repeatable; condition that every level has to meet: errors<1%, throughput>1000, or on latency", action: "thresholds",
    example: "p99<50ms",
    in: { max: { default: D.search.threshold }, policies: { about: "repeatable; condition that every policy has to meet: within>99%, errors<1%, or on latency", example: "within>99%" }, faults: { about: "repeatable; condition that every fault or level has to meet: lost<10, recovery<2s, errors<1%, or on latency" }, init: { default: D.init.thresholds.join(" ") } } },
  margin: { schema: (v) => v.margin, flags: "--margin <share>", commands: ["sweep", "faults", "ramp", "compare"],
    about: "fail where another target is worse than the reference by more than this", action: "margin", example: "5%",
    in: { compare: { about: "by how much throughput and latency may be worse", default: percent(D.margin) }, action: { about: "by how much throughput and latencies may be worse than those of the reference or of the baseline", default: `${percent(D.margin)} for the baseline` } } },
  errorMargin: { schema: (v) => v.margin, commands: ["sweep", "faults", "ramp"], about: "with `margin`: by how much the share of failed requests may be higher",
    default: percent(D.errorMargin) },
  stopOn: { schema: (v) => v.z.array(v.z.union([v.threshold, v.z.literal("thresholds")])), flags: "--stop-on <expression>",
    commands: ["sweep", "faults"], kind: "repeat",
    about: "conditions; where a step meets one, higher levels of its target are left out; or `thresholds`",
    flagAbout: "repeatable; when a step meets this condition, higher levels of its target are left out; thresholds: when it misses one",
    example: "errors>10%" },
  order: { oneOf: ["interleaved", "random"], flags: "--order <order>", commands: ["sweep", "faults", "policies", "ramp", "hold"],
    about: "order of the steps: `interleaved` or `random`", default: D.order },
  seed: { schema: (v) => v.seed, flags: "--seed <number>", commands: RUNS, kind: "number",
    about: "of what is drawn at random: the order of the steps, and the gaps of `poisson`", default: `${D.seed}`,
    in: { max: { about: "seed of the gaps of `poisson`, which are drawn at random" }, ramp: { about: "seed of the order `random`" } } },
  search: { about: "how `lbbench max` searches", page: "loads.md#the-largest-load-that-holds", fields: SEARCH },
  ramp: { about: "how the users of `lbbench ramp` come", page: "loads.md#rising-users", fields: RAMP },
  hold: { about: "how `lbbench hold` holds connections", page: "loads.md#connections-that-are-held", fields: HOLD },
  policies: { about: "what `lbbench policies` compares", page: "policies.md", fields: POLICIES },
  out: { schema: (v) => v.z.string().min(1, "expected the path of a folder"), flags: "-o, --out <dir>", commands: [...RUNS, "report", "import"],
    about: "folder of the report", default: `${D.outFolder}/NAME-TIMESTAMP`, action: "out",
    in: { report: { default: "that of the result" }, action: { about: "folder of the report, seen from the working directory" } } },
  formats: { schema: (v) => v.z.array(v.z.string()).min(1), flags: "-f, --format <list>", commands: [...RUNS, "report", "import"], kind: "list",
    resumes: true, about: `formats of the report, beside result.json: ${FORMAT_NAMES.join(", ")}`, words: FORMAT_NAMES, default: D.formats.join(","),
    action: "formats", page: "formats.md",
    in: { action: { about: `formats of the report: ${FORMAT_NAMES.filter((name) => name !== "png").join(", ")}`, default: "md,html" } } },
  charts: { oneOf: CHART_STYLES, flags: "--charts <style>", commands: [...RUNS, "report", "import"], kind: "word", resumes: true,
    about: "charts in Markdown: `png`, `mermaid` or `none`", default: D.charts },
} as const satisfies Fields;

/** The commands that a row, or a row of its fields, names. */
type CommandsOf<Row> =
  | (Row extends { readonly commands: readonly (infer Command)[] } ? Command : never)
  | (Row extends { readonly refusedIn: readonly (infer Command)[] } ? Command : never)
  | (Row extends { readonly fields: infer Rows } ? { [Key in keyof Rows]: CommandsOf<Rows[Key]> }[keyof Rows] : never);
function commandsOf({ commands = [], refusedIn = [], fields = {} }: Field): readonly SettingCommand[] {
  return [...commands, ...refusedIn, ...Object.values(fields).flatMap(commandsOf)];
}

type ConfigKey = keyof typeof CONFIG;
/** Settings that are for other commands than this one. */
type UnusedIn<Command> = {
  [Key in ConfigKey]: Command extends CommandsOf<(typeof CONFIG)[Key]>
    ? never
    : [CommandsOf<(typeof CONFIG)[Key]>] extends [never]
      ? never
      : Key;
}[ConfigKey];

/** Settings of a config file that are for other commands: a run of `command` has no use for them. */
export function unusedIn<Command extends SettingCommand>(command: Command): readonly UnusedIn<Command>[] {
  const unused = Object.entries<Field>(CONFIG).flatMap(([key, row]) => {
    const users = commandsOf(row);
    return users.length === 0 || users.includes(command) ? [] : [key];
  });
  return unused as UnusedIn<Command>[];
}

/** Settings that a sweep has no use for; of a config file for others as well `lbbench sweep` leaves them out. */
export const NOT_IN_SWEEP = unusedIn("sweep");
/** Settings that a run of faults has no use for; of a config file for others as well `lbbench faults` leaves them out. */
export const NOT_IN_FAULTS = unusedIn("faults");
/** Settings that a comparison of policies has no use for; of a config file for others as well `lbbench policies` leaves them out. */
export const NOT_IN_POLICIES = unusedIn("policies");
/** Settings that a search has no use for; of a config file for others as well `lbbench max` leaves them out. */
export const NOT_IN_SEARCH = unusedIn("max");
/** Settings that a ramp has no use for; of a config file for others as well `lbbench ramp` leaves them out. */
export const NOT_IN_RAMP = unusedIn("ramp");
/** Settings that a run with connections held has no use for; of a config file for others as well `lbbench hold` leaves them out. */
export const NOT_IN_HOLD = unusedIn("hold");

/** Options of engines, which an engine checks itself. */
// oxfmt-ignore
const OF_ENGINES: readonly Setting[] = [
  { path: "engines.wire.streams", flags: "--streams <count>", commands: BUSY_RUNS, kind: "number", about: "HTTP/2: users that share a connection",
    default: `${D.wire.streams}` },
  { path: "engines.wire.events", flags: "--events <count>", commands: BUSY_RUNS, kind: "number",
    about: "server-sent events: end each stream after so many, and tell the time to the first and between them" },
  { path: "engines.grpc.proto", flags: "--proto <file>", commands: STEADY_RUNS, kind: "path", about: "gRPC: file that describes the service",
    default: "that of the sample service" },
  { path: "engines.grpc.call", flags: "--call <method>", commands: STEADY_RUNS,
    about: "gRPC: method to call, as package.Service/Method; the body is its message, as JSON" },
  { path: "engines.grpc.channels", flags: "--channels <count>", commands: STEADY_RUNS, kind: "number",
    about: "gRPC: connections that the calls share", default: `${D.grpc.channels}` },
  { path: "engines.websocket.sockets", flags: "--sockets <count>", commands: RUNS, kind: "number",
    about: "WebSocket: with a rate, connections that the messages go over in turn", default: `${D.websocket.sockets}` },
  { path: "engines.grpc.deadline", flags: "--deadline <time>", commands: STEADY_RUNS,
    about: "gRPC: how long a call may take, which the server is told; then it ends with DEADLINE_EXCEEDED" },
];

/** Flags that name targets, in the forms that commands take. */
// oxfmt-ignore
const OF_TARGETS: readonly Setting[] = [
  { flags: "-t, --target <name>", commands: RUNS, kind: "repeat", action: "targets",
    about: "repeatable; a built-in server, a name from the config file, or a URL", words: SERVER_NAMES, default: OWN_TARGETS.join(", "),
    in: { faults: { about: "repeatable; a built-in server, or a name from the config file", default: D.faults.targets.join(", ") }, policies: { about: "repeatable; a balancer: a built-in server, or a name from the config file", default: D.policies.targets.join(", ") }, action: { about: "built-in servers, names from the config file, URLs, or plugins by path or package" } } },
  { flags: "-t, --target <A=B>", commands: ["compare"], kind: "repeat",
    about: "repeatable; compare a target of A with one of B, or one that both have", default: "those of the same name" },
  { flags: "-t, --target <name>", commands: ["import"], about: "name of the target, where all runs are of one",
    default: "host, port and path, or the file" },
];

/** Flags that a command itself reads. */
// oxfmt-ignore
const OF_COMMANDS: readonly Setting[] = [
  { flags: "-c, --connections <n>", commands: ["import"], kind: "some", about: "connections of runs that do not tell them (hey, oha)" },
  { flags: "-d, --duration <time>", commands: ["import"], about: "time that runs were asked to last, where they do not tell it (ab -t)" },
  { flags: "--force", commands: [...RUNS, "import", "report"], about: "with -o: write over the report that is in the folder" },
  { flags: "-f, --format <format>", commands: ["compare"], kind: "word", about: "md or text", words: ["md", "text"],
    default: "text on a terminal, else md" },
  { flags: "--config <file>", commands: RUNS, resumes: true, about: "config file", default: "lbbench.config.{ts,js,mjs,json}, if there is one",
    action: "config", in: { action: { about: "config file, seen from the working directory" } } },
  { flags: "--resume <dir>", commands: RUNS,
    about: "go on with the interrupted run of this folder: measure what is missing, failed or was cut short" },
  { flags: "--live", commands: RUNS, resumes: true,
    about: "show the run on a page of this machine while it goes on; its address is printed on stderr" },
  { flags: "--live-port <port>", commands: RUNS, kind: "port", needs: "--live", resumes: true, about: "with --live: port of that page",
    default: "one that is free" },
  { flags: "--quiet", commands: [...RUNS, "report", "compare", "import"], resumes: true, about: "print nothing but errors" },
  { flags: "--verbose", commands: [...RUNS, "import"], conflicts: ["quiet"], resumes: true, about: "print all that was noticed in full" },
  { flags: "--json", commands: [...RUNS, "import", "compare"], resumes: true, about: "print the result as JSON on stdout, and nothing else there",
    in: { compare: { about: "print the comparison as JSON, and nothing else" } } },
  { flags: "--json-lines", commands: RUNS, conflicts: ["json"], resumes: true,
    about: "print each step as a line of JSON on stdout when it ends, and nothing else there" },
];

/**
 * Every setting: one row each. Help, completion, the reading of flags, their names in messages, the check of an input, the types of the
 * library, the inputs of the Action, `docs/config.md` and `config.schema.json` are made of these rows.
 */
export const SETTINGS: readonly Setting[] = [...OF_TARGETS, ...settingsIn(CONFIG), ...OF_ENGINES, ...OF_COMMANDS];

/** The rows of a command that have flags, as that command says them; what a switch sets is no default of it. */
export function settingsOf(command: SettingCommand): readonly Setting[] {
  return SETTINGS.filter(({ flags, commands = [] }) => flags !== undefined && commands.includes(command)).map(
    ({ default: otherwise, ...setting }) => ({
      ...setting,
      about: setting.flagAbout ?? setting.about,
      ...defined({ default: otherwise === undefined || flagOf(setting) === setting.flags ? undefined : otherwise }),
      ...setting.in?.[command],
    }),
  );
}

/** The flag that a setting was given with: `-m, --method` for `request.method`. */
export function nameFlag(path: readonly PropertyKey[]): string {
  return flagAt(path) ?? "command line";
}

/** ` (--channels)` for a setting that has a flag, to be put behind its place; else nothing. */
export function flagInBrackets(path: readonly PropertyKey[]): string {
  const flag = flagAt(path);
  return flag === undefined ? "" : ` (${flag})`;
}

function flagAt(path: readonly PropertyKey[]): string | undefined {
  const isAbove = ({ flags, path: own = "?" }: Setting): boolean =>
    flags !== undefined && own.split(".").every((key, index) => String(path[index]) === key);
  const found = SETTINGS.find(isAbove);
  return found && flagOf(found);
}
