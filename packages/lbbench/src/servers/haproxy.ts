import net from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { setTimeout as wait } from "node:timers/promises";
import { DEFAULTS } from "../config/defaults.js";
import type { BackendShare } from "../model/measurement.js";
import type { FaultyPart, RunningServer, Server, ServerContext } from "../plugin.js";
import {
  balancerProgramOptions,
  balancerView,
  PROGRAM_POLICIES,
  configName,
  translatePolicy,
  type BalancerProgramOptions,
} from "./balancer-programs.js";
import { startConfigured } from "./configured-program.js";
import type { ProgramLife } from "./program-lives.js";
import { waitUntil } from "./ready.js";
import { addShares, nameWithin, protocolOfBackends, startInFront, type StartedBackend } from "./start-in-front.js";

const CONFIG_FILE = "haproxy.cfg";
/** In the folder of the configuration. */
const STATS_SOCKET = "stats.sock";
const LOOK_INTERVAL_MS = 5;

/**
 * Backends behind HAProxy, which has to be installed (2.6 or newer for a hash of cookies, else 2.2). `keepAlive` is for each backend. A
 * request for a backend that has `maxConnections` waits for ten seconds at most. No backend is ever left out: a request that cannot be
 * sent to one is sent to another, once. It runs as a master with one worker; requests that a worker got just before a reload may not be
 * counted.
 */
export const haproxyServer: Server<BalancerProgramOptions> = {
  name: "haproxy",
  options: balancerProgramOptions("haproxy"),
  balances: true,
  policies: PROGRAM_POLICIES,
  protocol: protocolOfBackends,
  start: (chosen, context) =>
    startInFront(chosen.backends, context, (backends) => startHaproxy(chosen, backends, context)),
};

async function startHaproxy(
  chosen: BalancerProgramOptions,
  backends: readonly StartedBackend[],
  context: ServerContext,
): Promise<RunningServer> {
  const name = nameWithin(context, "balancer");
  const view = haproxyView(chosen, backends, context);
  const { server, lives, first } = await startConfigured(
    {
      protocol: view.grpc ? "grpc" : "http",
      chosen,
      watched: { role: "balancer", name: nameWithin(context, "haproxy") },
      part: name,
      template: HAPROXY_TEMPLATE,
      view,
      installation: { title: "HAProxy", packageName: "haproxy" },
      // Master and worker, because a reload starts new workers; in the foreground, also if a template says otherwise.
      args: ["-W", "-db", "-f", CONFIG_FILE],
      configFile: CONFIG_FILE,
      signals: { finish: "SIGUSR1", reload: "SIGUSR2" },
      // Its socket tells it apart from another program that has just taken the port.
      waitUntilItself: async (at, signal) => {
        if (chosen.template === undefined) await waitUntil(() => sharesOf(backends, at), signal);
      },
    },
    context,
  );
  // The user's template may have no such socket, one that may not drain, or other names for the servers.
  const proxy = await drainingProxy(first);
  const drainable = proxy === undefined ? [] : backends;
  const parts = drainable.map((backend, index): FaultyPart => ({
    name: nameWithin(context, backend.name),
    role: "backend",
    can: ["drain", "restore"],
    apply: ({ kind }) => lives.demand((life) => setDrained(life, `${proxy}/${configName(index)}`, kind === "drain")),
  }));
  const whole = { ...server, parts: [...lives.server.parts, ...parts] };
  const canCount = await sharesOf(backends, first.folder ?? "").catch(() => undefined);
  if (canCount === undefined) return whole;
  return { ...whole, backends: lives.tally((life) => sharesOf(backends, life.folder ?? ""), {}, addShares) };
}

