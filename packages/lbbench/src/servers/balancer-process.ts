/** A process that runs one balancer: called by the server plugins over its channel. */
import { createBalancer, type Balancer, type BalancerOptions, type ListenOptions } from "@lbbench/proxy";
import { serveChild } from "../system/fork.js";
import type { BackendShare, BackendTurns } from "../model/measurement.js";
import { loadOwnPolicy, watchTurns } from "./balancer-policy.js";

let balancer: Balancer | undefined;
let watch: ReturnType<typeof watchTurns> | undefined;

const functions = {
  /** Starts it with options that are plain data, and a policy as text; `folder` is that in which the path of a module begins. */
  start: async (
    options: Omit<BalancerOptions, "policy" | "onRequest">,
    policy: { readonly text: string; readonly folder: string },
    listen: ListenOptions,
  ) => {
    const loaded = await loadOwnPolicy(policy.text, policy.folder);
    watch = watchTurns(loaded, options.mode === "tcp" ? "connections" : "requests");
    balancer = createBalancer({ ...options, policy: watch.policy });
    return balancer.listen(listen);
  },
  shares: (): Readonly<Record<string, BackendShare>> =>
    Object.fromEntries(
      Object.entries(balancer?.stats() ?? {}).map(([name, { requests, errors }]) => [name, { requests, errors }]),
    ),
  /** Which backends were picked since this was last called, for requests or, in mode tcp, connections. */
  turns: (): BackendTurns => {
    if (watch === undefined) throw new Error("Expected a balancer that was started.");
    return watch.take();
  },
};

/** The functions of a balancer process. */
export type BalancerProcess = typeof functions;

serveChild(functions, () => balancer?.close({ graceMs: 0 }));
