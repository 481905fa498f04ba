import assert from "node:assert/strict";
import { formatPath } from "../config/config-error.js";
import { resolveServer } from "../config/targets.js";
import type { RunningServer, Server, ServerChoice } from "../plugin.js";
import { createServerContext } from "../run/server-context.js";
import { builtInServers } from "../servers/built-in-servers.js";
import { acceptsConnections } from "./ports.js";
import { runningOf, type DescendantLog } from "./processes.js";

/** Starts a server plugin with options as a user writes them; the built-in servers may stand behind it. */
export async function startServer(
  server: Server,
  options: unknown,
  signal: AbortSignal = new AbortController().signal,
): Promise<RunningServer> {
  const servers = new Map([...builtInServers, [server.name, server] as const]);
  const choice = { server: server.name, options: options as ServerChoice["options"] };
  const resolved = resolveServer(choice, servers, (path) => `${server.name}: ${formatPath(path)}`);
  return server.start(resolved.options, createServerContext({ servers, folder: process.cwd(), env: {} }, signal));
}

/** Rejects when a process that was seen is running, or the port of a stopped server accepts connections. */
export async function expectNothingLeft({ url, processes }: RunningServer, descendants: DescendantLog): Promise<void> {
  const pids = new Set([...processes.map(({ pid }) => pid), ...descendants.seen()]);
  assert.deepEqual(runningOf(pids), [], "processes that are left");
  assert.equal(await acceptsConnections(url), false, `something still accepts connections at ${url}`);
}
