/** A process that runs one balancer: called by the server plugins over its channel. */
import { builtInPolicies, createBalancer, type Balancer, type BackendOptions } from "@lbbench/proxy";
import { serveChild } from "../child/serve.js";
import type { BackendShare } from "../model/measurement.js";

/** What to balance over, and where. */
export interface BalancerProcessOptions {
  readonly backends: readonly BackendOptions[];
  readonly policy: string;
  readonly port: number;
  readonly host: string;
}

/** The functions of a balancer process. */
export interface BalancerProcess {
  readonly start: (options: BalancerProcessOptions) => Promise<{ readonly url: string }>;
  readonly shares: () => Readonly<Record<string, BackendShare>>;
}

let balancer: Balancer | undefined;

const functions: BalancerProcess = {
  start: ({ backends, policy: policyName, ...where }) => {
    const policy = builtInPolicies.get(policyName);
    if (policy === undefined) throw new Error(`There is no policy "${policyName}"`);
    balancer = createBalancer({ backends, policy: policy() });
    return balancer.listen(where);
  },
  shares: () =>
    Object.fromEntries(
      Object.entries(balancer?.stats() ?? {}).map(([name, { requests, errors }]) => [name, { requests, errors }]),
    ),
};

serveChild(functions, () => balancer?.close({ graceMs: 0 }));