/** What the template of HAProxy in front of backends can say; throws a `StartError` for what HAProxy cannot. */
export function haproxyView(
  options: BalancerProgramOptions,
  backends: readonly StartedBackend[],
  clients: Pick<ServerContext, "httpVersion">,
) {
  return {
    ...balancerView(options, backends, clients),
    /** What follows `balance`: `hdr(x-user)`. */
    algorithm: translatePolicy(options.policy, "haproxy"),
    /** Whether most keys stay where they are when a backend comes or goes. */
    consistent: options.policy.startsWith("consistent-hash"),
    /**
     * Where it is asked for its counts: with a `stats socket` there, and the servers called by their names, shares are its own. With
     * `level admin` they can be drained.
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
  const stats = parseServerStats(await ask(folder, SHOW_SERVERS));
  const shares = backends.map(({ name }, index) => {
    const share = stats.get(configName(index));
    if (share === undefined) throw new Error(`HAProxy does not tell of ${name}`);
    return [name, share];
  });
  return Object.fromEntries(shares);
}

/** Every proxy (-1), servers only (4), every one of them (-1). */
const SHOW_SERVERS = "show stat -1 4 -1";

/** The answer to one command; rejects where there is no socket. */
async function ask(folder: string, command: string): Promise<string> {
  const socket = net.connect({ path: join(folder, STATS_SOCKET), signal: AbortSignal.timeout(5000) });
  socket.write(`${command}\n`);
  return text(socket);
}

/** The part of the configuration whose servers, called by their names, can be drained; `undefined` where there is none. */
async function drainingProxy({ folder }: ProgramLife): Promise<string | undefined> {
  try {
    const found = readServers(await ask(folder ?? "", SHOW_SERVERS)).find((field) => field("svname") === configName(0));
    const proxy = found?.("pxname");
    // The server is ready already: the answer shows whether the socket allows changes (level admin).
    const answer = await ask(folder ?? "", `set server ${proxy}/${configName(0)} state ready`);
    return answer.trim() === "" ? proxy : undefined;
  } catch {
    return undefined;
  }
}

/** Gives a server of the configuration nothing new, or gives to it again; resolves when it is seen to be so. */
async function setDrained({ folder }: ProgramLife, server: string, isDrained: boolean): Promise<void> {
  const answer = await ask(folder ?? "", `set server ${server} state ${isDrained ? "drain" : "ready"}`);
  if (answer.trim() !== "") throw new Error(`HAProxy refuses it: ${answer.trim()}`);
  const endMs = performance.now() + DEFAULTS.faults.idleLimitMs;
  for (;;) {
    const rows = readServers(await ask(folder ?? "", SHOW_SERVERS));
    const field = rows.find((one) => `${one("pxname")}/${one("svname")}` === server);
    const isSo = field !== undefined && field("status").startsWith("DRAIN") === isDrained;
    const isOver = performance.now() > endMs;
    // Requests under way are waited for, up to a limit.
    if (isSo && (!isDrained || isOver || field("scur") === "0")) return;
    if (isOver) throw new Error(`HAProxy tells that ${server} is ${field?.("status") ?? "gone"}`);
    await wait(LOOK_INTERVAL_MS);
  }
}

/** Reads the answer to `show stat`, which is CSV: of each server what tells its fields by name. */
function readServers(answer: string): readonly ((name: string) => string)[] {
  const [heading = [], ...servers] = answer.split("\n").map((line) => line.replace(/^# /, "").split(","));
  return servers.map((fields) => (name) => fields[heading.indexOf(name)] ?? "");
}

/** What each server got, by its name; an answer that is something else names none of ours. */
export function parseServerStats(
  answer: string,
): ReadonlyMap<string, Required<Pick<BackendShare, "requests" | "errors">>> {
  return new Map(
    readServers(answer).map((field) => {
      // Failures to connect, and answers that were none or broke off.
      const errors = Number(field("econ")) + Number(field("eresp"));
      return [field("svname"), { requests: Number(field("stot")), errors }];
    }),
  );
}

/**
 * The configuration of HAProxy in front of backends, as a Mustache template. Of clients it takes HTTP/1.1 and HTTP/2 alike: it knows
 * HTTP/2 without TLS by its preface.
 */
export const HAPROXY_TEMPLATE = `global
  nbthread {{workers}}
  maxconn {{clientConnections}}
  stats socket {{statsSocket}} mode 600 level admin

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
  server {{name}} {{address}}{{#grpc}} proto h2{{/grpc}} weight {{weight}}{{#maxConnections}} maxconn {{maxConnections}}{{/maxConnections}}{{#keepAlive}} pool-max-conn {{keepAlive}}{{/keepAlive}}
{{/backends}}
`;
