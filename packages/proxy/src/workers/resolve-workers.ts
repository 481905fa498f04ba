import cluster from "node:cluster";
import { BalancerOptionsError } from "../options/balancer-options-error.js";
import type { BalancerOptions } from "../options/options.js";
import { refuseUnknown, resolveNumber, resolveWord, show } from "../options/resolve-values.js";
import { loadPolicy } from "../policies/load-policy.js";
import type { PlainBalancerOptions, WorkersOptions } from "./workers-options.js";

const MAX_WORKERS = 1024;

/** Checks what is of the workers alone, not the balancer's own options; throws a `BalancerOptionsError`. */
export function checkWorkersOptions(options: WorkersOptions): void {
  if (!cluster.isPrimary) {
    throw new BalancerOptionsError(
      "workers: expected a process that is no worker of a cluster itself; this one is. " +
        "Start them in the primary, or use createBalancer here.",
    );
  }
  refuseUnknown(options, ["workers", "balancer", "listen", "log", "execArgv"], "");
  if (resolveNumber(options.workers, "workers", { from: 1 }) > MAX_WORKERS) {
    throw new BalancerOptionsError(`workers: expected at most ${MAX_WORKERS}, got ${options.workers}.`);
  }
  if (options.log !== undefined) {
    refuseUnknown(options.log, ["format"], "log");
    resolveWord(options.log.format, ["json", "combined"], "log.format");
  }
  const { execArgv = [] } = options;
  if (!Array.isArray(execArgv) || execArgv.some((argument) => typeof argument !== "string")) {
    throw new BalancerOptionsError(`execArgv: expected a list of texts, got ${show(execArgv)}.`);
  }
}

/** Turns plain options into those of `createBalancer`; rejects with a `BalancerOptionsError`. */
export async function fromPlainOptions(options: PlainBalancerOptions): Promise<BalancerOptions> {
  const { policy, ...rest } = options;
  if ("onRequest" in rest && rest.onRequest !== undefined) {
    throw new BalancerOptionsError("onRequest: a function cannot be sent to a worker. Use the option log.");
  }
  if (policy === undefined) return rest;
  if (typeof policy !== "string") {
    throw new BalancerOptionsError(
      `policy: expected a text like "round-robin", which can be sent to a worker; got ${show(policy)}.`,
    );
  }
  return { ...rest, policy: await loadPolicy(policy) };
}
