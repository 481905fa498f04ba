import type { HealthEvent } from "../health/backend-health.js";
import { checkBackend, keepChecking } from "../health/health-checks.js";
import { type BackendOptions, BalancerOptionsError, type RemoveOptions } from "../options/options.js";
import { BALANCER_DEFAULTS } from "../options/defaults.js";
import {
  checkGrace,
  checkWeight,
  resolveBackend,
  type ResolvedBackend,
  type ResolvedOptions,
} from "../options/resolve-options.js";
import type { Picker, PolicyRequest } from "../policies/policy.js";
import { pause, startTimer } from "../start-timer.js";
import { Upstream } from "./upstream.js";

/** The backends of a balancer at run time: which there are, which of them may be picked, and how they come and go. */
export interface Pool<Link> {
  /** In the order in which they were added; another array after each change. */
  readonly upstreams: readonly Upstream<Link>[];
  /**
   * One that is available and not among those that were tried already; `undefined` when there is none. A request that
   * cannot be repeated goes to no backend that is on probation for failures, as long as there is another one.
   */
  readonly pick: (
    request: PolicyRequest,
    tried?: readonly Upstream<Link>[],
    mayRepeat?: boolean,
  ) => Upstream<Link> | undefined;
  /** Tells of a complete answer (in mode `tcp`: of a connection made). */
  readonly succeeded: (upstream: Upstream<Link>) => void;
  /** Tells of a request that the backend failed. */
  readonly failed: (upstream: Upstream<Link>) => void;
  /** When it may be worth to ask again, in whole seconds, at least 1. */
  readonly retryAfterSeconds: () => number;
  readonly add: (backend: BackendOptions) => void;
  readonly remove: (name: string, options?: RemoveOptions) => Promise<void>;
  readonly drain: (name: string) => Promise<void>;
  readonly restore: (name: string) => void;
  readonly setWeight: (name: string, weight: number) => void;
  /** Ends timers and checks, and closes the links. */
  readonly close: () => Promise<void>;
}

/** What a pool is made from. */
export interface PoolOptions<Link> extends Pick<
  ResolvedOptions,
  "backends" | "mode" | "policy" | "limits" | "health" | "backendTls"
> {
  /** Makes the way to a backend, when it is added. */
  readonly openLink: (backend: ResolvedBackend) => Link;
  /** Ends it, also what is in flight; called once for each. */
  readonly closeLink: (link: Link) => void | Promise<void>;
  /** A clock that never goes back; `performance.now` by default. */
  readonly nowMs?: (() => number) | undefined;
}

const NONE: readonly never[] = [];

/** What is said of a backend that comes too late. */
export const CLOSED = "The balancer is closed; a backend can be added only before that.";

