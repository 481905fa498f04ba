import { setMaxListeners } from "node:events";
import { newcomerHealth } from "../health/backend-health.js";
import { BALANCER_DEFAULTS } from "../options/defaults.js";
import { refuseTaken, resolveBackend, resolveWeight, type ResolvedBackend } from "../options/resolve-backend.js";
import type { ResolvedBackendTls, ResolvedHealth, ResolvedLimits } from "../options/resolve-options.js";
import { resolveNumber } from "../options/resolve-values.js";
import type { Policy } from "../policies/policy.js";
import { checkUpstreams } from "./check-upstreams.js";
import { createLinkCloser } from "./close-links.js";
import { findUpstream } from "./find-upstream.js";
import { idleWithin } from "./idle-within.js";
import { keepHealth } from "./keep-health.js";
import { pickAvailable, pickUntried } from "./pick-available.js";
import type { Pool } from "./pool.js";
import type { Waiter } from "./slots.js";
import { Upstream } from "./upstream.js";

/** What a pool is made from. */
export interface PoolOptions<Link> {
  readonly backends: readonly ResolvedBackend[];
  readonly mode: "http" | "tcp";
  readonly policy: Policy;
  readonly limits: ResolvedLimits;
  readonly health: ResolvedHealth;
  /** For health checks of backends that speak TLS. */
  readonly backendTls: ResolvedBackendTls;
  /** Makes the way to a backend, when it is added. */
  readonly openLink: (backend: ResolvedBackend) => Link;
  /** Ends it, also what is in flight; called once for each. */
  readonly closeLink: (link: Link) => void | Promise<void>;
  /** Given those that waited for a backend that has become unavailable, so that they may go to another one. */
  readonly onDismissed?: ((waiters: Waiter[]) => void) | undefined;
  /** A clock that never goes back; `performance.now` by default. */
  readonly nowMs?: (() => number) | undefined;
}

/** Makes a pool and starts its health checks, if there are to be any. It has to be closed. */
export function createPool<Link>(options: PoolOptions<Link>): Pool<Link> {
  const { mode, policy, limits, health: rules, openLink, nowMs = () => performance.now() } = options;
  const open = (backend: ResolvedBackend): Upstream<Link> => new Upstream(backend, openLink(backend), limits);
  const picker = policy.create();
  const links = createLinkCloser(options.closeLink);
  const ended = new AbortController();
  // One listener for each backend that is leaving; more than ten at a time are no leak.
  setMaxListeners(0, ended.signal);
  const leaving = new Set<Upstream<Link>>();
  let upstreams: readonly Upstream<Link>[] = options.backends.map(open);
  let closed: Promise<void> | undefined;

  const keeper = keepHealth({ rules, nowMs, upstreams: () => upstreams, onDismissed: options.onDismissed });
  const checks = checkUpstreams<Link>(options, nowMs, (upstream, ok) =>
    keeper.tell(upstream, ok ? "check-passed" : "check-failed"),
  );
  for (const upstream of upstreams) checks?.add(upstream);

  const close = async (): Promise<void> => {
    ended.abort();
    keeper.close();
    const all = [...upstreams, ...leaving].map((upstream) => links.close(upstream));
    const results = await Promise.allSettled([checks?.close(), ...all]);
    const errors = results.flatMap((result) => (result.status === "rejected" ? [result.reason as unknown] : []));
    if (errors.length > 0) throw new AggregateError(errors, "Some links to backends could not be closed.");
  };

  return {
    get upstreams() {
      return upstreams;
    },
    pick(request, tried) {
      if (tried !== undefined && tried.length > 0) return pickUntried(picker, upstreams, request, tried);
      return pickAvailable(picker, upstreams, request);
    },
    succeeded: keeper.succeeded,
    failed: keeper.failed,
    retryAfterSeconds() {
      const backInMs = keeper.backInMs();
      return Number.isFinite(backInMs) ? Math.max(Math.ceil(backInMs / 1000), 1) : 1;
    },
    add(backend) {
      if (closed !== undefined) throw new Error("The balancer is closed; a backend can be added only before that.");
      const resolved = resolveBackend(backend, mode, "backend");
      refuseTaken(resolved.name, new Set(upstreams.map(({ name }) => name)), "backend");
      const upstream = open(resolved);
      upstream.health = newcomerHealth(nowMs(), rules);
      upstreams = [...upstreams, upstream];
      keeper.refresh(upstream);
      checks?.add(upstream);
    },
    async remove(name, { graceMs = BALANCER_DEFAULTS.removeGraceMs } = {}) {
      resolveNumber(graceMs, "graceMs", { from: 0, infinity: true });
      const upstream = findUpstream(upstreams, name);
      upstreams = upstreams.filter((other) => other !== upstream);
      leaving.add(upstream);
      checks?.remove(upstream);
      keeper.tell(upstream, "drain");
      await idleWithin(upstream, graceMs, ended.signal);
      await links.close(upstream);
      leaving.delete(upstream);
    },
    async drain(name) {
      const upstream = findUpstream(upstreams, name);
      keeper.tell(upstream, "drain");
      await upstream.idle();
    },
    restore: (name) => keeper.tell(findUpstream(upstreams, name), "restore"),
    setWeight(name, weight) {
      const upstream = findUpstream(upstreams, name);
      upstream.baseWeight = resolveWeight(weight, "weight");
      keeper.refresh(upstream);
    },
    close: () => (closed ??= close()),
  };
}
