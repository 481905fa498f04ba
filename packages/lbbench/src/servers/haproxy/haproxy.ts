import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { DEFAULTS } from "../../config/defaults.js";
import type { BackendShare } from "../../model/measurement.js";
import type { RunningServer, Server, ServerContext } from "../../plugin.js";
import { balancerProgramOptions, type BalancerProgramOptions } from "../balancer-program-options.js";
import { configNames } from "../balancer-program-view.js";
import { FOLDER_PLACE, startForegroundProgram } from "../../system/supervise.js";
import { chooseTemplate, quoteLines } from "../config-template.js";
import { explainMissing, locateProgram, withServerFolders } from "../../system/program.js";
import { nameWithin, startInFront, type StartedBackend } from "../start-in-front.js";
import { waitUntilAccepts } from "../wait-until-accepts.js";
import { haproxyBalance } from "./balance.js";
import { haproxyConfig, STATS_SOCKET } from "./config.js";
import { readServerStats } from "./server-stats.js";
import { TEMPLATE } from "./template.js";

const INSTALLATION = { title: "HAProxy", packageName: "haproxy" };
const CONFIG_FILE = "haproxy.cfg";
const RETRY_MS = 10;

/**
 * Backends behind HAProxy, which has to be installed (2.6 or newer for a hash of cookies, else 2.2). Options: `backends`,
 * `handler`, `policy`, `workers` (threads), `keepAlive` (for each backend), `maxConnections`, `clientConnections`,
 * `template`, `program`, `port`.
 *
 * A request for a backend that has `maxConnections` waits for ten seconds at most. No backend is ever left out: a request
 * that cannot be sent to one is sent to another, once.
 */
export const haproxyServer: Server<BalancerProgramOptions> = {
  name: "haproxy",
  options: balancerProgramOptions(DEFAULTS.haproxy.program, haproxyBalance),
  balances: true,
  start: (chosen, context) =>
    startInFront(chosen.backends, context, (backends) => runHaproxy(chosen, backends, context)),
};

async function runHaproxy(
  chosen: BalancerProgramOptions,
  backends: readonly StartedBackend[],
  context: ServerContext,
): Promise<RunningServer> {
  const template = await chooseTemplate(chosen.template, TEMPLATE, context.folder);
  const name = nameWithin(context, "haproxy");
  const { folder, ...server } = await startForegroundProgram(
    chosen.port,
    (port) => {
      const url = new URL(`http://${DEFAULTS.host}:${port}`);
      const text = haproxyConfig(chosen, backends, { port, folder: FOLDER_PLACE }, template);
      return {
        title: name,
        shortName: name,
        command: {
          // In the foreground, whatever a template says of it.
          argv: [locateProgram(chosen.program, context.folder), "-db", "-f", CONFIG_FILE],
          env: withServerFolders(context.env),
          cwd: FOLDER_PLACE,
          files: { [CONFIG_FILE]: text },
        },
        url,
        watched: { role: "balancer", name },
        readyTimeoutMs: DEFAULTS.balancerProgram.readyTimeoutMs,
        waitUntilReady: async (signal, at) => {
          await waitUntilAccepts(url, signal);
          // Its own socket tells it from another program that took the port a moment before it.
          if (template.path === null) await waitForStats(join(at ?? "", STATS_SOCKET), signal);
        },
        slowAdvice: "A template has to bind {{host}}:{{port}}.",
        explainRunError: (message) => explainMissing(chosen.program, INSTALLATION, message),
        explainEnd: (output) => quoteLines(text, CONFIG_FILE, output),
      };
    },
    context,
  );
  const shares = (): Promise<Readonly<Record<string, BackendShare>>> =>
    sharesOf(backends, join(folder ?? "", STATS_SOCKET));
  // A template of the user's may have no such socket, or call the servers otherwise.
  const tells = await shares().then(
    () => true,
    () => false,
  );
  return tells ? { ...server, backends: shares } : server;
}

async function waitForStats(path: string, signal: AbortSignal): Promise<void> {
  for (;;) {
    try {
      await readServerStats(path);
      return;
    } catch {
      await setTimeout(RETRY_MS, undefined, { signal });
    }
  }
}

/** What each backend got, by its own name; rejects when HAProxy does not tell it of all. */
async function sharesOf(
  backends: readonly StartedBackend[],
  socketPath: string,
): Promise<Readonly<Record<string, BackendShare>>> {
  const stats = await readServerStats(socketPath);
  const words = configNames(backends.map(({ name }) => name));
  return Object.fromEntries(
    backends.map(({ name }, index) => {
      const share = stats.get(words[index] ?? "");
      if (share === undefined) throw new Error(`HAProxy has no server "${words[index]}"`);
      return [name, share];
    }),
  );
}
