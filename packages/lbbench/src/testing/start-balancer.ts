import type { BackendShare } from "../model/measurement.js";
import { startServer } from "./start-server.js";
import type { StartedServer, StartSettings } from "./start-server.js";

/** A backend for a balancer: where it answers, or a server that was started. */
export type BalancedBackend =
  | string
  | {
      /** Origin it answers at: a server that was started has it. */
      readonly url: string;
      /** What it is called in the counts; `backend-1`, `backend-2` and so on by default. */
      readonly name?: string;
      /** For policies that go by weights; 1 by default. */
      readonly weight?: number;
    };

/** Options of the balancer, as those of the server `balanced`, and how it is started. */
export interface BalancerSettings extends StartSettings {
  /** How a backend is picked, as `--policy` takes it: `round-robin` by default; or the path of a module. */
  readonly policy?: string;
  readonly mode?: "http" | "tcp";
  readonly transport?: "undici" | "http-proxy";
  /** How often an idempotent request that failed is sent to another backend. */
  readonly retries?: number;
  /** A free one by default. */
  readonly port?: number;
}

/** A balancer that answers, and how it has shared out its requests. */
export interface StartedBalancer extends StartedServer {
  /**
   * Requests, and those that failed, by backend since the start: `{"backend-1": {requests: 50, errors: 0}}`. Rejects in mode
   * `tcp`, in which the balancer sees connections alone.
   */
  readonly backends: () => Promise<Readonly<Record<string, BackendShare>>>;
}

/**
 * Starts the balancer of `@lbbench/proxy`, in a process of its own, over backends that answer already; resolves when it answers. It
 * stops itself alone, never the backends, which are those of whoever started them.
 *
 * Rejects as {@link startServer} does, also when a backend does not accept connections.
 */
export async function startBalancer(
  backends: readonly BalancedBackend[],
  settings: BalancerSettings = {},
): Promise<StartedBalancer> {
  const { signal, folder, servers, ...options } = settings;
  const groups = backends.map((backend) => {
    const { url, name, weight } = typeof backend === "string" ? { url: backend } : backend;
    return {
      server: "url",
      options: { url },
      ...(name === undefined ? {} : { name }),
      ...(weight === undefined ? {} : { weight }),
    };
  });
  const start: StartSettings = {
    ...(signal === undefined ? {} : { signal }),
    ...(folder === undefined ? {} : { folder }),
    ...(servers === undefined ? {} : { servers }),
  };
  const balancer = await startServer("balanced", { ...options, backends: groups }, start);
  return { ...balancer, backends: balancer.backends ?? refuseCounts };
}

async function refuseCounts(): Promise<never> {
  throw new Error(
    'Expected a balancer in mode "http" to count requests by backend; in mode "tcp" it sees connections alone.',
  );
}
