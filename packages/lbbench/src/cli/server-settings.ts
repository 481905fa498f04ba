import { GRPC_DEFAULTS, POOL_DEFAULTS } from "@lbbench/backends/defaults";
import { BALANCER_DEFAULTS } from "@lbbench/proxy/defaults";
import { DEFAULTS } from "../config/defaults.js";
import type { Setting } from "../config/settings.js";

const { timeouts, limits, activeHealth } = BALANCER_DEFAULTS;

/** The flags of `lbbench proxy`; the path of one is its place in the options of the balancer. Those without a path the command reads. */
// oxfmt-ignore
export const BALANCER_SETTINGS: readonly Setting[] = [
  { flags: "--backend <url>", kind: "repeat",
    about: "repeatable; http://, https://, tcp:// or unix:/path; 'URL weight=3 name=a'", isRequired: true },
  { flags: "-p, --port <port>", about: "0 takes a free one", default: `${DEFAULTS.proxyPort}` },
  { flags: "--host <address>", about: "address to listen at", default: DEFAULTS.host },
  { flags: "--socket <path>", about: "a Unix socket to listen on", conflicts: ["port", "host"] },
  { path: "mode", flags: "--mode <mode>",
    about: "http balances requests, tcp connections", words: ["http", "tcp"], default: BALANCER_DEFAULTS.mode },
  { path: "transport", flags: "--transport <name>",
    about: "what speaks to the backends: undici or http-proxy", words: ["undici", "http-proxy"],
    default: BALANCER_DEFAULTS.transport },
  { path: "policy", flags: "--policy <policy>",
    about: "how a backend is picked, like consistent-hash:header:x-user, or ./mine.mjs", default: DEFAULTS.policy },
  { flags: "--workers <count>", about: "processes that share the work", default: "1" },
  { path: "retries", flags: "--retries <count>", kind: "count",
    about: "tries on other backends for a request that may be repeated", default: `${BALANCER_DEFAULTS.retries}` },
  { flags: "--health-check [path]",
    about: "ask the backends whether they are well", default: `path ${activeHealth.path}` },
  { flags: "--health-interval <time>", about: "between two of these checks", default: `${activeHealth.intervalMs}ms` },
  { path: "health.slowStartMs", flags: "--slow-start <time>", kind: "time",
    about: "time in which a backend that is back gets its full share" },
  { path: "timeouts.connectMs", flags: "--connect-timeout <time>", kind: "time",
    about: "for a connection to a backend", default: `${timeouts.connectMs}ms` },
  { path: "timeouts.responseMs", flags: "--response-timeout <time>", kind: "time",
    about: "for a backend to begin its answer", default: `${timeouts.responseMs}ms` },
  { path: "timeouts.idleMs", flags: "--idle-timeout <time>", kind: "time",
    about: "without a byte in a request or an answer", default: `${timeouts.idleMs}ms` },
  { path: "timeouts.headMs", flags: "--head-timeout <time>", kind: "time",
    about: "for a client to send its headers", default: `${timeouts.headMs}ms` },
  { path: "limits.connectionsPerBackend", flags: "--max-connections <count>", kind: "count",
    about: "requests that a backend is given at a time", default: "no limit" },
  { path: "limits.queuePerBackend", flags: "--queue <count>", kind: "count",
    about: "requests that may wait for one backend", default: `${limits.queuePerBackend}` },
  { path: "timeouts.queueMs", flags: "--queue-timeout <time>", kind: "time",
    about: "how long they may wait", default: `${timeouts.queueMs}ms` },
  { path: "limits.headBytes", flags: "--max-head <bytes>", kind: "count",
    about: "size of the headers", default: `${limits.headBytes}` },
  { path: "limits.bodyBytes", flags: "--max-body <bytes>", kind: "count",
    about: "size of a request's body", default: "no limit" },
  { path: "tls.cert", flags: "--tls-cert <file>", kind: "content",
    about: "certificate (PEM), to speak HTTPS with clients; needs --tls-key" },
  { path: "tls.key", flags: "--tls-key <file>", kind: "content", about: "its private key (PEM)" },
  { path: "backendTls.ca", flags: "--backend-ca <file>", kind: "content",
    about: "certificates (PEM) to trust of https:// backends" },
  { path: "backendTls.verify", flags: "--backend-insecure", kind: "switch", value: false,
    about: "do not verify the certificates of https:// backends" },
  { path: "forwarded", flags: "--forwarded <mode>",
    about: "X-Forwarded-* of clients: replace, append or off", words: ["replace", "append", "off"],
    default: BALANCER_DEFAULTS.forwarded },
  { path: "backendHeader", flags: "--backend-header <name>", about: "header of the answer that names the backend" },
  { flags: "--admin <port>",
    about: "serve figures (/metrics, /stats) and control of the backends on a port of this machine" },
  { flags: "--log [format]",
    about: "print a line for each request: combined (as Apache does) or json", words: ["combined", "json"] },
];

