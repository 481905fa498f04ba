import { onTestFinished } from "vitest";
import type { HttpVersion, RunningServer, Server } from "../../plugin.js";
import { startPlugin } from "../../testing/server-contract.js";
import { builtInServers } from "../built-in-servers.js";

/** Starts a built-in server, which is stopped when the test has finished. */
export async function startBuiltIn(name: string, options: object, httpVersion?: HttpVersion): Promise<RunningServer> {
  const running = await startPlugin(builtInServers.get(name) as Server, options, undefined, httpVersion);
  onTestFinished(running.stop);
  return running;
}
