import { BALANCER_DEFAULTS } from "@lbbench/proxy/defaults";
import { DEFAULTS } from "../../config/defaults.js";
import type { Setting } from "../../config/settings.js";
import type { BalancerFlags } from "../balancer.js";
import type { Command } from "../io.js";

const { timeouts, limits, activeHealth } = BALANCER_DEFAULTS;

/** The flags of `lbbench proxy`; the path of one is its place in the options of the balancer. Those without a path the command reads. */
// oxfmt-ignore
export const BALANCER_SETTINGS: readonly Setting[] = [
  { flags: "--backend <url>", kind: "repeat",
    about: "repeatable; http://, https://, tcp:// or unix:/path; 'URL weight=3 name=a'", isRequired: true },
  { flags: "-p, --port <port>", kind: "port", about: "0 takes a free one", default: `${DEFAULTS.proxyPort}` },
  { flags: "--host <address>", about: "address to listen at", default: DEFAULTS.host },
  { flags: "--socket <path>", about: "a Unix socket to listen on", conflicts: ["port", "host"] },
  { path: "mode", flags: "--mode <mode>",
    about: "http balances requests, tcp connections", words: ["http", "tcp"], default: BALANCER_DEFAULTS.mode },
  { path: "transport", flags: "--transport <name>",
    about: "what speaks to the backends: undici or http-proxy", words: ["undici", "http-proxy"],
    default: BALANCER_DEFAULTS.transport },
  { path: "policy", flags: "--policy <policy>",
    about: "how a backend is picked, like consistent-hash:header:x-user, or ./mine.mjs", default: DEFAULTS.policy },
  { flags: "--workers <count>", kind: "some", about: "processes that share the work", default: "1" },
  { path: "retries", flags: "--retries <count>", kind: "count",
    about: "tries on other backends for a request that may be repeated", default: `${BALANCER_DEFAULTS.retries}` },
  { path: "health.active.path", flags: "--health-check [path]", value: activeHealth.path,
    about: "ask the backends whether they are well", default: `path ${activeHealth.path}` },
  { path: "health.active.intervalMs", flags: "--health-interval <time>", kind: "time", needs: "--health-check",
    about: "between two of these checks", default: `${activeHealth.intervalMs}ms` },
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
  { path: "tls.cert", flags: "--tls-cert <file>", kind: "content", needs: "--tls-key",
    about: "certificate (PEM), to speak HTTPS with clients; needs --tls-key" },
  { path: "tls.key", flags: "--tls-key <file>", kind: "content", needs: "--tls-cert", about: "its private key (PEM)" },
  { path: "backendTls.ca", flags: "--backend-ca <file>", kind: "content",
    about: "certificates (PEM) to trust of https:// backends" },
  { path: "backendTls.verify", flags: "--backend-insecure", value: false,
    about: "do not verify the certificates of https:// backends" },
  { path: "forwarded", flags: "--forwarded <mode>",
    about: "X-Forwarded-* of clients: replace, append or off", words: ["replace", "append", "off"],
    default: BALANCER_DEFAULTS.forwarded },
  { path: "backendHeader", flags: "--backend-header <name>", about: "header of the answer that names the backend" },
  { flags: "--admin <port>", kind: "port",
    about: "serve figures (/metrics, /stats) and control of the backends on a port of this machine" },
  { flags: "--log [format]", kind: "word", value: "combined",
    about: "print a line for each request: combined (as Apache does) or json", words: ["combined", "json"] },
];

/** `lbbench proxy`. */
export const proxyCommand: Command = {
  name: "proxy",
  summary: "run the balancer alone",
  about: "Runs the balancer alone, until it is interrupted; then prints how many requests each backend was given.",
  settings: BALANCER_SETTINGS,
  examples: [
    "proxy --backend http://127.0.0.1:8080 --backend http://127.0.0.1:8081",
    "proxy --backend 'http://127.0.0.1:8080 weight=3' --backend http://127.0.0.1:8081 --policy least-connections --health-check",
  ],
  execute: async (invocation) =>
    (await import("../balancer.js")).balance(await invocation.read<BalancerFlags>(), invocation),
};
