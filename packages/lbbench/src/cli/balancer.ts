import { once } from "node:events";
import { connect } from "node:net";
import type { BackendOptions, ListenOptions, PlainBalancerOptions, RequestLogFormat } from "@lbbench/proxy";
import {
  createAdminServer,
  createBalancer,
  createRequestLogger,
  loadPolicy,
  reloadBackends,
  startBalancerWorkers,
} from "@lbbench/proxy";
import { ConfigError, DEFAULTS } from "../index.js";
import { countOf } from "../stats/count-of.js";
import { addressOf } from "../stats/url-address.js";
import { ExitCode, type CommandIo, type ReadFlags } from "./io.js";

/** What of the flags of `lbbench proxy` is no option of the balancer. */
export interface BalancerFlags {
  readonly backend: readonly string[];
  readonly port?: number;
  readonly host?: string;
  readonly socket?: string;
  readonly workers?: number;
  readonly admin?: number;
  readonly log?: RequestLogFormat;
}

/** Runs the balancer until it is interrupted, then prints how many requests each backend was given; resolves with the exit code. */
export async function balance(flags: ReadFlags<BalancerFlags>, io: CommandIo): Promise<number> {
  const { stderr } = io;
  const { workers, admin } = flags.own;
  const options = readOptions(flags);
  const running = await start(options, flags.own, io.cwd);
  // Before anything is said: who reads it may interrupt at once. Listeners do not keep Node alive, but a server does.
  const interrupted = once(io.catchInterrupt().signal, "abort");
  try {
    const control = admin === undefined ? undefined : await startAdmin(admin, options, running);
    const inWorkers = workers === undefined || workers === 1 ? "" : ` with ${countOf(workers, "worker")}`;
    stderr.write(`Balancing ${countOf(options.backends.length, "backend")} at ${running.url}${inWorkers}\n`);
    if (control !== undefined) stderr.write(`Figures and control at ${control.url}\n`);
    const asked = options.backends.map(async ({ url }) => {
      const code = await refusalOf(url);
      if (code !== undefined) stderr.write(`warning: Nothing listens at ${url} (${code}). Start that backend.\n`);
    });
    await interrupted;
    await Promise.all([...asked, control?.close()]);
  } finally {
    const before = await running.snapshot();
    await running.close();
    const { backends: counted } = await Promise.resolve(running.snapshot()).catch(() => before);
    for (const { name, requests, errors, retries } of counted) {
      const again = retries === 0 ? "" : `, ${retries} of them after another backend had failed`;
      stderr.write(`${name}: ${countOf(requests, "request")}${again}, ${countOf(errors, "error")}\n`);
    }
  }
  return ExitCode.pass;
}

/** The options of the balancer, which checks what it takes: it knows its policies and transports. */
export function readOptions({ input, own }: ReadFlags<BalancerFlags>) {
  return {
    policy: DEFAULTS.policy,
    ...(input as Partial<PlainBalancerOptions>),
    backends: own.backend.map(readBackend),
  };
}

/** A backend as it is typed: its URL, and behind a blank `weight=NUMBER` or `name=TEXT`. */
function readBackend(text: string): BackendOptions & { readonly url: string } {
  const [url = "", ...settings] = text.trim().split(/\s+/);
  if (!/^(?:(?:https?|tcp):\/\/|unix:\/)/i.test(url)) {
    throw new ConfigError(`--backend: expected a URL such as http://127.0.0.1:8080, got "${url}"`);
  }
  const read = settings.map((setting) => {
    const [, key = "", value] = /^(weight|name)=(.+)$/.exec(setting) ?? [];
    if (value !== undefined) return [key, key === "weight" ? Number(value) : value] as const;
    throw new ConfigError(
      `--backend: expected a URL, and behind it weight=NUMBER or name=TEXT if need be; got "${setting}" in "${text}"`,
    );
  });
  return { url, ...Object.fromEntries(read) };
}

type Options = ReturnType<typeof readOptions>;

/** Starts what was asked for, here or in workers. */
async function start(options: Options, { log, workers = 1, ...own }: BalancerFlags, folder: string) {
  const { port = DEFAULTS.proxyPort, host = DEFAULTS.host, socket } = own;
  const listen: ListenOptions = socket === undefined ? { port, host } : { path: socket };
  if (workers > 1) {
    const logged = log === undefined ? {} : { log: { format: log } };
    return startBalancerWorkers({ workers, balancer: options, listen, ...logged });
  }
  const logger = log === undefined ? undefined : await createRequestLogger(log, 1);
  const policy = await loadPolicy(options.policy, { folder });
  const balancer = createBalancer({ ...options, policy, ...(logger === undefined ? {} : { onRequest: logger.log }) });
  const { url } = await balancer.listen(listen);
  const close = async (): Promise<void> => {
    await balancer.close();
    // A reader that has gone away is no reason to fail at the end.
    await logger?.close().catch(() => undefined);
  };
  return { ...balancer, url, close };
}

/** Starts the server for figures and control of a balancer. */
async function startAdmin(port: number, { mode }: Options, running: Awaited<ReturnType<typeof start>>) {
  const admin = createAdminServer({
    snapshot: async () => running.snapshot(),
    backends: {
      add: running.addBackend,
      remove: running.removeBackend,
      drain: running.drainBackend,
      restore: running.restoreBackend,
      setWeight: running.setBackendWeight,
      reload: async (list) => reloadBackends(running, list, mode === undefined ? {} : { mode }),
    },
  });
  const { url } = await admin.listen({ port });
  return { url, close: admin.close };
}

/** How long a backend has to take a connection, in ms, before it counts as one that does not tell. */
const CONNECT_MS = 1000;
const REFUSED: ReadonlySet<unknown> = new Set(["ECONNREFUSED", "ENOENT", "ENOTFOUND", "EHOSTUNREACH"]);

/** The code with which a connection to a backend is refused; `undefined` where somebody listens, or nothing can be told. */
async function refusalOf(url: string): Promise<string | undefined> {
  const [, path] = /^unix:(?:\/\/)?(.*)/i.exec(url) ?? [];
  const socket = connect({ ...(path === undefined ? addressOf(url) : { path }), timeout: CONNECT_MS });
  try {
    return await new Promise((resolve) => {
      for (const told of ["connect", "timeout"]) socket.on(told, () => resolve(undefined));
      socket.on("error", ({ code }: NodeJS.ErrnoException) => resolve(REFUSED.has(code) ? code : undefined));
    });
  } finally {
    socket.destroy();
  }
}
