/** A process that runs one balancer: called by the server plugins over its channel. */
import { createBalancer, type Balancer, type BalancerOptions, type ListenOptions } from "@lbbench/proxy";
import { serveChild } from "../system/fork.js";
import type { BackendShare, BackendTurns } from "../model/measurement.js";
import { loadOwnPolicy, watchTurns } from "./balancer-policy.js";

/** What to balance over, how, and where. */
export interface BalancerProcessOptions {
  /** What can be said as plain data. */
  readonly balancer: Omit<BalancerOptions, "policy" | "onRequest">;
  /** The policy as text, and the folder in which the path of a module begins. */
  readonly policy: { readonly text: string; readonly folder: string };
  readonly listen: ListenOptions;
}

/** The functions of a balancer process. */
export interface BalancerProcess {
  readonly start: (options: BalancerProcessOptions) => Promise<{ readonly url: string }>;
  readonly shares: () => Readonly<Record<string, BackendShare>>;
  /** Which backends were picked since this was last called, for requests or, in mode tcp, connections. */
  readonly turns: () => BackendTurns;
}

let balancer: Balancer | undefined;
let watch: ReturnType<typeof watchTurns> | undefined;

const functions: BalancerProcess = {
  start: async ({ balancer: options, policy, listen }) => {
    const loaded = await loadOwnPolicy(policy.text, policy.folder);
    watch = watchTurns(loaded, options.mode === "tcp" ? "connections" : "requests");
    balancer = createBalancer({ ...options, policy: watch.policy });
    return balancer.listen(listen);
  },
  shares: () =>
    Object.fromEntries(
      Object.entries(balancer?.stats() ?? {}).map(([name, { requests, errors }]) => [name, { requests, errors }]),
    ),
  turns: () => {
    if (watch === undefined) throw new Error("Expected a balancer that was started.");
    return watch.take();
  },
};

serveChild(functions, () => balancer?.close({ graceMs: 0 }));
