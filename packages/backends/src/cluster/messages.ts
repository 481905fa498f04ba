import type { Address } from "../address.js";
import type { HandlerSpec } from "../handler-spec.js";

/** Environment variable in which a worker finds its `WorkerOptions`, as JSON. */
export const WORKER_OPTIONS_VARIABLE = "LBBENCH_BACKEND_WORKER";

/** What a worker is started with. */
export interface WorkerOptions {
  readonly handler: HandlerSpec;
  readonly address: Address;
  readonly identify: boolean;
  /** Number of the worker, from 0. */
  readonly worker: number;
}

/** What the primary asks of a worker. */
export type WorkerCommand =
  | { readonly type: "requests"; readonly id: number }
  | { readonly type: "stop"; readonly graceMs: number };

/** What a worker tells the primary. */
export type WorkerMessage =
  | { readonly type: "requests"; readonly id: number; readonly requests: number }
  | { readonly type: "failed"; readonly code: string | undefined; readonly message: string };
