/** What nginx and HAProxy have in common in front of backends: their options, what their templates can say, and policies. */
import { BALANCER_DEFAULTS } from "@lbbench/proxy/defaults";
import { parsePolicy } from "@lbbench/proxy/parse-policy";
import * as z from "zod";
import { DEFAULTS } from "../config/defaults.js";
import type { ServerContext } from "../plugin.js";
import { addressOf } from "../stats/url-address.js";
import { readDescriptorLimit } from "../system/ports.js";
import { StartError } from "../system/program.js";
import {
  backendsOptions,
  checkBackends,
  parsedBy,
  portOption,
  processesOption,
  programOption,
  templateOption,
  withGroups,
} from "./options.js";
import { speakGrpc, type StartedBackend } from "./start-in-front.js";

/** Descriptors that a program needs beside those of its connections. */
const OTHER_DESCRIPTORS = 100;

/** Both programs take any up to this, and nginx makes 160 entries per unit for a consistent hash. */
const MOST_WEIGHT = 256;

/** As many as {@link DEFAULTS}, or as the limit of descriptors leaves room for, where each needs another one to a backend. */
function defaultClientConnections(): number {
  const limit = readDescriptorLimit("self")?.soft ?? Infinity;
  const room = Math.floor((limit - OTHER_DESCRIPTORS) / 2);
  return Math.max(1, Math.min(DEFAULTS.balancerProgram.clientConnections, room));
}

/** The options of a program that balances. */
export function balancerProgramOptions(program: keyof typeof KEYS) {
  return z
    .strictObject({
      ...backendsOptions,
      policy: parsedBy((text) => translatePolicy(text, program)).default(DEFAULTS.policy),
      /** Processes of nginx, threads of HAProxy. */
      workers: processesOption.default(DEFAULTS.balancerProgram.workers),
      /** Idle connections kept to backends; 0 makes one for each request. */
      keepAlive: z.int().min(0).max(65_535).default(DEFAULTS.balancerProgram.keepAlive),
      /** Most connections to one backend; any number without it. */
      maxConnections: z.int().min(1).max(65_535).optional(),
      /** Connections of clients that there has to be room for. */
      clientConnections: z.int().min(1).max(1_000_000).default(defaultClientConnections),
      template: templateOption,
      program: programOption.default(DEFAULTS[program].program),
      port: portOption,
    })
    .superRefine((chosen, context) => {
      checkBackends(chosen, context);
      if (typeof chosen.backends === "number") return;
      for (const [index, { weight }] of chosen.backends.entries()) {
        if (Number.isInteger(weight) && weight <= MOST_WEIGHT) continue;
        const message = `expected a whole number of 1 to ${MOST_WEIGHT}`;
        context.addIssue({ code: "custom", path: ["backends", index, "weight"], message, input: weight });
      }
    })
    .transform(withGroups);
}

/** The options of a program that balances, checked. */
export type BalancerProgramOptions = z.infer<ReturnType<typeof balancerProgramOptions>>;

/**
 * What the template of a program that balances can say; times are those of lbbench's own balancer. Throws a {@link StartError} for a
 * backend that cannot be named in a configuration.
 */
export function balancerView(
  options: BalancerProgramOptions,
  backends: readonly StartedBackend[],
  { httpVersion }: Pick<ServerContext, "httpVersion">,
) {
  const { workers, keepAlive, clientConnections, maxConnections = null } = options;
  const { backlog, retries, backendIdleMs, timeouts } = BALANCER_DEFAULTS;
  const grpc = speakGrpc(backends);
  const chosen = { workers, keepAlive, clientConnections, maxConnections };
  return {
    backends: backends.map(({ url, weight }, index) => ({
      name: configName(index),
      /** `127.0.0.1:8080`. */
      address: plainAddressOf(url),
      weight,
      maxConnections,
    })),
    /** Whether the backends are gRPC services, which are spoken to over HTTP/2 without TLS. */
    grpc,
    /** Whether clients come with HTTP/2, by prior knowledge. Those of gRPC do always. */
    http2: grpc || httpVersion === "2",
    ...chosen,
    backlog,
    retries,
    backendIdleMs,
    ...timeouts,
  };
}

