import { inspect } from "node:util";
import * as z from "zod";
import { DEFAULTS } from "../config/defaults.js";
import type { HttpVersion } from "../model/scenario.js";
import type { RunningServer, Server, ServerChoice, ServerContext } from "../plugin.js";
import { StartError } from "../system/program.js";
import { defined } from "../stats/defined.js";

/** What all servers of a run are started with, by their plugins; `httpVersion` is 1.1 where it is absent. */
export interface ServerSurroundings extends Pick<ServerContext, "folder" | "env" | "signal"> {
  /** Plugins by name. */
  readonly servers: ReadonlyMap<string, Server>;
  readonly httpVersion?: HttpVersion;
  readonly serverTiming?: boolean | undefined;
  readonly connectTo?: string | undefined;
}

/** The context of a server's start, in which it can start others. */
export function createServerContext(around: ServerSurroundings, name?: string): ServerContext {
  const { folder, env, signal, httpVersion = DEFAULTS.httpVersion, serverTiming, connectTo } = around;
  return {
    signal,
    ...defined({ name, serverTiming, connectTo }),
    folder,
    env,
    httpVersion,
    // Balancers speak HTTP/1.1 with their backends.
    startServer: (choice, nested) => startServer(choice, { ...around, httpVersion: DEFAULTS.httpVersion }, nested),
  };
}

/**
 * Starts a server by its plugin. Rejects with the error of the plugin, or with a {@link StartError} if the server that it returns does not
 * fit the interface; that server is stopped.
 *
 * @param name of a server behind another one; a target has none.
 */
export async function startServer(
  { server, options }: ServerChoice,
  around: ServerSurroundings,
  name?: string,
): Promise<RunningServer> {
  const plugin = around.servers.get(server);
  if (plugin === undefined) {
    throw new Error(
      `There is no plugin "${server}"${name === undefined ? "" : ` for the server "${name}"`}; its options were not resolved with these plugins`,
    );
  }
  around.signal.throwIfAborted();
  const started = await plugin.start(options, createServerContext(around, name));
  const fault = faultOf(started, runningServer);
  if (fault === undefined) return started;
  await (async () => started.stop())().catch(() => {});
  throw new StartError(
    `The server plugin "${plugin.name}": expected its start to resolve with { url, processes, died, stop }, but ${fault}. ` +
      "That is a mistake in the plugin: mend it there.",
  );
}

const runningServer = z.looseObject({
  url: z.string().refine((url) => URL.canParse(url), "expected a URL"),
  processes: z.array(z.unknown()),
  died: z.custom((died) => typeof died === "object" && died !== null && "then" in died, "expected a promise"),
  stop: z.custom((stop) => typeof stop === "function", "expected a function"),
});

/** Says where the server of a plugin does not fit the interface, what was expected and what came; `undefined` if it fits. */
export function faultOf(answer: unknown, schema: z.ZodType): string | undefined {
  const [issue] = schema.safeParse(answer).error?.issues ?? [];
  if (issue === undefined) return undefined;
  const came = issue.path.reduce((value: unknown, key) => (value as Record<PropertyKey, unknown>)[key], answer);
  const place = issue.path.length === 0 ? "" : `${z.core.toDotPath(issue.path)}: `;
  const expected = issue.message.replaceAll(/^Invalid input: |, received .*$/g, "");
  return `${place}${expected}, got ${inspect(came, { depth: 0, maxStringLength: 60, breakLength: Infinity })}`;
}
