import type { BalancerOptions } from "@lbbench/proxy";
import { BALANCER_CHOICES, BALANCER_DEFAULTS } from "@lbbench/proxy/defaults";
import { builtInPolicies, parsePolicy } from "@lbbench/proxy/parse-policy";
import * as z from "zod";
import { DEFAULTS } from "../config/defaults.js";
import type { Child } from "../model/child.js";
import type { FaultyPart, RunningServer, Server, ServerContext } from "../plugin.js";
import { builtEntry, describeExit, forkChild, whileAlive } from "../system/fork.js";
import { signalProcess } from "../system/proc.js";
import { loadOwnPolicy } from "./balancer-policy.js";
import type { BalancerProcess } from "./balancer-process.js";
import { backendsOptions, checkBackends, parsedBy, portOption, withGroups } from "./options.js";
import { makeIdentity } from "./identity.js";
import { Lives, type Life } from "./lives.js";
import {
  addShares,
  nameWithin,
  protocolOfBackends,
  spokenBy,
  startInFront,
  type StartedBackend,
} from "./start-in-front.js";
import { defined } from "../stats/defined.js";
import { addressOf, SCHEMES } from "../stats/url-address.js";

const ENTRY = builtEntry(import.meta.url, "./balancer-process.js");

/** A path, or what npm allows as the name of a package. */
const MODULE = /^[./@]|^[a-z0-9][\w.~/-]*$/;

const plainOption = z.record(z.string(), z.unknown()).optional();

const options = z
  .strictObject({
    ...backendsOptions,
    /** As text, such as `consistent-hash:header:x-user`, or the path or package of a module, which `check` loads. */
    policy: parsedBy((text) => MODULE.test(text) || parsePolicy(text)).default(DEFAULTS.policy),
    mode: z.enum(BALANCER_CHOICES.mode).default(BALANCER_DEFAULTS.mode),
    transport: z.enum(BALANCER_CHOICES.transport).default(BALANCER_DEFAULTS.transport),
    retries: z.int().min(0).default(BALANCER_DEFAULTS.retries),
    whenFull: z.enum(BALANCER_CHOICES.whenFull).default(BALANCER_DEFAULTS.whenFull),
    /** Limits as the balancer takes and checks them. It has a default for each. */
    via: z.union([z.string(), z.literal(false)], 'expected a name, such as "edge", or false').optional(),
    health: plainOption,
    timeouts: plainOption,
    limits: plainOption,
    /** Whether clients are spoken to over TLS, with a certificate that is made at the start. */
    tls: z.boolean().default(false),
    port: portOption,
  })
  .superRefine((chosen, context) => {
    checkBackends(chosen, context);
    if (!chosen.tls || chosen.mode === "http") return;
    const message = `expected false in mode ${chosen.mode}, which relays what backends speak`;
    context.addIssue({ code: "custom", path: ["tls"], message, input: chosen.tls });
  })
  .transform(withGroups);

type BalancedOptions = z.infer<typeof options>;

/** Backends behind the balancer: sample servers, each in a process of its own, or any others. */
export const balancedServer: Server<BalancedOptions> = {
  name: "balanced",
  options,
  balances: true,
  policies: [...builtInPolicies.keys()],
  protocol: protocolOfBackends,
  // In mode tcp clients speak with the backends themselves.
  httpVersions: ({ mode }, ofBackends) => (mode === "tcp" ? ofBackends : undefined),
  check: async (chosen, { folder }) => {
    const { policy, via, health, timeouts, limits } = chosen;
    if (!isBuiltIn(policy)) await loadOwnPolicy(policy, folder);
    if ([via, health, timeouts, limits].every((option) => option === undefined)) return;
    // Loading the balancer takes time, and only these options need it.
    const { checkBalancerOptions } = await import("@lbbench/proxy");
    checkBalancerOptions(balancerOptions(chosen));
  },
  start: (chosen, context) =>
    startInFront(chosen.backends, context, (backends) => startBalancer(chosen, backends, context)),
};

