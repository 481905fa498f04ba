import cluster from "node:cluster";
import type { RequestLogFormat } from "../observe/request-log.js";
import {
  type BackendStats,
  type Balancer,
  type BalancerOptions,
  BalancerOptionsError,
  type BalancerSnapshot,
  type CloseOptions,
  type ListenAddress,
  type ListenOptions,
} from "../options/options.js";
import * as z from "zod";
import { check, objectOf, oneOf, refuse, whole } from "../options/check.js";
import { loadPolicy } from "../policies/load-policy.js";

/** The options of a balancer as far as they can be sent to another process. */
export interface PlainBalancerOptions extends Omit<BalancerOptions, "policy" | "onRequest"> {
  /** How each worker picks a backend, as `loadPolicy` reads it; `round-robin` by default. */
  readonly policy?: string;
}

/** What the workers of a balancer are started with. */
export interface WorkersOptions {
  /** How many processes share the port, 1 to 1024. */
  readonly workers: number;
  readonly balancer: PlainBalancerOptions;
  /** Where they listen; by default all of them at one free port of 127.0.0.1. */
  readonly listen?: ListenOptions;
  /** Has each worker write a line for each request to the standard output, which it has from this process. */
  readonly log?: { readonly format: RequestLogFormat };
  /** Options of Node for the workers; none by default, also when this process has some. */
  readonly execArgv?: readonly string[];
}

/** What can be changed in a balancer, and so in its workers. */
export type BalancerChanges = Pick<
  Balancer,
  "addBackend" | "removeBackend" | "drainBackend" | "restoreBackend" | "setBackendWeight" | "reloadCertificates"
>;

/** The same as it is asked of other processes. */
type RemoteChanges = {
  readonly [Name in keyof BalancerChanges]: (...args: Parameters<BalancerChanges[Name]>) => Promise<void>;
} & Pick<Balancer, "reloadBackends">;

/**
 * A balancer that runs in several processes. Changes reach all workers and their replacements. They resolve when every worker has
 * made them. They reject with a `BalancerOptionsError`, with nothing changed, if one has bad options.
 */
export interface BalancerWorkers extends ListenAddress, RemoteChanges {
  /** Process ids of the workers that serve now. */
  readonly pids: () => readonly number[];
  /**
   * What all workers know, added up; of a backend's conditions the worst. A worker that dies leaves its last report, and its
   * requests in flight then count as `errors`. It reports ten times a second, whenever this is asked, and when it ends, except by
   * SIGKILL. `uncounted` says how much is not known of killed workers. A worker that does not answer within 2 s counts with its
   * last report.
   */
  readonly snapshot: () => Promise<BalancerSnapshot>;
  /** Counts of all workers by name of backend, with the same reservation. */
  readonly stats: () => Promise<Readonly<Record<string, BackendStats>>>;
  /**
   * Stops accepting, lets requests in flight finish for a grace period, then ends the rest. Resolves when no worker is
   * left; kills one that is still there 5 s after the grace period. May be called again, also to shorten that.
   */
  readonly close: (options?: CloseOptions) => Promise<void>;
}

const MAX_WORKERS = 1024;

/** Options of the workers themselves; each of the others is checked where it is used. */
const WORKERS = objectOf({
  workers: whole(1).max(MAX_WORKERS, `at most ${MAX_WORKERS}`),
  balancer: z.unknown().optional(),
  listen: z.unknown().optional(),
  log: objectOf({ format: oneOf(["json", "combined"]) }).optional(),
  execArgv: z.array(z.string(), "a list of texts").optional(),
} satisfies Record<keyof WorkersOptions, z.ZodType>);

/** Checks what is of the workers alone, not the balancer's own options; throws a `BalancerOptionsError`. */
export function checkWorkersOptions(options: WorkersOptions): void {
  if (!cluster.isPrimary) {
    throw new BalancerOptionsError(
      "workers: expected a process that is no worker of a cluster itself; this one is. " +
        "Start them in the primary, or use createBalancer here.",
    );
  }
  check(WORKERS, options, "");
}

/** Turns plain options into those of `createBalancer`; rejects with a `BalancerOptionsError`. */
export async function fromPlainOptions(options: PlainBalancerOptions): Promise<BalancerOptions> {
  const { policy, ...rest } = options;
  if ("onRequest" in rest && rest.onRequest !== undefined) {
    throw new BalancerOptionsError("onRequest: a function cannot be sent to a worker. Use the option log.");
  }
  if (policy === undefined) return rest;
  if (typeof policy !== "string") {
    refuse("policy", 'a text like "round-robin", which can be sent to a worker', policy);
  }
  return { ...rest, policy: await loadPolicy(policy) };
}
