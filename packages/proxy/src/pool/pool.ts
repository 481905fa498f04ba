import type { HealthEvent } from "../health/backend-health.js";
import { checkBackend, keepChecking } from "../health/health-checks.js";
import { type OutlierRules, OutlierWatch } from "../health/outliers.js";
import { type BackendOptions, BalancerOptionsError, type RemoveOptions } from "../options/options.js";
import { BALANCER_DEFAULTS } from "../options/defaults.js";
import {
  checkGrace,
  checkWeight,
  resolveBackend,
  type ResolvedBackend,
  type ResolvedOptions,
} from "../options/resolve-options.js";
import type { Picker, PolicyRequest, RequestEvents } from "../policies/policy.js";
import { type ReplaceableList, replaceBackends } from "../reload-backends.js";
import { pause, startTimer } from "../start-timer.js";
import { Upstream } from "./upstream.js";

/** What a pool is made from. */
export interface PoolOptions<Link> extends Pick<
  ResolvedOptions,
  "backends" | "mode" | "transport" | "policy" | "whenFull" | "limits" | "health" | "backendTls"
> {
  /** Counts a check that could not be made, because this machine is short of something; `code` is the system's. */
  readonly onShortage: (code: string) => void;
  /** Tells the operator that a backend has been ejected as an outlier; `text` is a sentence. */
  readonly onOutlier: (text: string) => void;
  /** Makes the way to a backend, when it is added. */
  readonly openLink: (backend: ResolvedBackend) => Link;
  /** Ends a link with its requests; called once for each. */
  readonly closeLink: (link: Link) => void | Promise<void>;
}

const NONE: readonly never[] = [];

/**
 * What speaks against a backend for a request, from nothing to most. `waits`: it has no slot free, but a place in its
 * queue. `onProbation`: it is back from an ejection, and the request cannot be repeated; also with `waits`, which is one
 * more. Once the backend has been back for as long as it was out, that speaks against a second such request alone.
 * `full`: it has neither a slot nor a place. `out`: it is not available, or has failed the request.
 */
const OBJECTIONS = { none: 0, waits: 1, onProbation: 2, full: 4, out: 5 } as const;

/** The error when a backend is added too late. */
export const CLOSED = "The balancer is closed; a backend can be added only before that.";

/**
 * The backends of a balancer at run time: which there are, which of them may be picked, and how they come and go. It starts
 * their health checks, if there are to be any, and has to be closed.
 */
export class Pool<Link> {
  readonly #options: PoolOptions<Link>;
  readonly #picker: Picker;
  readonly #isLimited: boolean;
  /** Watchers of all requests; empty if none asks. */
  readonly #watchers: RequestEvents[] = [];
  #upstreams: readonly Upstream<Link>[] = [];
  /** Whether one that may be picked is on probation, and so not for every request. */
  #isAnyOnProbation = false;
  readonly #leaving = new Set<Upstream<Link>>();
  readonly #ended = new AbortController();
  #stopWindow: () => void = () => undefined;
  #closed: Promise<void> | undefined;

  constructor(options: PoolOptions<Link>) {
    this.#options = options;
    this.#picker = options.policy.create();
    const { began, answering, ended } = this.#picker;
    if (began !== undefined || answering !== undefined || ended !== undefined) this.#watchers.push(this.#picker);
    this.#isLimited = options.limits.connectionsPerBackend !== Infinity;
    const { outliers } = options.health;
    if (outliers !== false) this.#watchForOutliers(outliers);
    for (const backend of options.backends) this.#open(backend);
  }

  /** In the order in which they were added; another array after each change. */
  get upstreams(): readonly Upstream<Link>[] {
    return this.#upstreams;
  }

  /**
   * An available backend that was not tried already; `undefined` if there is none. `OBJECTIONS` orders the offers to the policy.
   * The backend may be full, but not for a request that was tried already.
   */
  pick(request: PolicyRequest, tried: readonly Upstream<Link>[] = NONE, mayRepeat = true): Upstream<Link> | undefined {
    const mayHaveAny = tried.length === 0 && (mayRepeat || !this.#isAnyOnProbation) && !this.#isAnyTaken();
    return mayHaveAny ? this.#ask(request) : this.#pickReluctantly(request, tried, mayRepeat);
  }

  /** Lets the policy pick; `undefined` also when it breaks its promise and picks one that is not available. */
  #ask(request: PolicyRequest): Upstream<Link> | undefined {
    const picked = this.#picker.pick(this.#upstreams, request);
    return picked?.available === true ? picked : undefined;
  }

