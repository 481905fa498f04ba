import type { AdmissionOptions, OverloadPolicy, Refusal } from "./admission.js";
import { OVERLOAD_POLICIES, REFUSALS } from "./admission.js";
import {
  BackendStartError,
  builtProgram,
  expectOneOf,
  expectPort,
  expectWhole,
  resolveAddress,
  runningHere,
  type BackendOptions,
  type RunningBackend,
} from "./backend.js";
import { BACKEND_DEFAULTS, BACKEND_LIMITS, POOL_DEFAULTS } from "./defaults.js";
import { resolveHandler, workOf, type HandlerSpec } from "./handlers.js";
import { serveHandler } from "./http-server.js";
import { createPoolHandler, type PoolStats } from "./pool-handler.js";
import { drainBody, prepareAnswer, sendAnswer, TEXT, type Answer, type Handler, type Task } from "./work.js";

/** The admin server is for who started the pool. */
const ADMIN_HOST = BACKEND_DEFAULTS.host;

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

/** A pool that answers. */
export interface RunningPool extends RunningBackend {
  /** What it has done and is doing, as of now. */
  readonly stats: () => PoolStats;
  /** Where the admin server is; its `/stats` is what `stats()` gives. Absent without an `adminPort`. */
  readonly adminUrl?: string;
}

/**
 * Starts a sample server in this process that takes requests and has a fixed number of threads serve them, with a queue
 * of a fixed length between; resolves when it listens and every thread is ready. Throws a `HandlerSpecError` or, with
 * nothing left behind, a `BackendStartError`.
 *
 * Where nothing is refused (`block`, `simple`), a request for which there is no room is taken later. A system completes
 * connections whether or not a program accepts them, so a client sees the same from a server that does not take its
 * request and from one that does not accept its connection: it waits for its answer. Here connections are accepted,
 * requests are read, and wait outside in order of arrival, without being counted as accepted, until there is room.
 */
export async function startPool(options: PoolOptions): Promise<RunningPool> {
  const handler = resolveHandler(options.handler);
  const address = resolveAddress(options);
  const { adminPort, ...resolved } = resolvePoolOptions(options);

  const cleanups: (() => Promise<void>)[] = [];
  // What was started last is stopped first.
  const cleanUp = async (): Promise<void> => {
    for (const one of cleanups.toReversed()) await one();
  };
  try {
    const threads = await startThreads(resolved.admission.pool, { handler });
    cleanups.push(threads.stop);
    const pool = createPoolHandler({
      ...resolved,
      work: workOf(handler),
      perform: threads.perform,
      threadsDied: threads.died,
    });
    const admin =
      adminPort === undefined
        ? undefined
        : await serveHandler(adminHandler(pool.stats), { host: ADMIN_HOST, port: adminPort }, false);
    if (admin !== undefined) cleanups.push(() => admin.stop(0));
    const server = await serveHandler(pool.handler, address, options.identify ?? false);
    const stop = async (graceMs: number): Promise<void> => {
      await server.stop(graceMs);
      pool.abandonAll();
      await cleanUp();
    };
    return {
      // Threads that die are replaced and counted.
      ...runningHere({ ...server, stop }),
      ...(admin === undefined ? {} : { adminUrl: admin.url }),
      stats: pool.stats,
    };
  } catch (error) {
    await cleanUp();
    throw error;
  }
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
  expectWhole("retryAfterS", retryAfterS, 0, BACKEND_LIMITS.retryAfterS);
  if (adminPort !== undefined) expectPort("adminPort", adminPort);
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
  expectWhole("pool", pool, 1, BACKEND_LIMITS.pool);
  expectWhole("queue", queue, 0, BACKEND_LIMITS.queue);
  return { pool, queue, policy };
}

function expectSimple(name: string, value: number | undefined, only: number): void {
  if (value === undefined || value === only) return;
  throw new BackendStartError(
    `${name}: expected ${only} with the policy "simple", which serves one request at a time, got ${value}. ` +
      `Leave ${name} out, or choose another policy.`,
  );
}

const STATS_PATH = "/stats";
const notFound = prepareAnswer(404, TEXT, `Expected GET ${STATS_PATH}.\n`);

/** Answers `GET /stats` with the counts of now, as JSON, and everything else with 404. */
function adminHandler(stats: () => PoolStats): Handler {
  return (request, response) =>
    drainBody(request, () => {
      const known = request.method === "GET" && request.url === STATS_PATH;
      sendAnswer(response, known ? prepareAnswer(200, "application/json", JSON.stringify(stats())) : notFound);
    });
}

/** What a thread is started with. */
export interface ThreadOptions {
  readonly handler: HandlerSpec;
}

/** Starts threads, which have no queue; resolves when every one is ready. Throws a `BackendStartError`, with none left. */
async function startThreads(count: number, options: ThreadOptions) {
  // Loaded where it is needed: many use this package for what has no threads.
  const { Piscina } = await import("piscina");
  const threads = new Piscina<Task | undefined, Answer>({
    filename: builtProgram(import.meta.url, "./pool-thread.js"),
    workerData: options,
    minThreads: count,
    maxThreads: count,
    idleTimeout: Infinity,
    maxQueue: 0,
    recordTiming: false,
    // The clock of `cpu` is experimental in older versions of Node, which need not be said once for each thread.
    execArgv: ["--disable-warning=ExperimentalWarning"],
  });
  let died = 0;
  let stopping = false;
  // A thread that dies without work is replaced as any other, and must not end the server.
  threads.on("error", () => undefined);
  threads.on("workerDestroy", () => {
    if (!stopping) died += 1;
  });
  const stop = async (): Promise<void> => {
    stopping = true;
    await threads.destroy();
  };
  try {
    // As many tasks at once as threads: each thread gets one.
    await Promise.all(Array.from({ length: count }, () => threads.run(undefined, { name: "getReady" })));
  } catch (error) {
    await stop();
    const reason = error instanceof Error ? error.message : String(error);
    throw new BackendStartError(`pool: expected ${count} threads to start, but one ended: ${reason}`);
  }
  return {
    perform: (task: Task): Promise<Answer> => threads.run(task, { name: "perform" }),
    /** How many have died by themselves; another takes the place of each. */
    died: (): number => died,
    /** Ends all threads, whatever they do; resolves when none is left. What they did is rejected. */
    stop,
  };
}
