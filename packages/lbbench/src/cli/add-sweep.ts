import { Option, type Command } from "commander";
import { CHART_STYLES } from "../config/chart-styles.js";
import { DEFAULTS } from "../config/defaults.js";
import { FORMAT_NAMES } from "../config/format-names.js";
import { collect } from "./collect.js";
import type { RunCommand } from "./io.js";

/** Adds `lbbench sweep` and its flags. */
export function addSweep(program: Command, run: RunCommand): void {
  program
    .command("sweep")
    .summary("sweep levels of load over one or more targets")
    .description(
      `Sweeps levels of load over one or more targets, judges what was measured and leaves a report.\n` +
        `Without a URL or a target it compares three of its own: ${DEFAULTS.targets.map(({ name }) => name).join(", ")}.`,
    )
    .argument("[url]", "a server that is running")
    .option(
      "-c, --connections <list>",
      `levels: connections kept busy; 10:100:10 is a range (default: ${DEFAULTS.connections.join(",")})`,
    )
    .option(
      "-r, --rate <list>",
      "levels of an open loop in place of -c: requests per second, whether or not they are answered",
    )
    .option("--poisson", "with -r: requests leave at random, with an exponential distribution of the gaps")
    .option("--max-in-flight <count>", `with -r: requests open at a time (default: ${DEFAULTS.arrival.maxInFlight})`)
    .option("-n, --requests <list>", "requests per step; several values make a matrix")
    .option("-d, --duration <time>", `time per step, in place of -n (default: ${DEFAULTS.durationMs / 1000}s)`)
    .option("-t, --target <name>", "repeatable; a built-in server, a name from the config file, or a URL", collect)
    .option("--reference <name>", "target that the others are compared with (default: the first)")
    .option("--margin <share>", "fail where another target is worse than the reference by more than this, such as 5%")
    .option("--trials <count>", `repetitions of every step (default: ${DEFAULTS.trials})`)
    .option(
      "--warmup <time>",
      `load before each step that is not counted, 0 for none (default: ${DEFAULTS.warmup}, until throughput is steady; with -n ${DEFAULTS.warmupOfRequestsMs}ms)`,
    )
    .option("--restart <when>", `targets are started for every trial or step (default: ${DEFAULTS.restart})`)
    .option("--timeout <time>", `longest wait for an answer (default: ${DEFAULTS.timeoutMs / 1000}s)`)
    .option("--no-keepalive", "a connection for each request")
    .option("--http2", "HTTP/2: without asking over http://, negotiated over https://")
    .option("--streams <count>", `HTTP/2: users that share a connection (default: ${DEFAULTS.undici.streams})`)
    .option("--engine <name>", `what generates the load (default: ${DEFAULTS.engine})`)
    .option("--generators <count>", `processes the load is split over, or auto (default: ${DEFAULTS.generators})`)
    .option("--proto <file>", "gRPC: file that describes the service (default: that of the sample service)")
    .option("--call <method>", "gRPC: method to call, as package.Service/Method; -b is its message, as JSON")
    .option("--channels <count>", `gRPC: connections that the calls share (default: ${DEFAULTS.grpc.channels})`)
    .option("-m, --method <method>", `(default: ${DEFAULTS.request.method})`)
    .option("-H, --header <line>", 'repeatable; "Name: value"', collect)
    .option("-b, --body <text>", "body of every request")
    .addOption(new Option("--body-file <file>", "body of every request, from a file").conflicts("body"))
    .option("--mix <file>", "requests to send in place of one, each as often as its weight says: a list, JSON")
    .option("--expect-status <list>", `status codes of a good answer (default: ${DEFAULTS.request.expectStatus})`)
    .option("--expect-body <text>", "exact body of a good answer")
    .option("--threshold <expression>", "repeatable; 'p99<50ms' 'errors<1%' 'throughput>1000'", collect)
    .option(
      "--stop-on <expression>",
      "repeatable; where a step has it, higher levels of its target are left out: 'errors>10%', or thresholds",
      collect,
    )
    .option("--order <order>", `of the steps: interleaved or random (default: ${DEFAULTS.order})`)
    .option("--seed <number>", `another random order, and another schedule with --poisson (default: ${DEFAULTS.seed})`)
    .option("--name <name>", `name of the run (default: ${DEFAULTS.name})`)
    .option("-o, --out <dir>", `folder of the report (default: ${DEFAULTS.outFolder}/NAME-TIMESTAMP)`)
    .option(
      "-f, --format <list>",
      `formats of the report, beside result.json: ${FORMAT_NAMES.join(", ")} (default: ${DEFAULTS.formats.join(",")})`,
    )
    .option("--charts <style>", `in Markdown: ${CHART_STYLES.join(", ")} (default: ${DEFAULTS.charts})`)
    .option("--config <file>", "config file (default: lbbench.config.{ts,js,mjs,json}, if there is one)")
    .option(
      "--resume <dir>",
      "go on with the interrupted run whose report is in this folder: measure what is missing, failed or was cut short",
    )
    .option("--live", "show the run while it goes on, on a page of this machine; its address is printed on stderr")
    .option("--live-port <port>", "with --live: port of that page (default: one that is free)")
    .option("--quiet", "print nothing but errors")
    .option("--json", "print the result on stdout, and nothing else there")
    .action((url: string | undefined, options) =>
      run(async (invocation) => {
        const { runSweepCommand } = await import("./sweep-command.js");
        return runSweepCommand(url, options, invocation);
      }),
    );
}
