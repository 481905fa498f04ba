import { GRPC_DEFAULTS, POOL_DEFAULTS } from "@lbbench/backends/defaults";
import type { Command } from "commander";
import { DEFAULTS } from "../config/defaults.js";
import type { RunCommand } from "./io.js";

/** Adds `lbbench serve` and its flags. */
export function addServe(program: Command, run: RunCommand): void {
  program
    .command("serve")
    .summary("run a sample backend alone")
    .description(
      "Runs a sample backend alone, until it is interrupted: one process, a cluster of workers on one port, a pool of threads " +
        "with a queue, a gRPC service, or an HTTP server that calls one.",
    )
    .argument("[kind]", "single, cluster, pool, grpc or grpc-gateway", "single")
    .option("-p, --port <port>", `0 takes a free one (default: ${DEFAULTS.servePort})`)
    .option("--host <address>", `(default: ${DEFAULTS.host})`)
    .option("--workers <count>", `processes of a cluster (default: ${DEFAULTS.clusterWorkers})`)
    .option(
      "--handler <spec>",
      `what it does with a request: hello, json, echo, sleep:10ms, cpu:2ms, work, error:10% (default: ${DEFAULTS.handler})`,
    )
    .option("--pool <count>", `pool: threads (default: ${POOL_DEFAULTS.pool})`)
    .option("--queue <count>", `pool: requests that may wait for a thread (default: ${POOL_DEFAULTS.queue})`)
    .option(
      "--policy <policy>",
      `pool: what to do when the queue is full: block, drop-tail, drop-head or simple (default: ${POOL_DEFAULTS.policy})`,
    )
    .option("--refuse-by-closing", "pool: close the connection of a request that is refused, in place of a 503")
    .option("--admin <port>", "pool: serve what it has counted (/stats) on a port of this machine")
    .option("--max-calls <count>", "grpc: calls in progress beyond which calls are refused (default: no limit)")
    .option("--upstream <url>", "grpc-gateway: the service that it calls, as grpc://host:port")
    .option("--channels <count>", `grpc-gateway: connections to it (default: ${GRPC_DEFAULTS.channels})`)
    .action((kind: string, options) =>
      run(async (invocation) => {
        const { runServeCommand } = await import("./serve-command.js");
        return runServeCommand(kind, options, invocation);
      }),
    );
}