/** What a backend is called in a configuration, by its place: its own name may have characters in it that mean something there. */
export const configName = (index: number): string => `backend-${index + 1}`;

function plainAddressOf(origin: string): string {
  const { protocol, hostname } = new URL(origin);
  // The name of a host may have characters in it that end a word, or a line, of a configuration.
  if (!["http:", "grpc:"].includes(protocol) || !/^([\w.-]+|\[[\da-f:.]+\])$/i.test(hostname)) {
    throw new StartError(
      `Expected backends like http://127.0.0.1:8080 or grpc://127.0.0.1:50051 behind nginx and HAProxy, which speak to them ` +
        `without TLS here; got ${origin}. The server "balanced" speaks TLS to backends.`,
    );
  }
  return `${hostname}:${addressOf(origin).port}`;
}

/** What each program calls a policy; `KEY` stands for what requests with the same value of go to the same backend. */
const POLICIES = new Map([
  // Empty where it is what nginx does anyway.
  ["round-robin", { nginx: "", haproxy: "roundrobin" }],
  ["weighted-round-robin", { nginx: "", haproxy: "roundrobin" }],
  ["least-connections", { nginx: "least_conn", haproxy: "leastconn" }],
  ["random", { nginx: "random", haproxy: "random(1)" }],
  ["power-of-two-choices", { nginx: "random two least_conn", haproxy: "random(2)" }],
  ["ip-hash", { nginx: "ip_hash", haproxy: "source" }],
  ["consistent-hash", { nginx: "hash KEY consistent", haproxy: "KEY" }],
]);

/** Their names. */
export const PROGRAM_POLICIES: readonly string[] = [...POLICIES.keys()];

const haproxyNames = { names: /^[\w.-]+$/, allowed: 'letters, digits, ".", "_" and "-"' };

/** What each program calls a key, and which names it can look at: none that could end the word. */
const KEYS = {
  nginx: {
    title: "nginx",
    path: "$uri",
    // Headers with an underscore nginx throws away.
    header: {
      names: /^[a-z\d-]+$/,
      allowed: "letters, digits and -",
      word: (name: string) => `$http_${name.replaceAll("-", "_")}`,
    },
    cookie: { names: /^\w+$/, allowed: "letters, digits and _", word: (name: string) => `$cookie_${name}` },
  },
  haproxy: {
    title: "HAProxy",
    path: "uri",
    header: { ...haproxyNames, word: (name: string) => `hdr(${name})` },
    cookie: { ...haproxyNames, word: (name: string) => `hash req.cook(${name})` },
  },
};

/**
 * Translates a policy as lbbench writes it, such as `consistent-hash:header:x-user`, into the words of a program. Throws
 * an Error that says what was expected for one that there is not, or that the program cannot do.
 */
export function translatePolicy(text: string, program: keyof typeof KEYS): string {
  const { title, path, ...kinds } = KEYS[program];
  const can = `${title} can do ${[...POLICIES.keys()].join(", ")}`;
  if (/^[./@]/.test(text)) throw new Error(`expected a policy that ${title} has itself, not a module: ${can}`);
  parsePolicy(text);
  const [, policy = "", kind, name = ""] = /^([^:]+)(?::([^:]+))?(?::(.*))?$/.exec(text) ?? [];
  const words = POLICIES.get(policy)?.[program];
  if (words === undefined) throw new Error(`expected a policy that ${title} has: ${can}`);
  if (kind === "seed") throw new Error(`expected no seed, because ${title} draws as it likes: ${can}`);
  if (kind !== "header" && kind !== "cookie") return words.replace("KEY", () => path);
  const key = kind === "header" ? name.toLowerCase() : name;
  const { names, allowed, word } = kinds[kind];
  if (!names.test(key))
    throw new Error(`expected a ${kind} whose name is of ${allowed}, the only ones that lbbench can name to ${title}`);
  return words.replace("KEY", () => word(key));
}