/** A flag of `lbbench serve`, and the kinds of servers that it is for. */
export interface SampleSetting extends Setting {
  readonly kinds: readonly string[];
}

/** Kinds of sample servers. */
export const SAMPLE_KINDS = ["single", "cluster", "pool", "grpc", "grpc-gateway"] as const;
const HTTP_KINDS = ["single", "cluster", "pool", "grpc"];

/** The flags of `lbbench serve`; the path of one is its place in the options of the server. */
// oxfmt-ignore
export const SAMPLE_SETTINGS: readonly SampleSetting[] = [
  { path: "port", flags: "-p, --port <port>", kinds: SAMPLE_KINDS, kind: "port",
    about: "0 takes a free one", default: `${DEFAULTS.servePort}` },
  { path: "host", flags: "--host <address>", kinds: SAMPLE_KINDS,
    about: "address to listen at", default: DEFAULTS.host },
  { path: "handler", flags: "--handler <spec>", kinds: HTTP_KINDS,
    about: "what it does with a request: hello, json, echo, work, sleep:10ms, cpu:2ms, error:10%",
    default: DEFAULTS.handler },
  { path: "workers", flags: "--workers <count>", kinds: ["cluster"], kind: "some",
    about: "processes of a cluster", default: `${DEFAULTS.clusterWorkers}` },
  { path: "pool", flags: "--pool <count>", kinds: ["pool"], kind: "some",
    about: "pool: threads", default: `${POOL_DEFAULTS.pool}` },
  { path: "queue", flags: "--queue <count>", kinds: ["pool"], kind: "count",
    about: "pool: requests that may wait for a thread", default: `${POOL_DEFAULTS.queue}` },
  { path: "policy", flags: "--policy <policy>", kinds: ["pool"],
    about: "pool: what to do when the queue is full: block, drop-tail, drop-head or simple",
    words: ["block", "drop-tail", "drop-head", "simple"], default: POOL_DEFAULTS.policy },
  { path: "refusal", flags: "--refuse-by-closing", kinds: ["pool"], kind: "switch", value: "close",
    about: "pool: close the connection of a request that is refused, in place of a 503" },
  { path: "adminPort", flags: "--admin <port>", kinds: ["pool"], kind: "port",
    about: "pool: serve what it has counted (/stats) on a port of this machine" },
  { path: "maxCalls", flags: "--max-calls <count>", kinds: ["grpc"], kind: "some",
    about: "grpc: calls in progress beyond which calls are refused", default: "no limit" },
  { path: "upstream", flags: "--upstream <url>", kinds: ["grpc-gateway"],
    about: "grpc-gateway: the service that it calls, as grpc://host:port" },
  { path: "channels", flags: "--channels <count>", kinds: ["grpc-gateway"], kind: "some",
    about: "grpc-gateway: connections to it", default: `${GRPC_DEFAULTS.channels}` },
];
