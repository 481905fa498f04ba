import type { HandlerSpec } from "./handler-spec.js";

/** What every sample server is started with. */
export interface BackendOptions {
  /** What it does with a request: a spec or its text, like `sleep:10ms`. */
  readonly handler: HandlerSpec | string;
  /** 0, the default, takes any free port. */
  readonly port?: number;
  /** `127.0.0.1` by default. */
  readonly host?: string;
  /** Whether each answer carries `x-worker`, the id of the process that made it; off by default. */
  readonly identify?: boolean;
}

/** A process of a sample server that ended without having been asked to. */
export interface BackendDeath {
  readonly pid: number;
  /** Its exit code; `null` when a signal ended it. */
  readonly code: number | null;
  readonly signal: string | null;
  /** The end of what it wrote to stderr, at most 4 kB; empty when it wrote nothing. */
  readonly stderr: string;
}

/** How a sample server stops. */
export interface StopOptions {
  /** How long requests in flight may take to finish, in ms; 500 by default. */
  readonly graceMs?: number;
}

/** A sample server that answers. */
export interface RunningBackend {
  readonly url: string;
  readonly port: number;
  /** Processes that serve: this one for a single server, the workers of a cluster. */
  readonly pids: readonly number[];
  /** Requests received since the start, over all workers; those of a worker that died count as far as it last told. */
  readonly requests: () => Promise<number>;
  /**
   * Calls the listener for each worker that dies by itself, also for those that did before. Returns a function that
   * ends this.
   */
  readonly onDied: (listener: (death: BackendDeath) => void) => () => void;
  /** Stops it and waits until no process, port or connection is left. May be called more than once. */
  readonly stop: (options?: StopOptions) => Promise<void>;
}
