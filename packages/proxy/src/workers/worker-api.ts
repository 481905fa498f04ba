import type { Balancer, BalancerSnapshot, ListenAddress, ListenOptions } from "../options/options.js";
import type { PlainBalancerOptions, WorkersOptions } from "./workers-options.js";

/** What a worker is to be: as the others are now. */
export interface WorkerSetup {
  readonly balancer: PlainBalancerOptions;
  /** Names of backends that are drained from the beginning. */
  readonly draining: readonly string[];
  /** Names of backends that are not to be there; a balancer cannot be made without any. */
  readonly removed: readonly string[];
  readonly listen: ListenOptions;
  readonly log: WorkersOptions["log"];
}

/** What can be changed in a balancer, and so in a worker. */
export type BalancerChanges = Pick<
  Balancer,
  "addBackend" | "removeBackend" | "drainBackend" | "restoreBackend" | "setBackendWeight"
>;

/** The same as it is asked of another process. */
export type RemoteChanges = {
  readonly [Name in keyof BalancerChanges]: (...args: Parameters<BalancerChanges[Name]>) => Promise<void>;
};

/** What the primary asks of a worker. */
export interface WorkerApi extends RemoteChanges {
  /** Asked once, first; resolves when it listens. */
  readonly start: (setup: WorkerSetup) => Promise<ListenAddress>;
  readonly snapshot: () => Promise<BalancerSnapshot>;
  /** Resolves with the last snapshot when no request is left. May be asked again with less time. */
  readonly close: (graceMs: number) => Promise<BalancerSnapshot>;
}

/** What a worker says without being asked: that it can be asked now, and its figures. */
export type WorkerMessage = { readonly ready: true } | { readonly figures: BalancerSnapshot };
