import net from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import type { BackendShare } from "../model/measurement.js";
import type { RunningServer, Server, ServerContext } from "../plugin.js";
import {
  balancerProgramOptions,
  balancerView,
  configName,
  translatePolicy,
  type BalancerProgramOptions,
} from "./balancer-programs.js";
import { startConfigured } from "./configured-program.js";
import { waitUntil } from "./ready.js";
import { nameWithin, startInFront, type StartedBackend } from "./start-in-front.js";

const CONFIG_FILE = "haproxy.cfg";
/** In the folder of the configuration. */
const STATS_SOCKET = "stats.sock";

/**
 * Backends behind HAProxy, which has to be installed (2.6 or newer for a hash of cookies, else 2.2). `keepAlive` is for each backend. A
 * request for a backend that has `maxConnections` waits for ten seconds at most. No backend is ever left out: a request that cannot be
 * sent to one is sent to another, once.
 */
export const haproxyServer: Server<BalancerProgramOptions> = {
  name: "haproxy",
  options: balancerProgramOptions("haproxy"),
  balances: true,
  start: (chosen, context) =>
    startInFront(chosen.backends, context, (backends) => startHaproxy(chosen, backends, context)),
};

async function startHaproxy(
  chosen: BalancerProgramOptions,
  backends: readonly StartedBackend[],
  context: ServerContext,
): Promise<RunningServer> {
  const { folder, ...server } = await startConfigured(
    {
      chosen,
      watched: { role: "balancer", name: nameWithin(context, "haproxy") },
      template: HAPROXY_TEMPLATE,
      view: haproxyView(chosen, backends),
      installation: { title: "HAProxy", packageName: "haproxy" },
      // In the foreground, whatever a template says of it.
      args: ["-db", "-f", CONFIG_FILE],
      configFile: CONFIG_FILE,
      // Its own socket tells it from another program that took the port a moment before it.
      waitUntilItself: async (at, signal) => {
        if (chosen.template === undefined) await waitUntil(() => sharesOf(backends, at), signal);
      },
    },
    context,
  );
  const shares = (): Promise<Readonly<Record<string, BackendShare>>> => sharesOf(backends, folder ?? "");
  // A template of the user's may have no such socket, or call the servers otherwise.
  return shares().then(
    () => ({ ...server, backends: shares }),
    () => server,
  );
}

/** What the template of HAProxy in front of backends can say; throws a `StartError` for what HAProxy cannot. */
export function haproxyView(options: BalancerProgramOptions, backends: readonly StartedBackend[]) {
  return {
    ...balancerView(options, backends),
    /** What follows `balance`: `hdr(x-user)`. */
    algorithm: translatePolicy(options.policy, "haproxy"),
    /** Whether most keys stay where they are when a backend comes or goes. */
    consistent: options.policy.startsWith("consistent-hash"),
    /**
     * Where it is asked for its counts: with a `stats socket` there, and the servers called by their names, shares are its own.
     * Relative to the folder, because the path of a socket may not be long.
     */
    statsSocket: `unix@${STATS_SOCKET}`,
  };
}

/** What each backend got, by its own name; rejects when HAProxy, in its folder, does not tell it of all. */
async function sharesOf(
  backends: readonly StartedBackend[],
  folder: string,
): Promise<Readonly<Record<string, BackendShare>>> {
  const socket = net.connect({ path: join(folder, STATS_SOCKET), signal: AbortSignal.timeout(5000) });
  // Every proxy (-1), servers only (4), every one of them (-1).
  socket.write("show stat -1 4 -1\n");
  const stats = parseServerStats(await text(socket));
  const shares = backends.map(({ name }, index) => {
    const share = stats.get(configName(index));
    if (share === undefined) throw new Error(`HAProxy does not tell of ${name}`);
    return [name, share];
  });
  return Object.fromEntries(shares);
}

/** Reads the answer to `show stat`, which is CSV, by the name of each server; anything else names none of ours. */
export function parseServerStats(answer: string): ReadonlyMap<string, Required<BackendShare>> {
  const [heading = [], ...servers] = answer.split("\n").map((line) => line.replace(/^# /, "").split(","));
  return new Map(
    servers.map((fields) => {
      const field = (name: string): string => fields[heading.indexOf(name)] ?? "";
      // Failures to connect, and answers that were none or broke off.
      const errors = Number(field("econ")) + Number(field("eresp"));
      return [field("svname"), { requests: Number(field("stot")), errors }];
    }),
  );
}

/** The configuration of HAProxy in front of backends, as a Mustache template. */
export const HAPROXY_TEMPLATE = `global
  nbthread {{workers}}
  maxconn {{clientConnections}}
  stats socket {{statsSocket}} mode 600 level user

defaults
  mode http
  option redispatch 1
  retries {{retries}}
  timeout connect {{connectMs}}ms
  timeout client {{idleMs}}ms
  timeout server {{responseMs}}ms
  timeout queue {{queueMs}}ms
  timeout http-request {{headMs}}ms
  timeout http-keep-alive {{keepAliveMs}}ms

frontend clients
  bind {{host}}:{{port}}
  backlog {{backlog}}
  option forwardfor
  default_backend backends

backend backends
  balance {{algorithm}}
{{#consistent}}
  hash-type consistent
{{/consistent}}
{{#keepAlive}}
  option http-keep-alive
  http-reuse always
{{/keepAlive}}
{{^keepAlive}}
  option http-server-close
  http-reuse never
{{/keepAlive}}
{{#backends}}
  server {{name}} {{address}} weight {{weight}}{{#maxConnections}} maxconn {{maxConnections}}{{/maxConnections}}{{#keepAlive}} pool-max-conn {{keepAlive}}{{/keepAlive}}
{{/backends}}
`;
