import { GRPC_DEFAULTS, POOL_DEFAULTS } from "@lbbench/backends/defaults";
import { BALANCER_DEFAULTS } from "@lbbench/proxy/defaults";
import { Command, Option } from "commander";
import { TOOL } from "../api/tool.js";
import { DEFAULTS } from "../config/defaults.js";

/** Called with the exit code of a command that came to its end. */
export type SetExitCode = (code: number) => void;

/**
 * Builds the command line. What a command needs is loaded when it runs, so that help costs little more than starting
 * Node. Errors of usage are thrown after they were printed.
 */
export function createProgram(setExitCode: SetExitCode): Command {
  const program = new Command("lbbench")
    .description("Measures HTTP load balancers and the servers behind them.")
    .exitOverride()
    .version(TOOL.version, "-V, --version", "print the version")
    .showHelpAfterError("(lbbench --help says what there is)");
  addSweep(program, setExitCode);
  addMax(program, setExitCode);
  addReport(program, setExitCode);
  addCompare(program, setExitCode);
  addProxy(program, setExitCode);
  addServe(program, setExitCode);
  addDoctor(program, setExitCode);
  for (const command of program.commands) {
    command.showHelpAfterError(`(lbbench ${command.name()} --help says what there is)`);
  }
  return program;
}

const collect = (value: string, earlier: readonly string[] | undefined): readonly string[] => [
  ...(earlier ?? []),
  value,
];

