import {
  BalancerListenError,
  BalancerOptionsError,
  builtInPolicies,
  createBalancer,
  type Balancer,
  type RequestLogEntry,
} from "@lbbench/proxy";
import { listWords, suggest } from "../config/suggest.js";
import { ConfigError, DEFAULTS, StartError } from "../index.js";
import { ExitCode } from "./exit-code.js";
import { parsePort } from "./parse-port.js";
import { untilInterrupted } from "./until-interrupted.js";

/** The flags of `lbbench proxy`. */
export interface ProxyFlags {
  readonly port?: string;
  readonly host?: string;
  readonly backend: readonly string[];
  readonly policy?: string;
  readonly backendHeader?: string;
  readonly log?: boolean;
}

/** Runs `lbbench proxy` until it is interrupted; resolves with its exit code. */
export async function runProxyCommand(flags: ProxyFlags): Promise<number> {
  const port = parsePort(flags.port, DEFAULTS.proxyPort);
  const balancer = build(flags);
  const { url } = await listen(balancer, port, flags.host ?? DEFAULTS.host);
  process.stderr.write(`Balancing ${flags.backend.length} backends at ${url}\n`);
  await untilInterrupted();
  await balancer.close();
  for (const [name, { requests, errors }] of Object.entries(balancer.stats())) {
    process.stderr.write(`${name}: ${requests} requests, ${errors} errors\n`);
  }
  return ExitCode.pass;
}

function build(flags: ProxyFlags): Balancer {
  const policyName = flags.policy ?? DEFAULTS.policy;
  const policy = builtInPolicies.get(policyName);
  if (policy === undefined) {
    const known = [...builtInPolicies.keys()];
    throw new ConfigError(`--policy: expected ${listWords(known)}, got "${policyName}".${suggest(policyName, known)}`);
  }
  for (const url of flags.backend) checkBackend(url);
  try {
    return createBalancer({
      backends: flags.backend.map((url) => ({ url })),
      policy: policy(),
      ...(flags.backendHeader === undefined ? {} : { backendHeader: flags.backendHeader }),
      ...(flags.log === true ? { onRequest: printRequest } : {}),
    });
  } catch (error) {
    if (error instanceof BalancerOptionsError) throw new ConfigError(error.message, { cause: error });
    throw error;
  }
}

function checkBackend(url: string): void {
  if (!/^https?:\/\//i.test(url) || !URL.canParse(url)) {
    throw new ConfigError(`--backend: expected a URL such as http://127.0.0.1:8080, got "${url}"`);
  }
}

async function listen(balancer: Balancer, port: number, host: string): Promise<{ readonly url: string }> {
  try {
    return await balancer.listen({ port, host });
  } catch (error) {
    if (error instanceof BalancerListenError) throw new StartError(error.message, { cause: error });
    throw error;
  }
}

function printRequest({ method, path, status, backend, durationMs, error }: RequestLogEntry): void {
  const outcome = error === undefined ? "" : ` ${error}`;
  process.stdout.write(`${method} ${path} ${status ?? "-"} ${durationMs.toFixed(3)}ms ${backend ?? "-"}${outcome}\n`);
}