  /** Whether a backend has no slot free. */
  #isAnyTaken(): boolean {
    return this.#isLimited && this.#upstreams.some(({ slots }) => !slots.isFree);
  }

  /**
   * Offers the policy the backends with the least objection, and more of them while it picks none. All stay in the list, since a
   * policy that keeps numbers for each forgets missing ones. Backends that are not offered are marked as not available meanwhile.
   */
  #pickReluctantly(
    request: PolicyRequest,
    tried: readonly Upstream<Link>[],
    mayRepeat: boolean,
  ): Upstream<Link> | undefined {
    const { policy, whenFull } = this.#options;
    const isRetry = tried.length > 0;
    const sticks = whenFull === "wait" && !isRetry && policy.sticks?.(request) === true;
    const objectionTo = (upstream: Upstream<Link>): number => {
      const { slots, health } = upstream;
      if (!health.isAvailable || tried.includes(upstream)) return OBJECTIONS.out;
      if (!sticks && slots.isFull) return isRetry ? OBJECTIONS.out : OBJECTIONS.full;
      const waits = sticks || slots.isFree ? OBJECTIONS.none : OBJECTIONS.waits;
      if (mayRepeat || !health.isOnProbation) return waits;
      const isToBeTried = upstream.trial === undefined && health.isToBeTried(performance.now());
      return waits + (isToBeTried ? OBJECTIONS.none : OBJECTIONS.onProbation);
    };
    try {
      for (let most: number = OBJECTIONS.none; most < OBJECTIONS.out; most++) {
        let isAnyMore = false;
        for (const upstream of this.#upstreams) {
          const objection = objectionTo(upstream);
          upstream.available = objection <= most;
          isAnyMore ||= objection === most;
        }
        const picked = isAnyMore ? this.#ask(request) : undefined;
        if (picked === undefined) continue;
        if (!mayRepeat && picked.health.isOnProbation) picked.trial = request;
        return picked;
      }
      return undefined;
    } finally {
      for (const upstream of this.#upstreams) upstream.available = upstream.health.isAvailable;
    }
  }

  /** Tells of a complete answer (in mode `tcp`: of a connection made). */
  succeeded(upstream: Upstream<Link>): void {
    if (!upstream.health.hasCleanRecord) this.#tell(upstream, "succeeded");
  }

  /** Tells of a request that the backend failed. */
  failed(upstream: Upstream<Link>): void {
    // With no backend left every request would fail; with a bad one left some may not.
    const isLast = !this.#upstreams.some((other) => other !== upstream && other.available);
    this.#tell(upstream, isLast ? "failed-as-last" : "failed");
  }

  /** Compares the backends at the end of each window of time, and ejects outliers, the worst first, as far as that may be. */
  #watchForOutliers(rules: OutlierRules): void {
    const watch = new OutlierWatch<Upstream<Link>>(rules);
    this.#watchers.push(watch);
    const endWindow = (): void => {
      const judged = watch.judge(this.#upstreams.filter(({ available }) => available));
      for (const { backend, outlier } of judged) if (outlier === undefined) this.#tell(backend, "is-ordinary");
      const outliers = judged.flatMap(({ backend, outlier }) =>
        outlier === undefined ? [] : [{ backend, ...outlier }],
      );
      const most = Math.max(Math.floor(this.#upstreams.length * rules.mostEjected), 1);
      for (const { backend, reason, text } of outliers.toSorted((a, b) => b.excess - a.excess)) {
        const out = this.#upstreams.filter(({ condition }) => condition === "ejected").length;
        const isLast = !this.#upstreams.some((other) => other !== backend && other.available);
        if (out >= most || isLast) break;
        this.#tell(backend, reason === "errors" ? "errs-more" : "is-slower");
        const forSeconds = Math.round(backend.health.backInMs(performance.now()) / 100) / 10;
        this.#options.onOutlier(`Backend ${backend.name} was ejected for ${forSeconds} s: it ${text}.`);
      }
      this.#stopWindow = startTimer(endWindow, rules.windowMs);
    };
    this.#stopWindow = startTimer(endWindow, rules.windowMs);
  }

  /** When it may be worth to ask again, in whole seconds, at least 1. */
  retryAfterSeconds(): number {
    const now = performance.now();
    const backInMs = Math.min(...this.#upstreams.map(({ health }) => health.backInMs(now)));
    return Number.isFinite(backInMs) ? Math.max(Math.ceil(backInMs / 1000), 1) : 1;
  }

  /** Adds a backend as `addBackend` of a balancer does; the five below are those of a balancer, too. */
  add(backend: BackendOptions): void {
    if (this.#closed !== undefined) throw new Error(CLOSED);
    const upstream = this.#open(resolveBackend(backend, this.#options, "backend", this.#upstreams));
    upstream.health.startSlowly(performance.now());
    this.#show(upstream);
  }

  async remove(name: string, { graceMs = BALANCER_DEFAULTS.removeGraceMs }: RemoveOptions = {}): Promise<void> {
    checkGrace(graceMs);
    const upstream = findUpstream(this.#upstreams, name);
    this.#upstreams = this.#upstreams.filter((other) => other !== upstream);
    this.#leaving.add(upstream);
    this.#tell(upstream, "drain");
    await Promise.all([upstream.endChecks(), idleWithin(upstream, graceMs, this.#ended.signal)]);
    await this.#closeLink(upstream);
    this.#leaving.delete(upstream);
  }

  async drain(name: string): Promise<void> {
    const upstream = findUpstream(this.#upstreams, name);
    this.#tell(upstream, "drain");
    await upstream.idle();
  }

  restore(name: string): void {
    const upstream = findUpstream(this.#upstreams, name);
    this.#tell(upstream, "restore");
    upstream.stopWaiting();
  }

  setWeight(name: string, weight: number): void {
    const upstream = findUpstream(this.#upstreams, name);
    upstream.baseWeight = checkWeight(weight, "weight");
    this.#show(upstream);
  }

  async reload(backends: readonly BackendOptions[], removal?: RemoveOptions): Promise<void> {
    if (this.#closed !== undefined) throw new Error(CLOSED);
    const list: ReplaceableList = {
      speaker: this.#options,
      backends: this.#upstreams.map(({ name, url, baseWeight }) => ({ name, url, weight: baseWeight })),
      add: async (backend) => this.add(backend),
      remove: (name, options) => this.remove(name, options),
      setWeight: async (name, weight) => this.setWeight(name, weight),
    };
    await replaceBackends(list, backends, removal);
  }

  /** Ends timers and checks, and closes the links. */
  close(): Promise<void> {
    return (this.#closed ??= this.#close());
  }

  async #close(): Promise<void> {
    this.#ended.abort();
    this.#stopWindow();
    const all = [...this.#upstreams, ...this.#leaving];
    for (const upstream of all) upstream.stopTimer();
    const closing = all.flatMap((upstream) => [upstream.endChecks(), this.#closeLink(upstream)]);
    const results = await Promise.allSettled(closing);
    const errors = results.flatMap((result) => (result.status === "rejected" ? [result.reason as unknown] : []));
    if (errors.length > 0) throw new AggregateError(errors, "Some links to backends could not be closed.");
  }

  #open(backend: ResolvedBackend): Upstream<Link> {
    const { mode, limits, health, backendTls: tls } = this.#options;
    const upstream = new Upstream(backend, this.#options.openLink(backend), limits, health, this.#watchers);
    this.#upstreams = [...this.#upstreams, upstream];
    const { active } = health;
    if (active !== false) {
      upstream.endChecks = keepChecking(
        active.intervalMs,
        (signal) => checkBackend(backend, { mode, tls, ...active }, signal),
        this.#options.onShortage,
        (isWell) => this.#tell(upstream, isWell ? "check-passed" : "check-failed"),
      );
    }
    return upstream;
  }

  #closeLink(upstream: Upstream<Link>): Promise<void> {
    return (upstream.closed ??= (async () => this.#options.closeLink(upstream.link))());
  }

  #tell(upstream: Upstream<Link>, event: HealthEvent): void {
    const wasAvailable = upstream.available;
    upstream.health.tell(event, performance.now());
    this.#show(upstream);
    // Last, when all is up to date: requests that waited ask for another backend at once.
    if (wasAvailable && !upstream.available) upstream.slots.dismiss();
  }

  /** Puts what follows from an upstream's health where policies and snapshots read it, until time alone changes that. */
  #show(upstream: Upstream<Link>): void {
    const { health } = upstream;
    const now = performance.now();
    upstream.available = health.isAvailable;
    upstream.condition = health.condition;
    upstream.weight = upstream.baseWeight * health.shareAt(now);
    this.#isAnyOnProbation = this.#upstreams.some((one) => one.available && one.health.isOnProbation);
    upstream.stopTimer();
    if (this.#ended.signal.aborted) return;
    // It may be over a little early.
    const delayMs = Math.max(Math.ceil(health.nextChangeMs(now) - now), 1);
    upstream.stopTimer = startTimer(() => this.#tell(upstream, "tick"), delayMs);
  }
}

/** Finds an upstream by its name; throws a `BalancerOptionsError` that names all there are. */
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