function addSweep(program: Command, setExitCode: SetExitCode): void {
  program
    .command("sweep")
    .summary("sweep levels of load over one or more targets")
    .description(
      `Sweeps levels of load over one or more targets, judges what was measured and leaves a report.\n` +
        `Without a URL or a target it compares two of its own: ${DEFAULTS.targets.join(" and ")}.`,
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
    .option("--trials <count>", `repetitions of every step (default: ${DEFAULTS.trials})`)
    .option(
      "--warmup <time>",
      `load before each step that is not counted, 0 for none (default: ${DEFAULTS.warmupMs}ms, with -n ${DEFAULTS.warmupOfRequestsMs}ms)`,
    )
    .option("--timeout <time>", `longest wait for an answer (default: ${DEFAULTS.timeoutMs / 1000}s)`)
    .option("--no-keepalive", "a connection for each request")
    .option("--engine <name>", `what generates the load (default: ${DEFAULTS.engine})`)
    .option("--generators <count>", `processes the load is split over (default: ${DEFAULTS.generators})`)
    .option("--proto <file>", "gRPC: file that describes the service (default: that of the sample service)")
    .option("--call <method>", "gRPC: method to call, as package.Service/Method; -b is its message, as JSON")
    .option("--channels <count>", `gRPC: connections that the calls share (default: ${DEFAULTS.grpc.channels})`)
    .option("-m, --method <method>", `(default: ${DEFAULTS.request.method})`)
    .option("-H, --header <line>", 'repeatable; "Name: value"', collect)
    .option("-b, --body <text>", "body of every request")
    .addOption(new Option("--body-file <file>", "body of every request, from a file").conflicts("body"))
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
    .option("-f, --format <list>", `formats of the report, beside result.json (default: ${DEFAULTS.formats.join(",")})`)
    .option("--config <file>", "config file (default: lbbench.config.{ts,js,mjs,json}, if there is one)")
    .option(
      "--resume <dir>",
      "go on with the interrupted run whose report is in this folder: measure what is missing, failed or was cut short",
    )
    .option("--quiet", "print nothing but errors")
    .option("--json", "print the result on stdout, and nothing else there")
    .action(async (url: string | undefined, options) => {
      const { runSweepCommand } = await import("./sweep-command.js");
      setExitCode(await runSweepCommand(url, options));
    });
}

/** Flags of a sweep that a search has not, or describes in its own way. */
const NOT_OF_MAX = new Set([
  "--connections",
  "--rate",
  "--requests",
  "--duration",
  "--poisson",
  "--max-in-flight",
  "--reference",
  "--trials",
  "--timeout",
  "--threshold",
  "--stop-on",
  "--order",
  "--seed",
  "--name",
  "--warmup",
]);

function addMax(program: Command, setExitCode: SetExitCode): void {
  const { search } = DEFAULTS;
  const command = program
    .command("max")
    .summary("search the largest load that still holds")
    .description(
      "Searches the largest number of connections, or the largest rate, at which no request fails and every threshold is met: " +
        "upwards by doubling until a level does not hold, then to the middle of what held and what did not.\n" +
        "Exit code 0: it was found; 1: not even 1 holds; 3: it cannot be said.",
    )
    .argument("[url]", "a server that is running")
    .option("--by <what>", `connections, or rate: requests per second of an open loop (default: ${search.by})`)
    .option(
      "--start <value>",
      `the first that is tried (default: ${search.start.connections}, by rate ${search.start.rate})`,
    )
    .option(
      "--most <value>",
      `the largest that is tried (default: ${search.most.connections}, by rate ${search.most.rate})`,
    )
    .option("--resolution <share>", `what is near enough (default: ${search.resolution * 100}%, and always 1)`)
    .option("--trials <count>", `most repetitions of every level (default: ${search.trials})`)
    .option("--needed <count>", "how many of them have to hold (default: more than half)")
    .option("--beyond <factor>", "run beyond the limit as well: 1.25 is a quarter above")
    .option("--threshold <expression>", `repeatable; what has to hold (default: ${search.threshold})`, collect)
    .option("-d, --duration <time>", `time per step (default: ${DEFAULTS.durationMs / 1000}s)`)
    .option(
      "--warmup <time>",
      `load before each step that is not counted, 0 for none (default: ${DEFAULTS.warmupMs}ms)`,
    )
    .option(
      "--timeout <time>",
      `longest wait for an answer (default: half a step, at most ${DEFAULTS.timeoutMs / 1000}s)`,
    )
    .option("--poisson", "by rate: requests leave at random, with an exponential distribution of the gaps")
    .option("--seed <number>", `with --poisson: another schedule (default: ${DEFAULTS.seed})`)
    .option("--max-in-flight <count>", `by rate: requests open at a time (default: ${DEFAULTS.arrival.maxInFlight})`)
    .option("--name <name>", `name of the run (default: ${search.name})`);
  for (const option of program.commands.find((one) => one.name() === "sweep")?.options ?? []) {
    if (!NOT_OF_MAX.has(option.long ?? "")) command.addOption(option);
  }
  command.action(async (url: string | undefined, options) => {
    const { runMaxCommand } = await import("./max-command.js");
    setExitCode(await runMaxCommand(url, options));
  });
}

function addReport(program: Command, setExitCode: SetExitCode): void {
  program
    .command("report")
    .summary("render a result again")
    .description("Renders a result.json again, or in other formats.")
    .argument("<result>", "a result.json, or the folder it is in")
    .option("-o, --out <dir>", "folder of the report (default: that of the result)")
    .option("-f, --format <list>", `formats (default: ${DEFAULTS.formats.join(",")})`)
    .option("--quiet", "print nothing but errors")
    .action(async (result: string, options) => {
      const { runReportCommand } = await import("./report-command.js");
      setExitCode(await runReportCommand(result, options));
    });
}

function addCompare(program: Command, setExitCode: SetExitCode): void {
  program
    .command("compare")
    .summary("judge one result against another")
    .description(
      "Judges result B against result A, level by level, over their trials.\n" +
        "Exit code 0: B is not worse; 1: it is, beyond the margin; 3: that cannot be told.",
    )
    .argument("<A>", "the reference: a result.json, or the folder it is in")
    .argument("<B>", "what is judged against it")
    .option(
      "--margin <share>",
      `by how much throughput and latency may be worse (default: ${Number((DEFAULTS.margin * 100).toPrecision(6))}%)`,
    )
    .option(
      "-t, --target <A=B>",
      "repeatable; compare a target of A with one of B, or one that both have (default: those of the same name)",
      collect,
    )
    .option("-f, --format <format>", "md or text (default: text on a terminal, else md)")
    .option("--quiet", "print nothing but errors")
    .option("--json", "print the comparison as data, and nothing else")
    .action(async (a: string, b: string, options) => {
      const { runCompareCommand } = await import("./compare-command.js");
      setExitCode(await runCompareCommand(a, b, options));
    });
}

function addProxy(program: Command, setExitCode: SetExitCode): void {
  const { timeouts, limits, activeHealth } = BALANCER_DEFAULTS;
  program
    .command("proxy")
    .summary("run the balancer alone")
    .description(
      "Runs the balancer alone, until it is interrupted; then prints how many requests each backend was given.",
    )
    .requiredOption(
      "--backend <url>",
      "repeatable; http://, https://, tcp:// or unix:/path; 'URL weight=3 name=a'",
      collect,
    )
    .option("-p, --port <port>", `0 takes a free one (default: ${DEFAULTS.proxyPort})`)
    .option("--host <address>", `(default: ${DEFAULTS.host})`)
    .addOption(new Option("--socket <path>", "a Unix socket to listen on").conflicts(["port", "host"]))
    .option("--mode <mode>", `http balances requests, tcp connections (default: ${BALANCER_DEFAULTS.mode})`)
    .option(
      "--transport <name>",
      `what speaks to the backends: undici or http-proxy (default: ${BALANCER_DEFAULTS.transport})`,
    )
    .option(
      "--policy <policy>",
      `how a backend is picked, like consistent-hash:header:x-user, or ./mine.mjs (default: ${DEFAULTS.policy})`,
    )
    .option("--workers <count>", "processes that share the work (default: 1)")
    .option(
      "--retries <count>",
      `tries on other backends for a request that may be repeated (default: ${BALANCER_DEFAULTS.retries})`,
    )
    .option("--health-check [path]", `ask the backends whether they are well (path: ${activeHealth.path})`)
    .option("--health-interval <time>", `between two of these checks (default: ${activeHealth.intervalMs}ms)`)
    .option("--slow-start <time>", "time in which a backend that is back gets its full share")
    .option("--connect-timeout <time>", `for a connection to a backend (default: ${timeouts.connectMs}ms)`)
    .option("--response-timeout <time>", `for a backend to begin its answer (default: ${timeouts.responseMs}ms)`)
    .option("--idle-timeout <time>", `without a byte in a request or an answer (default: ${timeouts.idleMs}ms)`)
    .option("--head-timeout <time>", `for a client to send its headers (default: ${timeouts.headMs}ms)`)
    .option("--max-connections <count>", "requests that a backend is given at a time (default: no limit)")
    .option("--queue <count>", `requests that may wait for one backend (default: ${limits.queuePerBackend})`)
    .option("--queue-timeout <time>", `how long they may wait (default: ${timeouts.queueMs}ms)`)
    .option("--max-head <bytes>", `size of the headers (default: ${limits.headBytes})`)
    .option("--max-body <bytes>", "size of a request's body (default: no limit)")
    .option("--tls-cert <file>", "certificate (PEM), to speak HTTPS with clients; needs --tls-key")
    .option("--tls-key <file>", "its private key (PEM)")
    .option("--backend-ca <file>", "certificates (PEM) to trust of https:// backends")
    .option("--backend-insecure", "do not verify the certificates of https:// backends")
    .option(
      "--forwarded <mode>",
      `X-Forwarded-* of clients: replace, append or off (default: ${BALANCER_DEFAULTS.forwarded})`,
    )
    .option("--backend-header <name>", "header of the answer that names the backend")
    .option("--admin <port>", "serve figures (/metrics, /stats) and control of the backends on a port of this machine")
    .option("--log [format]", "print a line for each request: combined (as Apache does) or json")
    .action(async (options) => {
      const { runProxyCommand } = await import("./proxy-command.js");
      setExitCode(await runProxyCommand(options));
    });
}

function addServe(program: Command, setExitCode: SetExitCode): void {
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
      `what it does with a request: hello, json, echo, sleep:10ms, cpu:2ms, error:10% (default: ${DEFAULTS.handler})`,
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
    .action(async (kind: string, options) => {
      const { runServeCommand } = await import("./serve-command.js");
      setExitCode(await runServeCommand(kind, options));
    });
}

function addDoctor(program: Command, setExitCode: SetExitCode): void {
  program
    .command("doctor")
    .summary("say what this machine can and cannot measure")
    .description(
      "Says what this machine can and cannot measure, and what to do about it.\n" +
        "Exit code 0: no problem (there may be warnings); 1: a problem.",
    )
    .option("--quick", "leave out the calibration, which keeps two cores busy for two seconds")
    .option("--json", "print what was found as data")
    .action(async (options) => {
      const { runDoctorCommand } = await import("./doctor-command.js");
      setExitCode(await runDoctorCommand(options));
    });
}
