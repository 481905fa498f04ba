import { checkServers } from "../api/load-plugins.js";
import { ConfigError, formatPath } from "../config/config-error.js";
import { addNamedPlugins, isUrl, SERVER_KIND, serverWords } from "../config/plugins.js";
import { resolveServer } from "../config/targets.js";
import type { RunningServer, Server } from "../plugin.js";
import { createServerContext } from "../run/server-context.js";
import { builtInServers } from "../servers/built-in-servers.js";

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
 * block, where the Node in use knows `Symbol.asyncDispose` (20.19 and later do).
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
  const { server, options: own = {}, plugin } = readStartable(startable);
  const asked = { server, options: { ...own, ...options } };
  const given = [...servers, ...(plugin === undefined ? [] : [plugin])];
  const known = await addNamedPlugins(
    new Map([...builtInServers, ...given.map((one) => [one.name, one] as const)]),
    serverWords(asked),
    SERVER_KIND,
    folder,
  );
  const choice = resolveServer(asked, known, (path) =>
    path[0] === "options" ? `${server}: ${formatPath(path)}` : formatPath(path),
  );
  signal.throwIfAborted();
  await checkServers({ targets: [{ name: server, ...choice }] }, known, folder);
  signal.throwIfAborted();
  const context = createServerContext({ servers: known, folder, env: {} }, signal);
  return toStarted(await (known.get(server) as Server).start(choice.options, context));
}

function readStartable(startable: Startable): ServerTarget & { readonly plugin?: Server } {
  if (typeof startable !== "string") {
    if (!isStartable(startable)) {
      throw new ConfigError(
        'Expected a server to start: its name such as "single", a URL, the path of a plugin, {server, options}, or a plugin; ' +
          `got ${startable === null ? "null" : (JSON.stringify(startable) ?? `a ${typeof startable}`)}.`,
      );
    }
    return isPlugin(startable) ? { server: startable.name, plugin: startable } : startable;
  }
  return isUrl(startable) ? { server: "url", options: { url: startable } } : { server: startable };
}

function isPlugin(startable: ServerTarget | Server): startable is Server {
  return "start" in startable;
}

function isStartable(given: unknown): boolean {
  if (typeof given !== "object" || given === null) return false;
  return "start" in given || ("server" in given && typeof given.server === "string");
}

/**
 * Makes a server that `await using` stops; without the symbol it is as it was. A server that is an instance of a class keeps what
 * its class has, and its functions can be handed on by themselves.
 */
function toStarted(running: RunningServer): StartedServer {
  const { url, processes, died, backends, turns, requests } = running;
  const stop = (): Promise<void> => running.stop();
  const symbol = Symbol.asyncDispose as symbol | undefined;
  return {
    url,
    processes,
    died,
    stop,
    ...(backends === undefined ? {} : { backends: backends.bind(running) }),
    ...(turns === undefined ? {} : { turns: turns.bind(running) }),
    ...(requests === undefined ? {} : { requests: requests.bind(running) }),
    ...(symbol === undefined ? {} : { [symbol]: stop }),
  } as StartedServer;
}