/** One life of a balancer. */
interface BalancerLife extends Life {
  readonly url: string;
  readonly child: Child<BalancerProcess>;
}

async function startBalancer(
  options: BalancedOptions,
  backends: readonly StartedBackend[],
  context: ServerContext,
): Promise<RunningServer> {
  const { mode, policy } = options;
  const { env, folder, serverTiming = false } = context;
  const protocol = spokenBy(backends);
  const name = nameWithin(context, "balancer");
  const identity = options.tls ? await makeIdentity() : undefined;
  // The certificates that were made for backends.
  const trusted = backends.flatMap(({ certificate }) => certificate ?? []);
  const tls = defined({
    tls: identity && { cert: identity.certificate, key: identity.key },
    backendTls: trusted.length > 0 ? { ca: trusted.join("\n") } : undefined,
  });
  const told = { backends: backends.map(asBalanced), ...balancerOptions(options), ...tls, serverTiming };
  const launch = async (port: number, signal: AbortSignal): Promise<BalancerLife> => {
    const child = forkChild<BalancerProcess>(ENTRY, { name, env });
    try {
      const start = child.call.start(told, { text: policy, folder }, { port, host: DEFAULTS.host });
      const { url } = await whileAlive(child, start, signal);
      return {
        url,
        child,
        pids: () => [child.pid],
        watched: () => [{ pid: child.pid, role: "balancer", name, tree: false }],
        died: child.died.then((exit) => `the ${name} ended with ${describeExit(exit)}`),
        finish: () => {
          signalProcess(child.pid, "SIGTERM");
          return child.exited;
        },
        stop: child.stop,
      };
    } catch (error) {
      await child.stop();
      throw error;
    }
  };
  const first = await launch(options.port, context.signal);
  const { url } = first;
  const lives = new Lives({
    name,
    role: "balancer",
    first,
    begin: (signal) => launch(addressOf(url).port, signal),
  });
  const shares = lives.tally(
    ({ child: { call } }, isLast) => (isLast ? call.lastShares() : call.shares()),
    {},
    addShares,
  );
  /** The life that was last asked for its turns. A life that has ended takes with it what it has picked since. */
  let asked = first;
  return {
    ...lives.server,
    // What the clients speak, also if the balancer relays bytes (mode tcp).
    url: url.replace(/^\w+:/, `${SCHEMES[protocol]}${options.tls ? "s" : ""}:`),
    ...defined({ certificate: identity?.certificate }),
    parts: [
      ...lives.server.parts,
      ...backends.map((backend): FaultyPart => ({
        name: nameWithin(context, backend.name),
        role: "backend",
        can: ["drain", "restore"],
        apply: ({ kind }) =>
          lives.demand((life) =>
            kind === "drain" ? life.child.call.drain(backend.name) : life.child.call.restore(backend.name),
          ),
      })),
    ],
    // In mode tcp the balancer counts connections only, and of WebSockets no messages.
    ...defined({ backends: mode === "http" && protocol !== "websocket" ? shares : undefined }),
    turns: () =>
      lives.ask(async (life) => {
        const isAnother = life !== asked;
        asked = life;
        const turns = await life.child.call.turns();
        return isAnother ? undefined : turns;
      }),
  };
}

/** A backend with the URL by which the balancer knows it: gRPC is HTTP/2, and a WebSocket begins with HTTP/1.1. */
function asBalanced({ name, weight, url }: StartedBackend): StartedBackend {
  const known = url
    .replace(/^grpc:/, "h2c:")
    .replace(/^ws:/, "http:")
    .replace(/^(grpcs|wss):/, "https:");
  return { name, weight, url: known };
}

/** Options of the balancer beside its backends and its policy. */
function balancerOptions({ mode, transport, retries, whenFull, via, health, timeouts, limits }: BalancedOptions) {
  const options = { mode, transport, retries, whenFull, via, health, timeouts, limits };
  return options as Omit<BalancerOptions, "backends">;
}

function isBuiltIn(policy: string): boolean {
  try {
    return parsePolicy(policy) !== undefined;
  } catch {
    return false;
  }
}
