/** A process that runs one balancer: called by the server plugins over its channel. */
import { createBalancer, type Balancer, type BalancerOptions, type ListenOptions } from "@lbbench/proxy";
import { setTimeout as wait } from "node:timers/promises";
import { DEFAULTS } from "../config/defaults.js";
import { serveChild } from "../system/fork.js";
import type { BackendTurns } from "../model/measurement.js";
import { deferred } from "../system/settle.js";
import { loadOwnPolicy, watchTurns } from "./balancer-policy.js";
import type { Shares } from "./start-in-front.js";

let balancer: Balancer | undefined;
let watch: ReturnType<typeof watchTurns> | undefined;

function started<T>(part: T | undefined): T {
  if (part === undefined) throw new Error("Expected a balancer that was started.");
  return part;
}

const shares = (): Shares =>
  Object.fromEntries(
    (balancer?.snapshot().backends ?? []).map(
      ({ name, requests, errors, inFlight, latency: { counts, sumSeconds } }) => {
        const answered = { count: counts.reduce((sum, count) => sum + count, 0), totalMs: sumSeconds * 1000 };
        return [name, { requests, errors, inFlight, answered }];
      },
    ),
  );
const last = deferred<Shares>();

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
  shares,
  /** The same when it has ended: what they were given until then. */
  lastShares: () => last.promise,
  /** Which backends were picked since this was last called, for requests or, in mode tcp, connections. */
  turns: (): BackendTurns => started(watch).take(),
  /** Gives a backend nothing new; resolves when what it had is done, or has taken too long. */
  drain: async (name: string) => {
    const idle = started(balancer).drainBackend(name);
    await Promise.race([idle, wait(DEFAULTS.faults.idleLimitMs, undefined, { ref: false })]);
    expectDraining(name, true);
  },
  restore: (name: string) => {
    started(balancer).restoreBackend(name);
    expectDraining(name, false);
  },
};

/** The functions of a balancer process. */
export type BalancerProcess = typeof functions;

function expectDraining(name: string, isDraining: boolean): void {
  const { backends } = started(balancer).snapshot();
  const condition = backends.find((backend) => backend.name === name)?.condition;
  if ((condition === "draining") === isDraining) return;
  throw new Error(
    `Expected the balancer to tell that ${name} is ${isDraining ? "" : "not "}drained, but it is ${condition}`,
  );
}

serveChild(functions, async (ending) => {
  await balancer?.close({ graceMs: ending === "finish" ? DEFAULTS.faults.idleLimitMs : 0 });
  last.resolve(shares());
});
