import assert from "node:assert/strict";
import type { RunningServer, Server } from "../plugin.js";
import { acceptsConnections } from "./ports.js";
import { runningOf, type DescendantLog } from "./processes.js";

/** Starts a server plugin with options as a user writes them. */
export async function startServer(
  server: Server,
  options: unknown,
  signal: AbortSignal = new AbortController().signal,
): Promise<RunningServer> {
  return server.start(await server.options.parseAsync(options), { signal });
}

/** Rejects when a process that was seen is running, or the port of a stopped server accepts connections. */
export async function expectNothingLeft({ url, processes }: RunningServer, descendants: DescendantLog): Promise<void> {
  const pids = new Set([...processes.map(({ pid }) => pid), ...descendants.seen()]);
  assert.deepEqual(runningOf(pids), [], "processes that are left");
  assert.equal(await acceptsConnections(url), false, `something still accepts connections at ${url}`);
}
