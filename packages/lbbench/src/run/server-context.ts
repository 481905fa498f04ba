import { inspect } from "node:util";
import type { RunningServer, Server, ServerChoice, ServerContext } from "../plugin.js";
import { StartError } from "../system/program.js";

/** What all servers of a run are started with. */
export interface ServerSurroundings {
  /** Plugins by name. */
  readonly servers: ReadonlyMap<string, Server>;
  /** Folder in which relative paths of options begin. */
  readonly folder: string;
  /** Environment variables for their processes. */
  readonly env: Readonly<Record<string, string>>;
}

/** The context of a server's start, in which it can start others. */
export function createServerContext(around: ServerSurroundings, signal: AbortSignal, name?: string): ServerContext {
  const { folder, env } = around;
  return {
    signal,
    ...(name === undefined ? {} : { name }),
    folder,
    env,
    startServer: (choice, nested) => startServer(choice, around, signal, nested),
  };
}

/**
 * Starts a server with the plugins given. Rejects with what the plugin says, or with a {@link StartError} where what it has
 * started is not as expected; that is stopped then.
 *
 * @param name what it is called behind another server; a target itself has none.
 */
export async function startServer(
  { server, options }: ServerChoice,
  around: ServerSurroundings,
  signal: AbortSignal,
  name?: string,
): Promise<RunningServer> {
  const plugin = around.servers.get(server);
  if (plugin === undefined) {
    throw new Error(
      `There is no plugin "${server}"${name === undefined ? "" : ` for the server "${name}"`}; its options were not resolved with these plugins`,
    );
  }
  signal.throwIfAborted();
  const started: unknown = await plugin.start(options, createServerContext(around, signal, name));
  const running = (typeof started === "object" && started !== null ? started : {}) as Readonly<Record<string, unknown>>;
  const fault = describeFault(started, running);
  if (fault === undefined) return started as RunningServer;
  if (typeof running["stop"] === "function") {
    await Promise.resolve(Reflect.apply(running["stop"], started, [])).catch(() => {});
  }
  throw new StartError(
    `The server plugin "${plugin.name}": expected its start to resolve with { url, processes, died, stop }, but ${fault}. ` +
      "That is a mistake in the plugin: mend it there.",
  );
}

function describeFault(
  started: unknown,
  { url, processes, died, stop }: Readonly<Record<string, unknown>>,
): string | undefined {
  if (typeof started !== "object" || started === null) return `it resolves with ${show(started)}`;
  if (typeof url !== "string" || !URL.canParse(url)) return `its "url" is no URL: ${show(url)}`;
  if (!Array.isArray(processes)) return `its "processes" is no list: ${show(processes)}`;
  if (typeof died !== "object" || died === null || !("then" in died)) return `its "died" is no promise: ${show(died)}`;
  return typeof stop === "function" ? undefined : `its "stop" is no function: ${show(stop)}`;
}

function show(value: unknown): string {
  return inspect(value, { depth: 0, breakLength: Number.POSITIVE_INFINITY });
}
