import { BALANCER_DEFAULTS } from "@lbbench/proxy/defaults";
import { Option, type Command } from "commander";
import { DEFAULTS } from "../config/defaults.js";
import { collect } from "./collect.js";
import type { RunCommand } from "./io.js";

/** Adds `lbbench proxy` and its flags. */
export function addProxy(program: Command, run: RunCommand): void {
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
    .action((options) =>
      run(async (invocation) => {
        const { runProxyCommand } = await import("./proxy-command.js");
        return runProxyCommand(options, invocation);
      }),
    );
}
