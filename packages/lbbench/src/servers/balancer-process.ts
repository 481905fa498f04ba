/** A process that runs one balancer: called by the server plugins over its channel. */
import { createBalancer, loadPolicy, type Balancer, type BalancerOptions, type ListenOptions } from "@lbbench/proxy";
import { serveChild } from "../child/serve.js";
import type { BackendShare } from "../model/measurement.js";

/** What to balance over, how, and where. */
export interface BalancerProcessOptions {
  /** What can be said as plain data. */
  readonly balancer: Omit<BalancerOptions, "policy" | "onRequest">;
  /** The policy as text. */
  readonly policy: string;
  readonly listen: ListenOptions;
}

/** The functions of a balancer process. */
export interface BalancerProcess {
  readonly start: (options: BalancerProcessOptions) => Promise<{ readonly url: string }>;
  readonly shares: () => Readonly<Record<string, BackendShare>>;
}

let balancer: Balancer | undefined;

const functions: BalancerProcess = {
  start: async ({ balancer: options, policy, listen }) => {
    balancer = createBalancer({ ...options, policy: await loadPolicy(policy) });
    return balancer.listen(listen);
  },
  shares: () =>
    Object.fromEntries(
      Object.entries(balancer?.stats() ?? {}).map(([name, { requests, errors }]) => [name, { requests, errors }]),
    ),
};

serveChild(functions, () => balancer?.close({ graceMs: 0 }));
