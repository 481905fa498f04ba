import net from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import * as z from "zod";
import { DEFAULTS } from "../config/defaults.js";
import type { BackendShare } from "../model/measurement.js";
import type { RunningServer, Server, ServerContext } from "../plugin.js";
import {
  balancerProgramOptions,
  balancerView,
  configNames,
  translatePolicy,
  type BalancerProgramOptions,
  type PolicyKey,
  type PolicyWords,
} from "./balancer-programs.js";
import {
  chooseTemplate,
  renderChosen,
  startConfigured,
  type ChosenTemplate,
  type ProgramPlace,
} from "./configured-program.js";
import { waitUntil } from "./ready.js";
import { nameWithin, startInFront, type StartedBackend } from "./start-in-front.js";

const CONFIG_FILE = "haproxy.cfg";
/** In the folder of the configuration. */
const STATS_SOCKET = "stats.sock";

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
  const { program, port } = chosen;
  const template = await chooseTemplate(chosen.template, TEMPLATE, context.folder);
  const { folder, ...server } = await startConfigured(
    {
      program,
      port,
      watched: { role: "balancer", name: nameWithin(context, "haproxy") },
      config: (place) => haproxyConfig(chosen, backends, place, template),
      installation: { title: "HAProxy", packageName: "haproxy" },
      // In the foreground, whatever a template says of it.
      args: ["-db", "-f", CONFIG_FILE],
      configFile: CONFIG_FILE,
      // Its own socket tells it from another program that took the port a moment before it.
      waitUntilItself: async (at, signal) => {
        if (template.path === null) await waitUntil(() => tells(readServerStats(join(at, STATS_SOCKET))), signal);
      },
      verb: "bind",
    },
    context,
  );
  const shares = (): Promise<Readonly<Record<string, BackendShare>>> =>
    sharesOf(backends, join(folder ?? "", STATS_SOCKET));
  // A template of the user's may have no such socket, or call the servers otherwise.
  return (await tells(shares())) ? { ...server, backends: shares } : server;
}

function tells(answer: Promise<unknown>): Promise<boolean> {
  return answer.then(
    () => true,
    () => false,
  );
}

/** The configuration of HAProxy in front of backends; throws a `StartError` for what it cannot say. */
export function haproxyConfig(
  options: BalancerProgramOptions,
  backends: readonly StartedBackend[],
  place: ProgramPlace,
  template: ChosenTemplate = { text: TEMPLATE, path: null },
): string {
  return renderChosen(template, {
    ...balancerView(options, backends, place),
    ...haproxyBalance(options.policy),
    /**
     * Where it is asked for its counts: with a `stats socket` there, and the servers called by their names, shares are its own.
     * Relative to the folder, because the path of a socket may not be long.
     */
    statsSocket: `unix@${STATS_SOCKET}`,
  });
}

/** A policy in the words of HAProxy. */
interface Balance {
  /** What follows `balance`: `hdr(x-user)`. */
  readonly algorithm: string;
  /** Whether most keys stay where they are when a backend comes or goes. */
  readonly consistent: boolean;
}

/** A policy as what follows `balance` in a configuration of HAProxy. */
function haproxyBalance(policy: string): Balance {
  return translatePolicy(policy, "HAProxy", ALGORITHMS);
}

const just =
  (algorithm: string): PolicyWords<Balance> =>
  () => ({ algorithm, consistent: false });

const ALGORITHMS: ReadonlyMap<string, PolicyWords<Balance>> = new Map([
  ["round-robin", just("roundrobin")],
  ["weighted-round-robin", just("roundrobin")],
  ["least-connections", just("leastconn")],
  ["random", just("random(1)")],
  ["power-of-two-choices", just("random(2)")],
  ["ip-hash", just("source")],
  ["consistent-hash", (key: PolicyKey) => ({ algorithm: keyed(key), consistent: true })],
]);

/** Names of headers and cookies may have quotes and comment signs in them; those are refused. */
function keyed({ kind, name }: PolicyKey): string {
  if (kind === "path") return "uri";
  if (!/^[\w.-]+$/.test(name)) {
    throw new Error(`expected a ${kind} whose name is of letters, digits, ".", "_" and "-" for HAProxy`);
  }
  return kind === "header" ? `hdr(${name})` : `hash req.cook(${name})`;
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

/** Every proxy (-1), servers only (4), every one of them (-1). */
const COMMAND = "show stat -1 4 -1 json\n";
const LIMIT_MS = 5000;

/** A server is a list of fields, each with its name and value. */
const statistics = z.array(
  z.array(
    z.object({
      field: z.object({ name: z.string() }),
      value: z.object({ value: z.union([z.string(), z.number()]) }),
    }),
  ),
);

/** Asks HAProxy at its socket what each server got; by the name of the server. Rejects when it does not answer so. */
async function readServerStats(socketPath: string): Promise<ReadonlyMap<string, Required<BackendShare>>> {
  const answer = await ask(socketPath);
  return parseServerStats(answer);
}

/** Reads the answer to `show stat ... json`; throws for anything else. */
export function parseServerStats(answer: string): ReadonlyMap<string, Required<BackendShare>> {
  const servers = statistics.parse(JSON.parse(answer));
  return new Map(
    servers.map((fields) => {
      const values = new Map(fields.map(({ field, value }) => [field.name, value.value]));
      const count = (name: string): number => Number(values.get(name) ?? 0);
      // Failures to connect, and answers that were none or broke off.
      return [String(values.get("svname")), { requests: count("stot"), errors: count("econ") + count("eresp") }];
    }),
  );
}

async function ask(path: string): Promise<string> {
  const socket = net.connect({ path, signal: AbortSignal.timeout(LIMIT_MS) });
  socket.write(COMMAND);
  return text(socket);
}

/** The configuration of HAProxy in front of backends, as a Mustache template. */
const TEMPLATE = `global
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
