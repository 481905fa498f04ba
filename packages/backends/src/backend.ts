/** What all sample servers have in common: what they are started with, what they are while they run, and how a start fails. */
import { sep } from "node:path";
import { fileURLToPath } from "node:url";
import { BACKEND_DEFAULTS } from "./defaults.js";
import type { HandlerSpec } from "./handlers.js";

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

/**
 * A sample server could not start; nothing of it is left. `code` is the system's (`EADDRINUSE`, ...) where there is
 * one.
 */
export class BackendStartError extends Error {
  override readonly name = "BackendStartError";
  readonly code: string | undefined;

  constructor(message: string, code?: string) {
    super(message);
    this.code = code;
  }
}

/** The error for an address that cannot be listened on. */
export function cannotListen({ host, port }: Address, error: NodeJS.ErrnoException): BackendStartError {
  const why =
    error.code === "EADDRINUSE"
      ? "the port is in use. Stop what listens there, or choose another port (0 takes any free one)."
      : error.message;
  return new BackendStartError(`Cannot listen on ${host}:${port}: ${why}`, error.code);
}

/** Where a server is to listen. */
export interface Address {
  readonly host: string;
  readonly port: number;
}

/** Checks an address and fills in the defaults; throws a `BackendStartError`. */
export function resolveAddress(options: { readonly host?: string; readonly port?: number }): Address {
  const { host = BACKEND_DEFAULTS.host, port = BACKEND_DEFAULTS.port } = options;
  expectPort("port", port);
  return { host, port };
}

/** A URL at which a client on the same machine reaches the address. */
export function urlOf({ host, port }: Address, scheme = "http"): string {
  const everywhere = new Map([
    ["0.0.0.0", "127.0.0.1"],
    ["::", "::1"],
  ]);
  const reachable = everywhere.get(host) ?? host;
  return `${scheme}://${reachable.includes(":") ? `[${reachable}]` : reachable}:${port}`;
}

/** Throws a `BackendStartError` unless an option is a whole number within bounds. */
export function expectWhole(name: string, value: number, min: number, max: number, remark = ""): void {
  if (Number.isInteger(value) && value >= min && value <= max) return;
  throw new BackendStartError(`${name}: expected a whole number from ${min} to ${max}${remark}, got ${value}.`);
}

/** Throws a `BackendStartError` unless an option is a port. */
export function expectPort(name: string, value: number): void {
  expectWhole(name, value, 0, 65_535, " (0 takes any free port)");
}

/** Throws a `BackendStartError` unless an option is one of these words. */
export function expectOneOf(name: string, words: readonly string[], value: string): void {
  if (words.includes(value)) return;
  throw new BackendStartError(`${name}: expected one of ${words.join(", ")}, got "${value}".`);
}

/** What a server that runs in this process has of its own. */
export interface Here extends Pick<RunningBackend, "url" | "port"> {
  /** Requests received so far. */
  readonly requests: () => number;
  /** Ends it, letting requests in flight finish for so long, in ms; called once. */
  readonly stop: (graceMs: number) => Promise<void>;
}

/** A sample server that runs in this process, as its caller sees it. */
export function runningHere({ url, port, requests, stop }: Here): RunningBackend {
  let stopped: Promise<void> | undefined;
  return {
    url,
    port,
    pids: [process.pid],
    requests: async () => requests(),
    // It cannot die without the caller, who runs in the same process.
    onDied: () => () => undefined,
    stop: ({ graceMs = BACKEND_DEFAULTS.stopGraceMs } = {}) => (stopped ??= stop(graceMs)),
  };
}

/**
 * Path of a built module that another process or thread is to run: only JavaScript can be, also when the caller runs from
 * its source.
 *
 * @param from `import.meta.url` of the caller.
 * @param relative the module, relative to the caller: `./pool-thread.js`.
 */
export function builtProgram(from: string, relative: string): string {
  const path = fileURLToPath(new URL(relative, from));
  const source = `${sep}backends${sep}src${sep}`;
  const at = path.lastIndexOf(source);
  return at === -1 ? path : `${path.slice(0, at)}${sep}backends${sep}dist${sep}${path.slice(at + source.length)}`;
}
