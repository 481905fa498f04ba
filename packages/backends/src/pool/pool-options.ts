import { BackendStartError } from "../backend-start-error.js";
import { POOL_DEFAULTS } from "../defaults.js";
import type { BackendOptions } from "../running-backend.js";
import type { AdmissionOptions } from "./admission.js";
import { OVERLOAD_POLICIES, type OverloadPolicy } from "./overload-policy.js";
import { REFUSALS, type Refusal } from "./refuse.js";

const MAX_THREADS = 256;
const MAX_QUEUE = 1_000_000;
const MAX_RETRY_AFTER_S = 86_400;
const MAX_PORT = 65_535;

/** What a pool is started with. */
export interface PoolOptions extends BackendOptions {
  /** Number of threads, from 1 to 256; 4 by default. */
  readonly pool?: number;
  /** Number of requests that may wait for a thread, from 0 to a million; 10 by default. */
  readonly queue?: number;
  /** What happens to a request that finds all threads busy and the queue full; `drop-tail` by default. */
  readonly policy?: OverloadPolicy;
  /** How a request is refused: with a 503, the default, or by closing the connection without an answer. */
  readonly refusal?: Refusal;
  /** What the header `Retry-After` of a 503 says, in whole seconds; 1 by default. */
  readonly retryAfterS?: number;
  /**
   * Port of an admin server on 127.0.0.1, whose `GET /stats` answers with the `PoolStats` as JSON; 0 takes any free
   * one. There is no such server when it is absent.
   */
  readonly adminPort?: number;
}

/** The options of a pool that are its own, checked and complete. */
export interface ResolvedPoolOptions {
  readonly admission: AdmissionOptions;
  readonly refusal: Refusal;
  readonly retryAfterS: number;
  readonly adminPort: number | undefined;
}

/** Checks the options and fills in the defaults; throws a `BackendStartError`. */
export function resolvePoolOptions(options: PoolOptions): ResolvedPoolOptions {
  const { refusal = POOL_DEFAULTS.refusal, retryAfterS = POOL_DEFAULTS.retryAfterS, adminPort } = options;
  expectOneOf("refusal", REFUSALS, refusal);
  expectWhole("retryAfterS", retryAfterS, 0, MAX_RETRY_AFTER_S);
  if (adminPort !== undefined) expectWhole("adminPort", adminPort, 0, MAX_PORT, " (0 takes any free port)");
  return { admission: resolveAdmission(options), refusal, retryAfterS, adminPort };
}

function resolveAdmission(options: PoolOptions): AdmissionOptions {
  const { policy = POOL_DEFAULTS.policy } = options;
  expectOneOf("policy", OVERLOAD_POLICIES, policy);
  if (policy === "simple") {
    expectSimple("pool", options.pool, 1);
    expectSimple("queue", options.queue, 0);
    return { pool: 1, queue: 0, policy };
  }
  const { pool = POOL_DEFAULTS.pool, queue = POOL_DEFAULTS.queue } = options;
  expectWhole("pool", pool, 1, MAX_THREADS);
  expectWhole("queue", queue, 0, MAX_QUEUE);
  return { pool, queue, policy };
}

function expectSimple(name: string, value: number | undefined, only: number): void {
  if (value === undefined || value === only) return;
  throw new BackendStartError(
    `${name}: expected ${only} with the policy "simple", which serves one request at a time, got ${value}. ` +
      `Leave ${name} out, or choose another policy.`,
  );
}

function expectWhole(name: string, value: number, min: number, max: number, remark = ""): void {
  if (Number.isInteger(value) && value >= min && value <= max) return;
  throw new BackendStartError(`${name}: expected a whole number from ${min} to ${max}${remark}, got ${value}.`);
}

function expectOneOf(name: string, words: readonly string[], value: string): void {
  if (words.includes(value)) return;
  throw new BackendStartError(`${name}: expected one of ${words.join(", ")}, got "${value}".`);
}
