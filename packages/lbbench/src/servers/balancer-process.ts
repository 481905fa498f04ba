/** A process that runs one balancer: called by the server plugins over its channel. */
import { createBalancer, type Balancer, type BalancerOptions, type ListenOptions } from "@lbbench/proxy";
import { setTimeout as wait } from "node:timers/promises";
import { DEFAULTS } from "../config/defaults.js";
import { serveChild } from "../system/fork.js";
import type { BackendTurns } from "../model/measurement.js";
import type { BackendMoment } from "../plugin.js";
import { loadOwnPolicy, watchTurns } from "./balancer-policy.js";

let balancer: Balancer | undefined;

function running(): Balancer {
  if (balancer === undefined) throw new Error("Expected a balancer that was started.");
  return balancer;
}
let watch: ReturnType<typeof watchTurns> | undefined;

type Shares = Readonly<Record<string, BackendMoment>>;

const shares = (): Shares =>
  Object.fromEntries(
    (balancer?.snapshot().backends ?? []).map(
      ({ name, requests, errors, inFlight, latency: { counts, sumSeconds } }) => {
        const answered = { count: counts.reduce((sum, count) => sum + count, 0), totalMs: sumSeconds * 1000 };
        return [name, { requests, errors, inFlight, answered }];
      },
    ),
  );
let tellLast: (shares: Shares) => void = () => {};
const last = new Promise<Shares>((resolve) => (tellLast = resolve));

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
  lastShares: () => last,
  /** Which backends were picked since this was last called, for requests or, in mode tcp, connections. */
  turns: (): BackendTurns => {
    if (watch === undefined) throw new Error("Expected a balancer that was started.");
    return watch.take();
  },
  /** Gives a backend nothing new; resolves when what it had is done, or has taken too long. */
  drain: async (name: string) => {
    const idle = running().drainBackend(name);
    await Promise.race([idle, wait(DEFAULTS.faults.idleLimitMs, undefined, { ref: false })]);
    expectDraining(name, true);
  },
  restore: (name: string) => {
    running().restoreBackend(name);
    expectDraining(name, false);
  },
};

/** The functions of a balancer process. */
export type BalancerProcess = typeof functions;

function expectDraining(name: string, isDraining: boolean): void {
  const condition = running()
    .snapshot()
    .backends.find((backend) => backend.name === name)?.condition;
  if ((condition === "draining") === isDraining) return;
  throw new Error(
    `Expected the balancer to tell that ${name} is ${isDraining ? "" : "not "}drained, but it is ${condition}`,
  );
}

serveChild(functions, async (ending) => {
  await balancer?.close({ graceMs: ending === "finish" ? DEFAULTS.faults.idleLimitMs : 0 });
  tellLast(shares());
});
