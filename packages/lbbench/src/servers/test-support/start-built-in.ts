import { onTestFinished } from "vitest";
import type { RunningServer, Server } from "../../plugin.js";
import { startPlugin } from "../../testing/server-contract.js";
import { builtInServers } from "../built-in-servers.js";

/** Starts a built-in server, which is stopped when the test has finished. */
export async function startBuiltIn(name: string, options: object): Promise<RunningServer> {
  const running = await startPlugin(builtInServers.get(name) as Server, options);
  onTestFinished(running.stop);
  return running;
}
