import { checkServers, knownPlugins } from "../api/load-plugins.js";
import { ConfigError } from "../config/config-error.js";
import { isUrl, resolveServer } from "../config/targets.js";
import { formatPath } from "../config/validate.js";
import type { BackendShare } from "../model/measurement.js";
import type { RunningServer, Server } from "../plugin.js";
import { startServer as startPlugin } from "../run/server-context.js";
import { defined } from "../stats/defined.js";
import { rethrowStart } from "../system/program.js";

/** A server with its options, as the targets of a config have them; its name, if it has one, is of no use here. */
export interface ServerTarget {
  readonly name?: string;
  readonly server: string;
  readonly options?: Readonly<Record<string, unknown>>;
}

/** What to start: the name of a built-in server, a URL, the path or the package of a plugin, a target of a config, or a plugin. */
export type Startable = string | ServerTarget | Server;

/** What else can be said of a start. */
export interface StartSettings {
  /** Aborts a start that is under way; nothing is left of it. */
  readonly signal?: AbortSignal;
  /** Folder in which relative paths of the options begin; the working folder by default. */
  readonly folder?: string;
  /** Plugins beside the built-in servers, or in their place. */
  readonly servers?: readonly Server[];
}

/**
 * A server that answers: `url`, `stop()`, and what the server tells of itself. With `await using` it is stopped at the end of the
 * block: Node reads that from 24 on, and in older ones what TypeScript or esbuild, as in vitest, has compiled.
 */
export interface StartedServer extends RunningServer, AsyncDisposable {}

/**
 * Starts a server as a target of a sweep is started, on a free port unless the options name one, and resolves when it answers.
 * Its processes end when `stop()` is called, and at the latest with this process, however that ends.
 *
 * Rejects with a `ConfigError` for what is no server, and for options that it does not accept or that its `check` refuses, and with a
 * `StartError` when it cannot be started; nothing is left of it then.
 *
 * @param options of the server, as in a config; beside those of a target, or in their place.
 */
export async function startServer(
  startable: Startable,
  options: Readonly<Record<string, unknown>> = {},
  settings: StartSettings = {},
): Promise<StartedServer> {
  const { signal = new AbortController().signal, folder = process.cwd(), servers = [] } = settings;
  const { server, options: own = {}, plugins = [] } = readStartable(startable);
  const asked = { server, options: { ...own, ...options } };
  const known = knownPlugins({ servers: [...servers, ...plugins] }, folder).servers;
  const choice = await resolveServer(asked, known, (path) =>
    path[0] === "options" ? `${server}: ${formatPath(path)}` : formatPath(path),
  );
  signal.throwIfAborted();
  await checkServers({ targets: [{ name: server, ...choice }] }, known, folder);
  const running = await startPlugin(choice, { servers: known, folder, env: {}, signal }).catch((error: unknown) =>
    rethrowStart(`The server "${server}"`, error, signal),
  );
  // One that is an instance of a class keeps what its class has, and its functions can be handed on by themselves.
  const { url, certificate, processes, unseen, died, parts } = running;
  const stop = (): Promise<void> => running.stop();
  // Not all surroundings know it, as those in which jest runs tests.
  const symbol = Symbol.asyncDispose as symbol | undefined;
  return {
    url,
    processes,
    died,
    stop,
    ...defined({
      certificate,
      unseen,
      parts,
      processesNow: running.processesNow?.bind(running),
      backends: running.backends?.bind(running),
      turns: running.turns?.bind(running),
      requests: running.requests?.bind(running),
      connections: running.connections?.bind(running),
    }),
    ...(symbol && { [symbol]: stop }),
  } as StartedServer;
}

function readStartable(startable: Startable): ServerTarget & { readonly plugins?: readonly Server[] } {
  if (typeof startable === "string") {
    return isUrl(startable) ? { server: "url", options: { url: startable } } : { server: startable };
  }
  // Programs in JavaScript may hand over anything.
  const given = startable as Partial<Server & ServerTarget> | null | undefined;
  if (typeof given?.start === "function") {
    const plugin = startable as Server;
    return { server: plugin.name, plugins: [plugin] };
  }
  if (typeof given?.server === "string") return startable as ServerTarget;
  throw new ConfigError(
    'Expected a server to start: its name such as "single", a URL, the path of a plugin, {server, options}, or a plugin; ' +
      `got ${JSON.stringify(given) ?? `a ${typeof given}`}.`,
  );
}

/** A backend for a balancer: where it answers, or a server that was started. */
export type BalancedBackend =
  | string
  | {
      /** Origin it answers at: a server that was started has it. */
      readonly url: string;
      /** What it is called in the counts; `backend-1`, `backend-2` and so on by default. */
      readonly name?: string;
      /** For policies that go by weights; 1 by default. */
      readonly weight?: number;
    };

/** Options of the balancer, as those of the server `balanced`, and how it is started. */
export interface BalancerSettings extends StartSettings {
  /** How a backend is picked, as `--policy` takes it: `round-robin` by default; or the path of a module. */
  readonly policy?: string;
  readonly mode?: "http" | "tcp";
  readonly transport?: "wire" | "http-proxy";
  /** How often an idempotent request that failed is sent to another backend. */
  readonly retries?: number;
  /** A free one by default. */
  readonly port?: number;
}

/** A balancer that answers, and how it has shared out its requests. */
export interface StartedBalancer extends StartedServer {
  /**
   * Requests, and those that failed, by backend since the start: `{"backend-1": {requests: 50, errors: 0}}`. Rejects in mode
   * `tcp`, in which the balancer sees connections alone.
   */
  readonly backends: () => Promise<Readonly<Record<string, BackendShare>>>;
}

/**
 * Starts the balancer of `@lbbench/proxy`, in a process of its own, over backends that answer already; resolves when it answers. It
 * stops itself alone, never the backends, which are those of whoever started them.
 *
 * Rejects as {@link startServer} does, also when a backend does not accept connections.
 */
export async function startBalancer(
  backends: readonly BalancedBackend[],
  settings: BalancerSettings = {},
): Promise<StartedBalancer> {
  const { signal: _signal, folder: _folder, servers: _servers, ...options } = settings;
  const groups = backends.map((backend) => {
    const { url, name, weight } = typeof backend === "string" ? { url: backend } : backend;
    return { server: "url", options: { url }, name, weight };
  });
  const balancer = await startServer("balanced", { ...options, backends: groups }, settings);
  const refuseCounts = (): Promise<never> =>
    Promise.reject(
      new Error(
        'Expected a balancer in mode "http" to count requests by backend; in mode "tcp" it sees connections alone.',
      ),
    );
  return { ...balancer, backends: balancer.backends ?? refuseCounts };
}