/** Makes a pool and starts its health checks, if there are to be any. It has to be closed. */
export function createPool<Link>(options: PoolOptions<Link>): Pool<Link> {
  const { mode, limits, health: rules, backendTls: tls, nowMs = () => performance.now() } = options;
  const picker = options.policy.create();
  const ended = new AbortController();
  const leaving = new Set<Upstream<Link>>();
  let upstreams: readonly Upstream<Link>[] = [];
  /** Those that could be picked, but for a request that cannot be repeated rather not. */
  let doubtful: readonly Upstream<Link>[] = NONE;
  let closed: Promise<void> | undefined;

  const add = (backend: ResolvedBackend): Upstream<Link> => {
    const upstream = new Upstream(backend, options.openLink(backend), limits, rules);
    upstreams = [...upstreams, upstream];
    const { active } = rules;
    if (active !== false) {
      upstream.endChecks = keepChecking({
        intervalMs: active.intervalMs,
        nowMs,
        check: (signal) => checkBackend(backend, { mode, tls, ...active }, signal),
        onChecked: (isWell) => tell(upstream, isWell ? "check-passed" : "check-failed"),
      });
    }
    return upstream;
  };
  const tell = (upstream: Upstream<Link>, event: HealthEvent): void => {
    const wasAvailable = upstream.available;
    upstream.health.tell(event, nowMs());
    show(upstream);
    // Last, when all is up to date: those who waited will ask for another backend at once.
    if (wasAvailable && !upstream.available) upstream.slots.dismiss();
  };
  /** Puts what follows from an upstream's health where policies and snapshots read it, until time alone changes that. */
  const show = (upstream: Upstream<Link>): void => {
    const { health } = upstream;
    const now = nowMs();
    upstream.available = health.isAvailable;
    upstream.condition = health.condition;
    upstream.weight = upstream.baseWeight * health.shareAt(now);
    doubtful = upstreams.filter((one) => one.available && one.health.isOnProbation);
    upstream.stopTimer();
    if (ended.signal.aborted) return;
    // It may be over a little early.
    const delayMs = Math.max(Math.ceil(health.nextChangeMs(now) - now), 1);
    upstream.stopTimer = startTimer(() => tell(upstream, "tick"), delayMs);
  };
  const closeLink = (upstream: Upstream<Link>): Promise<void> =>
    (upstream.closed ??= (async () => options.closeLink(upstream.link))());

  const close = async (): Promise<void> => {
    ended.abort();
    const all = [...upstreams, ...leaving];
    for (const upstream of all) upstream.stopTimer();
    const results = await Promise.allSettled(all.flatMap((upstream) => [upstream.endChecks(), closeLink(upstream)]));
    const errors = results.flatMap((result) => (result.status === "rejected" ? [result.reason as unknown] : []));
    if (errors.length > 0) throw new AggregateError(errors, "Some links to backends could not be closed.");
  };

  for (const backend of options.backends) add(backend);
  return {
    get upstreams() {
      return upstreams;
    },
    pick(request, tried = NONE, mayRepeat = true) {
      if (!mayRepeat && doubtful.length > 0) {
        const sound = pickUntried(picker, upstreams, request, [...tried, ...doubtful]);
        if (sound !== undefined) return sound;
      }
      if (tried.length > 0) return pickUntried(picker, upstreams, request, tried);
      return pickAvailable(picker, upstreams, request);
    },
    succeeded(upstream) {
      if (!upstream.health.hasCleanRecord) tell(upstream, "succeeded");
    },
    failed(upstream) {
      // With no backend left every request would fail; with a bad one left some may not.
      const isLast = !upstreams.some((other) => other !== upstream && other.available);
      tell(upstream, isLast ? "failed-as-last" : "failed");
    },
    retryAfterSeconds() {
      const now = nowMs();
      const backInMs = Math.min(...upstreams.map(({ health }) => health.backInMs(now)));
      return Number.isFinite(backInMs) ? Math.max(Math.ceil(backInMs / 1000), 1) : 1;
    },
    add(backend) {
      if (closed !== undefined) throw new Error(CLOSED);
      const upstream = add(resolveBackend(backend, mode, "backend", upstreams));
      upstream.health.startSlowly(nowMs());
      show(upstream);
    },
    async remove(name, { graceMs = BALANCER_DEFAULTS.removeGraceMs } = {}) {
      checkGrace(graceMs);
      const upstream = findUpstream(upstreams, name);
      upstreams = upstreams.filter((other) => other !== upstream);
      leaving.add(upstream);
      tell(upstream, "drain");
      await Promise.all([upstream.endChecks(), idleWithin(upstream, graceMs, ended.signal)]);
      await closeLink(upstream);
      leaving.delete(upstream);
    },
    async drain(name) {
      const upstream = findUpstream(upstreams, name);
      tell(upstream, "drain");
      await upstream.idle();
    },
    restore: (name) => tell(findUpstream(upstreams, name), "restore"),
    setWeight(name, weight) {
      const upstream = findUpstream(upstreams, name);
      upstream.baseWeight = checkWeight(weight, "weight");
      show(upstream);
    },
    close: () => (closed ??= close()),
  };
}

/** Lets a policy pick; `undefined` also when it breaks its promise and picks one that is not available. */
function pickAvailable<Link>(
  picker: Picker,
  upstreams: readonly Upstream<Link>[],
  request: PolicyRequest,
): Upstream<Link> | undefined {
  const picked = picker.pick(upstreams, request);
  return picked?.available === true ? picked : undefined;
}

/**
 * Lets a policy pick one other than those that were tried. They stay in the list and are marked as not available while
 * the policy looks at it: a policy that keeps numbers for each backend forgets those that leave the list.
 */
function pickUntried<Link>(
  picker: Picker,
  upstreams: readonly Upstream<Link>[],
  request: PolicyRequest,
  tried: readonly Upstream<Link>[],
): Upstream<Link> | undefined {
  const marked = tried.filter((upstream) => upstream.available);
  for (const upstream of marked) upstream.available = false;
  try {
    return pickAvailable(picker, upstreams, request);
  } finally {
    for (const upstream of marked) upstream.available = true;
  }
}

/** Finds an upstream by its name; throws a `BalancerOptionsError` that names those that there are. */
export function findUpstream<Link>(upstreams: readonly Upstream<Link>[], name: string): Upstream<Link> {
  const found = upstreams.find((upstream) => upstream.name === name);
  if (found !== undefined) return found;
  const known = upstreams.map((upstream) => JSON.stringify(upstream.name)).join(", ");
  throw new BalancerOptionsError(
    `name: expected the name of a backend, got ${JSON.stringify(name)}. There ${known === "" ? "is none" : `are ${known}`}.`,
  );
}

/** Resolves when nothing is in flight any more, when the time is over, or when `ended` is aborted. */
async function idleWithin(upstream: Upstream, graceMs: number, ended: AbortSignal): Promise<void> {
  const idle = new AbortController();
  void upstream.idle().then(() => idle.abort());
  await pause(graceMs, AbortSignal.any([ended, idle.signal]));
}
