import { connect } from "node:net";
import type {
  BackendOptions,
  BalancerWorkers,
  ListenOptions,
  PlainBalancerOptions,
  RequestLogFormat,
} from "@lbbench/proxy";
import {
  BalancerListenError,
  BalancerOptionsError,
  createAdminServer,
  createBalancer,
  createRequestLogger,
  loadPolicy,
  reloadBackends,
  startBalancerWorkers,
} from "@lbbench/proxy";
import { ConfigError, DEFAULTS, parseDuration, StartError } from "../index.js";
import { BALANCER_SETTINGS } from "./server-settings.js";
import { flagsToInput, naming, readCount, readPort } from "./flags.js";
import type { Flags } from "./io.js";

/** What the flags of `lbbench proxy` ask for. */
export interface BalancerRequest {
  readonly balancer: PlainBalancerOptions;
  readonly listen: ListenOptions;
  readonly workers: number;
  readonly adminPort: number | undefined;
  readonly logFormat: RequestLogFormat | undefined;
}

/**
 * Reads the flags; rejects with a `ConfigError` that names the flag. What a balancer takes is left for the balancer to check:
 * it knows its policies and transports.
 *
 * @param cwd where paths of files begin.
 */
export async function readBalancerFlags(flags: Flags, cwd: string): Promise<BalancerRequest> {
  const given = (await flagsToInput(flags, BALANCER_SETTINGS, { folder: cwd, cwd })) as Partial<PlainBalancerOptions>;
  const { tls } = given;
  if (tls !== undefined && (!("cert" in tls) || !("key" in tls))) {
    throw new ConfigError("--tls-cert and --tls-key: expected both or none; HTTPS needs a certificate and its key");
  }
  const { backend = [], socket, port, host = DEFAULTS.host, workers, admin, log } = flags;
  const health = { ...given.health, ...readChecks(flags) };
  return {
    balancer: {
      policy: DEFAULTS.policy,
      ...given,
      backends: [backend].flat().map((text) => readBackend(String(text))),
      ...(Object.keys(health).length === 0 ? {} : { health }),
    },
    listen:
      socket === undefined
        ? { port: port === undefined ? DEFAULTS.proxyPort : readPort(String(port), "--port"), host: String(host) }
        : { path: String(socket) },
    workers: workers === undefined ? 1 : readCount(String(workers), "--workers", 1),
    adminPort: admin === undefined ? undefined : readPort(String(admin), "--admin"),
    logFormat: log === undefined ? undefined : readLogFormat(log),
  };
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

function readChecks({
  healthCheck,
  healthInterval,
}: Flags): Pick<NonNullable<PlainBalancerOptions["health"]>, "active"> {
  if (healthInterval !== undefined && healthCheck === undefined) {
    throw new ConfigError("--health-interval: there are no health checks; add --health-check or --health-check PATH");
  }
  if (healthCheck === undefined) return {};
  const interval = healthInterval && naming("--health-interval", () => parseDuration(String(healthInterval)));
  return {
    active: {
      ...(typeof healthCheck === "string" ? { path: healthCheck } : {}),
      ...(typeof interval === "number" ? { intervalMs: interval } : {}),
    },
  };
}

function readLogFormat(log: Flags[string]): RequestLogFormat {
  if (log === true || log === "combined") return "combined";
  if (log === "json") return "json";
  throw new ConfigError(`--log: expected json or combined, got "${String(log)}"`);
}

/** A balancer that runs here or in workers, seen in the same way. */
export type RunningBalancer = Pick<
  BalancerWorkers,
  "url" | "snapshot" | "addBackend" | "removeBackend" | "drainBackend" | "restoreBackend" | "setBackendWeight" | "close"
>;

/** Starts what was asked for. Rejects with a `ConfigError` for an option that is wrong, a `StartError` where it cannot listen. */
export async function startBalancer(request: BalancerRequest, cwd: string): Promise<RunningBalancer> {
  return asOurError(() => (request.workers > 1 ? startWorkers(request) : startHere(request, cwd)));
}

async function startHere(
  { balancer: { policy, ...options }, listen, logFormat }: BalancerRequest,
  cwd: string,
): Promise<RunningBalancer> {
  const logger = logFormat === undefined ? undefined : await createRequestLogger(logFormat, 1);
  const balancer = createBalancer({
    ...options,
    ...(policy === undefined ? {} : { policy: await loadPolicy(policy, { folder: cwd }) }),
    ...(logger === undefined ? {} : { onRequest: logger.log }),
  });
  const { url } = await balancer.listen(listen);
  return {
    url,
    snapshot: async () => balancer.snapshot(),
    addBackend: async (backend) => balancer.addBackend(backend),
    removeBackend: balancer.removeBackend,
    drainBackend: balancer.drainBackend,
    restoreBackend: async (name) => balancer.restoreBackend(name),
    setBackendWeight: async (name, weight) => balancer.setBackendWeight(name, weight),
    close: async (closeOptions) => {
      await balancer.close(closeOptions);
      // A reader that has gone away is no reason to fail at the end.
      await logger?.close().catch(() => undefined);
    },
  };
}

async function startWorkers({ balancer, listen, workers, logFormat }: BalancerRequest): Promise<RunningBalancer> {
  const log = logFormat === undefined ? {} : { log: { format: logFormat } };
  return startBalancerWorkers({ workers, balancer, listen, ...log });
}

/** Starts the server for figures and control of a balancer. */
export async function startAdmin(port: number, { mode }: PlainBalancerOptions, running: RunningBalancer) {
  const admin = createAdminServer({
    snapshot: running.snapshot,
    backends: {
      add: running.addBackend,
      remove: running.removeBackend,
      drain: running.drainBackend,
      restore: running.restoreBackend,
      setWeight: running.setBackendWeight,
      reload: async (list) => reloadBackends(running, list, mode === undefined ? {} : { mode }),
    },
  });
  const { url } = await asOurError(() => admin.listen({ port }));
  return { url, close: admin.close };
}

async function asOurError<T>(start: () => Promise<T>): Promise<T> {
  try {
    return await start();
  } catch (error) {
    if (error instanceof BalancerOptionsError) {
      // An option of the balancer that is a flag of the same name here.
      const message = error.message.replace(/^(policy|mode|transport|forwarded)\b/, "--$1");
      throw new ConfigError(message, { cause: error });
    }
    if (error instanceof BalancerListenError) throw new StartError(error.message, { cause: error });
    throw error;
  }
}

/** How long a backend has to take a connection, in ms, before it counts as one that does not tell. */
const CONNECT_MS = 1000;
const REFUSED: ReadonlySet<unknown> = new Set(["ECONNREFUSED", "ENOENT", "ENOTFOUND", "EHOSTUNREACH"]);

/** The code with which a connection to a backend is refused; `undefined` where somebody listens, or nothing can be told. */
export async function refusalOf(url: string): Promise<string | undefined> {
  const socket = connect({ ...addressOf(url), timeout: CONNECT_MS });
  try {
    return await new Promise<string | undefined>((resolve) => {
      socket.on("connect", () => resolve(undefined));
      socket.on("timeout", () => resolve(undefined));
      socket.on("error", ({ code }: NodeJS.ErrnoException) => resolve(REFUSED.has(code) ? code : undefined));
    });
  } finally {
    socket.destroy();
  }
}

function addressOf(url: string): { readonly path: string } | { readonly host: string; readonly port: number } {
  if (/^unix:/i.test(url)) return { path: url.replace(/^unix:(\/\/)?/i, "") };
  const { hostname, port, protocol } = new URL(url);
  return { host: hostname.replace(/^\[(.*)\]$/, "$1"), port: Number(port) || (protocol === "https:" ? 443 : 80) };
}
