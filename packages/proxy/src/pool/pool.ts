import { newcomerHealth } from "../health/backend-health.js";
import { checkBackend, type HealthChecks, startHealthChecks } from "../health/health-checks.js";
import { type BackendOptions, BalancerOptionsError, type RemoveOptions } from "../options/options.js";
import { BALANCER_DEFAULTS } from "../options/defaults.js";
import {
  checkGrace,
  checkWeight,
  resolveBackend,
  type ResolvedBackend,
  type ResolvedBackendTls,
  type ResolvedHealth,
  type ResolvedLimits,
} from "../options/resolve-options.js";
import type { Picker, Policy, PolicyRequest } from "../policies/policy.js";
import { pause } from "../start-timer.js";
import { keepHealth } from "./keep-health.js";
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
  /** A clock that never goes back; `performance.now` by default. */
  readonly nowMs?: (() => number) | undefined;
}

const NONE: readonly never[] = [];

/** What is said of a backend that comes too late. */
export const CLOSED = "The balancer is closed; a backend can be added only before that.";

/** Makes a pool and starts its health checks, if there are to be any. It has to be closed. */
export function createPool<Link>(options: PoolOptions<Link>): Pool<Link> {
  const { mode, policy, limits, health: rules, openLink, nowMs = () => performance.now() } = options;
  const open = (backend: ResolvedBackend): Upstream<Link> => new Upstream(backend, openLink(backend), limits);
  const picker = policy.create();
  const closing = new WeakMap<Upstream<Link>, Promise<void>>();
  const closeLink = (upstream: Upstream<Link>): Promise<void> => {
    const begun = closing.get(upstream) ?? (async () => options.closeLink(upstream.link))();
    closing.set(upstream, begun);
    return begun;
  };
  const ended = new AbortController();
  const leaving = new Set<Upstream<Link>>();
  let upstreams: readonly Upstream<Link>[] = options.backends.map(open);
  let closed: Promise<void> | undefined;

  const keeper = keepHealth({ rules, nowMs, upstreams: () => upstreams });
  const checks = startChecks<Link>(options, nowMs, (upstream, ok) =>
    keeper.tell(upstream, ok ? "check-passed" : "check-failed"),
  );
  for (const upstream of upstreams) checks?.add(upstream);

  const close = async (): Promise<void> => {
    ended.abort();
    keeper.close();
    const all = [...upstreams, ...leaving].map((upstream) => closeLink(upstream));
    const results = await Promise.allSettled([checks?.close(), ...all]);
    const errors = results.flatMap((result) => (result.status === "rejected" ? [result.reason as unknown] : []));
    if (errors.length > 0) throw new AggregateError(errors, "Some links to backends could not be closed.");
  };

  return {
    get upstreams() {
      return upstreams;
    },
    pick(request, tried = NONE, mayRepeat = true) {
      const doubtful = mayRepeat
        ? NONE
        : upstreams.filter(({ available, health }) => available && health.ejections > 0);
      if (doubtful.length > 0) {
        const sound = pickUntried(picker, upstreams, request, [...tried, ...doubtful]);
        if (sound !== undefined) return sound;
      }
      if (tried.length > 0) return pickUntried(picker, upstreams, request, tried);
      return pickAvailable(picker, upstreams, request);
    },
    succeeded: keeper.succeeded,
    failed: keeper.failed,
    retryAfterSeconds() {
      const backInMs = keeper.backInMs();
      return Number.isFinite(backInMs) ? Math.max(Math.ceil(backInMs / 1000), 1) : 1;
    },
    add(backend) {
      if (closed !== undefined) throw new Error(CLOSED);
      const upstream = open(resolveBackend(backend, mode, "backend", upstreams));
      upstream.health = newcomerHealth(nowMs(), rules);
      upstreams = [...upstreams, upstream];
      keeper.refresh(upstream);
      checks?.add(upstream);
    },
    async remove(name, { graceMs = BALANCER_DEFAULTS.removeGraceMs } = {}) {
      checkGrace(graceMs);
      const upstream = findUpstream(upstreams, name);
      upstreams = upstreams.filter((other) => other !== upstream);
      leaving.add(upstream);
      checks?.remove(upstream);
      keeper.tell(upstream, "drain");
      await idleWithin(upstream, graceMs, ended.signal);
      await closeLink(upstream);
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
      upstream.baseWeight = checkWeight(weight, "weight");
      keeper.refresh(upstream);
    },
    close: () => (closed ??= close()),
  };
}

/** Starts active checks, of no upstream yet; `undefined` when there are to be none. */
function startChecks<Link>(
  { mode, health: { active }, backendTls: tls }: PoolOptions<Link>,
  nowMs: () => number,
  onChecked: (upstream: Upstream<Link>, ok: boolean) => void,
): HealthChecks<Upstream<Link>> | undefined {
  if (active === false) return undefined;
  const { path, timeoutMs, intervalMs } = active;
  return startHealthChecks<Upstream<Link>>({
    intervalMs,
    nowMs,
    check: ({ backend }, signal) => checkBackend(backend, { mode, path, timeoutMs, tls }, signal),
    onOutcome: (upstream, { ok }) => onChecked(upstream, ok),
  });
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
