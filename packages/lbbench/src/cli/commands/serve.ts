import { GRPC_DEFAULTS, POOL_DEFAULTS } from "@lbbench/backends/defaults";
import { DEFAULTS } from "../../config/defaults.js";
import type { Command } from "../io.js";
import type { SampleSetting } from "../samples.js";

/** Kinds of sample servers. */
const KINDS = ["single", "cluster", "pool", "grpc", "grpc-gateway"] as const;
const HTTP_KINDS = ["single", "cluster", "pool", "grpc"];

/** The flags of `lbbench serve`; the path of one is its place in the options of the server. */
// oxfmt-ignore
export const SAMPLE_SETTINGS: readonly SampleSetting[] = [
  { path: "port", flags: "-p, --port <port>", kinds: KINDS, kind: "port",
    about: "0 takes a free one", default: `${DEFAULTS.servePort}` },
  { path: "host", flags: "--host <address>", kinds: KINDS,
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
  { path: "policy", flags: "--policy <policy>", kinds: ["pool"], kind: "word",
    about: "pool: what to do when the queue is full: block, drop-tail, drop-head or simple",
    words: ["block", "drop-tail", "drop-head", "simple"], default: POOL_DEFAULTS.policy },
  { path: "refusal", flags: "--refuse-by-closing", kinds: ["pool"], value: "close",
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

/** `lbbench serve`. */
export const serveCommand: Command = {
  name: "serve",
  summary: "run a sample backend alone",
  about:
    "Runs a sample backend alone, until it is interrupted: one process, a cluster of workers on one port, a pool of threads " +
    "with a queue, a gRPC service, or an HTTP server that calls one.",
  arguments: [
    { name: "[kind]", about: "single, cluster, pool, grpc or grpc-gateway", default: "single", words: KINDS },
  ],
  settings: SAMPLE_SETTINGS,
  examples: ["serve --handler cpu:2ms", "serve cluster --workers 4 --port 8081", "serve pool --pool 8 --queue 20"],
  execute: async (invocation) => (await import("../samples.js")).serveSample(KINDS, SAMPLE_SETTINGS, invocation),
};
