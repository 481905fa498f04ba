import type { ResolvedHealth } from "../options/resolve-options.js";
import type { BackendState, RequestEnd, RequestEvents } from "../policies/policy.js";

/** What backends are compared by. */
export type OutlierRules = Exclude<ResolvedHealth["outliers"], false>;

/** Why a backend is one: it fails more requests than the others, or has clients wait longer. `text` goes on after its name. */
export interface Outlier {
  readonly reason: "errors" | "latency";
  readonly text: string;
  /** How far beyond the limit it is, as a factor; above 1. */
  readonly excess: number;
}

/** What a backend did with the requests of one window. */
export interface BackendWindow {
  /** Requests that it answered or failed. */
  requests: number;
  /** Those among them that it failed. */
  failures: number;
  /** How long it was to each head of an answer, in ms. */
  readonly waitedMs: Recent;
  /** How long it was until a request ended without the head of an answer, which would have taken longer, in ms. */
  readonly gaveUpAfterMs: Recent;
}

/** Latencies that are kept of a backend in one window; more of them replace the oldest. */
const MOST_KEPT = 1000;

/** The last of many numbers. */
export class Recent {
  readonly kept: number[] = [];
  added = 0;

  add(value: number): void {
    this.kept[this.added % MOST_KEPT] = value;
    this.added += 1;
  }
}

/**
 * Finds the backends that are unlike the others: in the order of `windows`, why each is an outlier, `undefined` for one that is none, and
 * for one with too few requests to tell.
 *
 * Sources: Envoy's outlier detection (sweeps at intervals, a least number of requests, a share of failures, a limit of how many are ejected);
 * it compares by a fixed share of failures, or by standard deviations over at least five backends. Here each is compared
 * with the others, which two suffice for: what all of them do is no fault of one.
 */
export function findOutliers(
  windows: readonly BackendWindow[],
  rules: Pick<OutlierRules, "leastRequests" | "errorShare" | "slowFactor" | "slowMs">,
): readonly (Outlier | undefined)[] {
  const { leastRequests, errorShare, slowFactor, slowMs } = rules;
  const enough = windows.filter(({ requests }) => requests >= leastRequests);
  const failsMore = (window: BackendWindow): Outlier | undefined => {
    const others = enough.filter((other) => other !== window);
    if (others.length === 0 || window.requests < leastRequests) return undefined;
    const share = window.failures / window.requests;
    const ofOthers = sumOf(others, ({ failures }) => failures) / sumOf(others, ({ requests }) => requests);
    if (share - ofOthers <= errorShare) return undefined;
    const text = `failed ${percent(share)} of ${window.requests} requests; the others failed ${percent(ofOthers)}`;
    return { reason: "errors", text, excess: (share - ofOthers) / errorShare };
  };
  const waitsLonger = (window: BackendWindow): Outlier | undefined => {
    const others = windows.filter((other) => other !== window && other.waitedMs.added >= leastRequests);
    if (others.length === 0) return undefined;
    const usualMs = median(others.map(({ waitedMs }) => median(waitedMs.kept)));
    const limitMs = Math.max(usualMs * slowFactor, usualMs + slowMs);
    const gaveUpLate = window.gaveUpAfterMs.kept.filter((ms) => ms > limitMs);
    const known = [...window.waitedMs.kept, ...gaveUpLate];
    const ownMs = median(known);
    if (window.waitedMs.added + gaveUpLate.length < leastRequests || ownMs <= limitMs) return undefined;
    const text = `took ${inMs(ownMs)} to begin an answer (median of ${known.length}); the others took ${inMs(usualMs)}`;
    return { reason: "latency", text, excess: ownMs / limitMs };
  };
  return windows.map((window) => failsMore(window) ?? waitsLonger(window));
}

function sumOf<Of>(list: readonly Of[], read: (of: Of) => number): number {
  return list.reduce((sum, of) => sum + read(of), 0);
}

/** The lower one of two in the middle. */
function median(list: readonly number[]): number {
  return list.toSorted((a, b) => a - b)[Math.floor((list.length - 1) / 2)] ?? 0;
}

const percent = (share: number): string => `${Math.round(share * 100)} %`;
const inMs = (ms: number): string => `${Number(ms.toPrecision(3))} ms`;

/** What gRPC's statuses for faults of a server are called; HTTP has 500, 501, 503 and 504 for them. */
const GRPC_FAULTS: ReadonlySet<string | undefined> = new Set([
  "UNKNOWN",
  "DEADLINE_EXCEEDED",
  "UNIMPLEMENTED",
  "INTERNAL",
  "UNAVAILABLE",
  "DATA_LOSS",
]);

/** Notes what backends do with their requests, one window after the other. */
export class OutlierWatch<Backend extends BackendState> implements RequestEvents {
  readonly #rules: OutlierRules;
  #windows = new Map<BackendState, BackendWindow>();

  constructor(rules: OutlierRules) {
    this.#rules = rules;
  }

  readonly answering = (backend: BackendState, waitedMs: number): void => {
    if (backend.available) this.#windowOf(backend).waitedMs.add(waitedMs);
  };

  readonly ended = (backend: BackendState, { outcome, ms, waitedMs, status, grpcStatus }: RequestEnd): void => {
    // What ends during an ejection was handed to it before, and what it says is what put it out.
    if (!backend.available || outcome === "unsent") return;
    const window = this.#windowOf(backend);
    if (waitedMs === undefined) window.gaveUpAfterMs.add(ms);
    if (outcome === "aborted") return;
    const isServerError = status >= 500 || GRPC_FAULTS.has(grpcStatus);
    window.requests += 1;
    if (outcome === "failed" || (this.#rules.serverErrors && isServerError)) window.failures += 1;
  };

  /** Ends the window and begins the next one: finds the outliers among `backends`, in their order. */
  judge(backends: readonly Backend[]): readonly { readonly backend: Backend; readonly outlier: Outlier | undefined }[] {
    const windows = backends.map((backend) => this.#windowOf(backend));
    const outliers = findOutliers(windows, this.#rules);
    this.#windows = new Map();
    return backends.flatMap((backend, index) => {
      const outlier = outliers[index];
      const isJudged = (windows[index] as BackendWindow).requests >= this.#rules.leastRequests;
      return outlier === undefined && !isJudged ? [] : [{ backend, outlier }];
    });
  }

  #windowOf(backend: BackendState): BackendWindow {
    const known = this.#windows.get(backend);
    if (known !== undefined) return known;
    const window = { requests: 0, failures: 0, waitedMs: new Recent(), gaveUpAfterMs: new Recent() };
    this.#windows.set(backend, window);
    return window;
  }
}
