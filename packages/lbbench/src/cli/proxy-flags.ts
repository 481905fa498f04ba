import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import type { BackendOptions, ListenOptions, PlainBalancerOptions, RequestLogFormat } from "@lbbench/proxy";
import { ConfigError, DEFAULTS, parseDuration } from "../index.js";
import { defined } from "./defined.js";
import { parsePort } from "./parse-port.js";

/** The flags of `lbbench proxy`, as they were typed. */
export interface ProxyFlags {
  readonly port?: string;
  readonly host?: string;
  readonly socket?: string;
  readonly backend: readonly string[];
  readonly mode?: string;
  readonly transport?: string;
  readonly policy?: string;
  readonly workers?: string;
  readonly retries?: string;
  readonly healthCheck?: string | boolean;
  readonly healthInterval?: string;
  readonly slowStart?: string;
  readonly connectTimeout?: string;
  readonly responseTimeout?: string;
  readonly idleTimeout?: string;
  readonly headTimeout?: string;
  readonly maxConnections?: string;
  readonly queue?: string;
  readonly queueTimeout?: string;
  readonly maxHead?: string;
  readonly maxBody?: string;
  readonly tlsCert?: string;
  readonly tlsKey?: string;
  readonly backendCa?: string;
  readonly backendInsecure?: boolean;
  readonly forwarded?: string;
  readonly backendHeader?: string;
  readonly admin?: string;
  readonly log?: string | boolean;
}

/** What the flags ask for. */
export interface ProxyRequest {
  readonly balancer: PlainBalancerOptions;
  readonly listen: ListenOptions;
  readonly workers: number;
  readonly adminPort: number | undefined;
  readonly logFormat: RequestLogFormat | undefined;
}

/**
 * Reads the flags; throws a `ConfigError` that names the flag. What a balancer takes is left for the balancer to check:
 * it knows its policies and transports.
 *
 * @param cwd where paths of files begin.
 */
export function readProxyFlags(flags: ProxyFlags, cwd: string): ProxyRequest {
  const timeouts = defined({
    connectMs: time(flags.connectTimeout, "--connect-timeout"),
    responseMs: time(flags.responseTimeout, "--response-timeout"),
    idleMs: time(flags.idleTimeout, "--idle-timeout"),
    headMs: time(flags.headTimeout, "--head-timeout"),
    queueMs: time(flags.queueTimeout, "--queue-timeout"),
  });
  const limits = defined({
    connectionsPerBackend: count(flags.maxConnections, "--max-connections"),
    queuePerBackend: count(flags.queue, "--queue"),
    headBytes: count(flags.maxHead, "--max-head"),
    bodyBytes: count(flags.maxBody, "--max-body"),
  });
  const balancer = defined({
    backends: flags.backend.map(readBackend),
    mode: flags.mode as PlainBalancerOptions["mode"],
    transport: flags.transport as PlainBalancerOptions["transport"],
    policy: flags.policy ?? DEFAULTS.policy,
    retries: count(flags.retries, "--retries"),
    backendHeader: flags.backendHeader,
    forwarded: flags.forwarded as PlainBalancerOptions["forwarded"],
    timeouts,
    limits,
    health: readHealth(flags),
    tls: readTls(flags, cwd),
    backendTls: defined({
      ca: file(flags.backendCa, "--backend-ca", cwd),
      verify: flags.backendInsecure === true ? false : undefined,
    }),
  });
  return {
    balancer: balancer as PlainBalancerOptions,
    listen:
      flags.socket === undefined
        ? { port: parsePort(flags.port, DEFAULTS.proxyPort), host: flags.host ?? DEFAULTS.host }
        : { path: flags.socket },
    workers: readWorkers(flags.workers),
    adminPort: flags.admin === undefined ? undefined : parsePort(flags.admin, 0, "--admin"),
    logFormat: readLogFormat(flags.log),
  };
}

function readWorkers(text: string | undefined): number {
  const workers = count(text, "--workers") ?? 1;
  if (workers >= 1) return workers;
  throw new ConfigError("--workers: expected 1 or more, got 0");
}

/** A backend as it is typed: its URL, and behind a blank `weight=NUMBER` or `name=TEXT`. */
function readBackend(text: string): BackendOptions {
  const [url = "", ...settings] = text.trim().split(/\s+/);
  if (!/^(?:(?:https?|tcp):\/\/|unix:\/)/i.test(url)) {
    throw new ConfigError(`--backend: expected a URL such as http://127.0.0.1:8080, got "${url}"`);
  }
  const backend: { url: string; weight?: number; name?: string } = { url };
  for (const setting of settings) {
    const [, key, value] = /^(weight|name)=(.+)$/.exec(setting) ?? [];
    if (key === "weight") backend.weight = Number(value);
    else if (key === "name" && value !== undefined) backend.name = value;
    else {
      throw new ConfigError(
        `--backend: expected a URL, and behind it weight=NUMBER or name=TEXT if need be; got "${setting}" in "${text}"`,
      );
    }
  }
  return backend;
}

function readHealth({ healthCheck, healthInterval, slowStart }: ProxyFlags): PlainBalancerOptions["health"] {
  if (healthInterval !== undefined && healthCheck === undefined) {
    throw new ConfigError("--health-interval: there are no health checks; add --health-check or --health-check PATH");
  }
  const active = defined({
    path: typeof healthCheck === "string" ? healthCheck : undefined,
    intervalMs: time(healthInterval, "--health-interval"),
  });
  return defined({
    active: healthCheck === undefined || healthCheck === false ? undefined : active,
    slowStartMs: time(slowStart, "--slow-start"),
  });
}

function readTls({ tlsCert, tlsKey }: ProxyFlags, cwd: string): PlainBalancerOptions["tls"] {
  const cert = file(tlsCert, "--tls-cert", cwd);
  const key = file(tlsKey, "--tls-key", cwd);
  if (cert === undefined && key === undefined) return undefined;
  if (cert !== undefined && key !== undefined) return { cert, key };
  throw new ConfigError("--tls-cert and --tls-key: expected both or none; HTTPS needs a certificate and its key");
}

function readLogFormat(log: string | boolean | undefined): RequestLogFormat | undefined {
  if (log === undefined || log === false) return undefined;
  if (log === true || log === "combined") return "combined";
  if (log === "json") return "json";
  throw new ConfigError(`--log: expected json or combined, got "${log}"`);
}

function time(text: string | undefined, flag: string): number | undefined {
  if (text === undefined) return undefined;
  try {
    return parseDuration(text);
  } catch (error) {
    throw new ConfigError(`${flag}: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
  }
}

function count(text: string | undefined, flag: string): number | undefined {
  if (text === undefined) return undefined;
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw new ConfigError(`${flag}: expected a whole number, got "${text}"`);
}

function file(path: string | undefined, flag: string, cwd: string): string | undefined {
  if (path === undefined) return undefined;
  try {
    return readFileSync(resolve(cwd, path), "utf8");
  } catch (error) {
    throw new ConfigError(`${flag}: cannot read ${path}: ${error instanceof Error ? error.message : String(error)}`, {
      cause: error,
    });
  }
}
