/** What nginx and HAProxy have in common in front of backends: their options, what their templates can say, and policies. */
import { readFileSync } from "node:fs";
import { BALANCER_DEFAULTS } from "@lbbench/proxy/defaults";
import { parsePolicy } from "@lbbench/proxy/parse-policy";
import * as z from "zod";
import { DEFAULTS } from "../config/defaults.js";
import { addressOf } from "../stats/url-address.js";
import { StartError } from "../system/program.js";
import type { ProgramPlace } from "./configured-program.js";
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
import type { StartedBackend } from "./start-in-front.js";

/** Descriptors that a program needs beside those of its connections. */
const OTHER_DESCRIPTORS = 100;

/** Both programs take any up to this, and nginx makes 160 entries per unit for a consistent hash. */
const MOST_WEIGHT = 256;

/** As many as {@link DEFAULTS}, or as the limit of descriptors leaves room for, where each needs another one to a backend. */
function defaultClientConnections(): number {
  const most = DEFAULTS.balancerProgram.clientConnections;
  const limit = readDescriptorLimit();
  return limit === null ? most : Math.max(1, Math.min(most, Math.floor((limit - OTHER_DESCRIPTORS) / 2)));
}

/** How many files and connections a process may have open; `null` where that cannot be told. */
function readDescriptorLimit(): number | null {
  try {
    const soft = /^Max open files\s+(\d+)/m.exec(readFileSync("/proc/self/limits", "utf8"))?.[1];
    return soft === undefined ? null : Number(soft);
  } catch {
    return null;
  }
}

/**
 * The options of a program that balances.
 *
 * @param checkPolicy throws an Error for a policy that the program cannot do.
 */
export function balancerProgramOptions(defaultProgram: string, checkPolicy: (text: string) => unknown) {
  return z
    .strictObject({
      ...backendsOptions,
      policy: parsedBy(checkPolicy).default(DEFAULTS.policy),
      /** Processes of nginx, threads of HAProxy. */
      workers: processesOption.default(DEFAULTS.balancerProgram.workers),
      /** Idle connections kept to backends; 0 makes one for each request. */
      keepAlive: z.int().min(0).max(65_535).default(DEFAULTS.balancerProgram.keepAlive),
      /** Most connections to one backend; any number without it. */
      maxConnections: z.int().min(1).max(65_535).optional(),
      /** Connections of clients that there has to be room for. */
      clientConnections: z.int().min(1).max(1_000_000).default(defaultClientConnections),
      template: templateOption,
      program: programOption.default(defaultProgram),
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
  options: Pick<BalancerProgramOptions, "workers" | "keepAlive" | "clientConnections" | "maxConnections">,
  backends: readonly StartedBackend[],
  { port, folder }: ProgramPlace,
) {
  const maxConnections = options.maxConnections ?? null;
  const names = configNames(backends.map(({ name }) => name));
  const { backlog, retries, backendIdleMs, timeouts } = BALANCER_DEFAULTS;
  return {
    host: DEFAULTS.host,
    port,
    /** Path of the folder in which the configuration is, and in which the program runs; it is removed afterwards. */
    folder,
    backends: backends.map(({ url, weight }, index) => ({
      /** With `_` for all but letters, digits, `.`, `_` and `-`; its own among them. */
      name: names[index] ?? "",
      /** `127.0.0.1:8080`. */
      address: plainHttpAddressOf(url),
      weight,
      maxConnections,
    })),
    workers: options.workers,
    /** 0 for a connection per request. */
    keepAlive: options.keepAlive,
    clientConnections: options.clientConnections,
    maxConnections,
    /** Connections of clients that wait to be accepted. */
    backlog,
    /** How often a request is sent once more, to another backend. */
    retries,
    connectMs: timeouts.connectMs,
    responseMs: timeouts.responseMs,
    idleMs: timeouts.idleMs,
    headMs: timeouts.headMs,
    /** For an idle connection of a client. */
    keepAliveMs: timeouts.keepAliveMs,
    /** For an idle connection to a backend. */
    backendIdleMs,
    /** For a request to wait for a backend that has all the connections it may have. */
    queueMs: timeouts.queueMs,
  };
}

/** Names as words that mean nothing in any configuration, each of them different. */
export function configNames(names: readonly string[]): readonly string[] {
  const taken = new Set<string>();
  return names.map((name) => {
    const word = name.replaceAll(/[^\w.-]/g, "_");
    let free = word;
    for (let number = 2; taken.has(free); number += 1) free = `${word}_${number}`;
    taken.add(free);
    return free;
  });
}

function plainHttpAddressOf(origin: string): string {
  const { protocol, hostname } = new URL(origin);
  // The name of a host may have characters in it that end a word, or a line, of a configuration.
  if (protocol !== "http:" || !/^([\w.-]+|\[[\da-f:.]+\])$/i.test(hostname)) {
    throw new StartError(
      `Expected backends like http://127.0.0.1:8080 behind nginx and HAProxy, which speak plain HTTP to them here; got ${origin}. ` +
        'The server "balanced" speaks https to backends.',
    );
  }
  return `${hostname}:${addressOf(origin).port}`;
}

/** What requests with the same value of go to the same backend, where a policy looks at that. */
export interface PolicyKey {
  readonly kind: "path" | "header" | "cookie";
  /** Of the header, in lower case, or of the cookie; empty for the path. */
  readonly name: string;
}

/** Says a policy in the words of a program. Throws an Error for a key that the program cannot read. */
export type PolicyWords<Words> = (key: PolicyKey) => Words;

/**
 * Translates a policy as lbbench writes it, such as `consistent-hash:header:x-user`, into the words of a program. Throws
 * an Error that says what was expected for one that there is not, or that the program cannot do.
 *
 * @param program its name, for the message.
 * @param dictionary its words for each policy it can do.
 */
export function translatePolicy<Words>(
  text: string,
  program: string,
  dictionary: ReadonlyMap<string, PolicyWords<Words>>,
): Words {
  const can = `${program} can do ${[...dictionary.keys()].join(", ")}`;
  if (/^[./@]/.test(text)) throw new Error(`expected a policy that ${program} has itself, not a module: ${can}`);
  parsePolicy(text);
  const [policy = "", kind, ...rest] = text.split(":");
  const words = dictionary.get(policy);
  if (words === undefined) throw new Error(`expected a policy that ${program} has: ${can}`);
  if (kind === "seed") throw new Error(`expected no seed, because ${program} draws as it likes: ${can}`);
  const name = rest.join(":");
  if (kind === "header") return words({ kind, name: name.toLowerCase() });
  return words(kind === "cookie" ? { kind, name } : { kind: "path", name: "" });
}
