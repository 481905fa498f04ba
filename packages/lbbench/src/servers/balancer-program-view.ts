import { BALANCER_DEFAULTS } from "@lbbench/proxy/defaults";
import { DEFAULTS } from "../config/defaults.js";
import { addressOf } from "../stats/url-address.js";
import type { BalancerProgramOptions } from "./balancer-program-options.js";
import { StartError } from "../system/program.js";
import type { StartedBackend } from "./start-in-front.js";

/** Where a program is run. */
export interface ProgramPlace {
  readonly port: number;
  /** Folder of its files; what stands for it until there is one is put in place when it is made. */
  readonly folder: string;
}

/** A backend in a template. */
export type BackendView = {
  /** Its name, with `_` for all but letters, digits, `.`, `_` and `-`; its own among them. */
  readonly name: string;
  /** `127.0.0.1:8080`. */
  readonly address: string;
  readonly weight: number;
  readonly maxConnections: number | null;
};

/** What the template of a program that balances can say. Times are those of lbbench's own balancer. */
export type BalancerView = {
  readonly host: string;
  readonly port: number;
  /** Path of the folder in which the configuration is, and in which the program runs; it is removed afterwards. */
  readonly folder: string;
  readonly backends: readonly BackendView[];
  readonly workers: number;
  /** 0 for a connection per request. */
  readonly keepAlive: number;
  readonly clientConnections: number;
  readonly maxConnections: number | null;
  /** Connections of clients that wait to be accepted. */
  readonly backlog: number;
  /** How often a request is sent once more, to another backend. */
  readonly retries: number;
  readonly connectMs: number;
  readonly responseMs: number;
  readonly idleMs: number;
  readonly headMs: number;
  /** For an idle connection of a client. */
  readonly keepAliveMs: number;
  /** For an idle connection to a backend. */
  readonly backendIdleMs: number;
  /** For a request to wait for a backend that has all the connections it may have. */
  readonly queueMs: number;
};

/** Makes that view; throws a {@link StartError} for a backend that cannot be named in a configuration. */
export function balancerView(
  { workers, keepAlive, clientConnections, ...chosen }: BalancerProgramOptions,
  backends: readonly StartedBackend[],
  { port, folder }: ProgramPlace,
): BalancerView {
  const maxConnections = chosen.maxConnections ?? null;
  const names = configNames(backends.map(({ name }) => name));
  const { backlog, retries, backendIdleMs, timeouts } = BALANCER_DEFAULTS;
  const { connectMs, responseMs, idleMs, headMs, keepAliveMs, queueMs } = timeouts;
  return {
    host: DEFAULTS.host,
    port,
    folder,
    backends: backends.map(({ url, weight }, index) => ({
      name: names[index] ?? "",
      address: plainHttpAddressOf(url),
      weight,
      maxConnections,
    })),
    workers,
    keepAlive,
    clientConnections,
    maxConnections,
    backlog,
    retries,
    connectMs,
    responseMs,
    idleMs,
    headMs,
    keepAliveMs,
    backendIdleMs,
    queueMs,
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
