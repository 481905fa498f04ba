import type { RunningServer, Server, ServerChoice, ServerContext } from "../plugin.js";
import { checkRunningServer } from "./check-running-server.js";

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
    startServer: (choice, nested) => startServer(choice, nested, around, signal),
  };
}

async function startServer(
  { server, options }: ServerChoice,
  name: string,
  around: ServerSurroundings,
  signal: AbortSignal,
): Promise<RunningServer> {
  const plugin = around.servers.get(server);
  if (plugin === undefined) {
    throw new Error(
      `There is no plugin "${server}" for the server "${name}"; its options were not resolved with these plugins`,
    );
  }
  signal.throwIfAborted();
  const started: unknown = await plugin.start(options, createServerContext(around, signal, name));
  return checkRunningServer(started, plugin.name);
}
