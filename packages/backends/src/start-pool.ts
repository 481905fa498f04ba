import { completeRoom } from "./admission.js";
import { BackendStartError, builtProgram, checkOptions, type BackendOptions, type RunningBackend } from "./backend.js";
import { BACKEND_DEFAULTS, POOL_DEFAULTS } from "./defaults.js";
import { resolveHandler, workOf, type HandlerSpec } from "./handlers.js";
import { serveHandler } from "./http-server.js";
import { createPoolHandler, type PoolSettings, type PoolStats } from "./pool-handler.js";
import { drainBody, prepareAnswer, sendAnswer, TEXT, type Answer, type Handler, type Task } from "./work.js";

/** What a pool is started with. */
export interface PoolOptions extends BackendOptions, Partial<PoolSettings> {
  /** Port of an admin server on 127.0.0.1, whose `GET /stats` answers with the `PoolStats` as JSON; 0 for any. Without it there is none. */
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
 * nothing left behind, a `BackendStartError`. Where nothing is refused (`block`, `simple`), a request for which there is no
 * room is read and waits outside, in order of arrival, without being counted as accepted.
 */
export async function startPool(options: PoolOptions): Promise<RunningPool> {
  const handler = resolveHandler(options.handler);
  const endpoint = checkOptions(options);
  const settings = completeSettings(options);
  const { adminPort } = options;
  const threads = await startThreads(settings.pool, handler);
  const pool = createPoolHandler(settings, workOf(handler), threads.perform);
  const stats = (): PoolStats => ({ ...pool.stats(), threadsDied: threads.died() });
  let admin: RunningBackend | undefined;
  const stopAll = async (): Promise<void> => {
    pool.abandonAll();
    await admin?.stop({ graceMs: 0 });
    await threads.stop();
  };
  try {
    const adminEndpoint = { host: BACKEND_DEFAULTS.host, port: adminPort ?? 0, identify: false };
    if (adminPort !== undefined) admin = await serveHandler(adminHandler(stats), adminEndpoint);
    const server = await serveHandler(pool.handler, endpoint, stopAll);
    return { ...server, ...(admin === undefined ? {} : { adminUrl: admin.url }), stats };
  } catch (error) {
    await stopAll();
    throw error;
  }
}

/** Fills in the defaults; throws a `BackendStartError` for what does not go with the policy `simple`. */
function completeSettings(options: PoolOptions): PoolSettings {
  const {
    policy = POOL_DEFAULTS.policy,
    refusal = POOL_DEFAULTS.refusal,
    retryAfterS = POOL_DEFAULTS.retryAfterS,
  } = options;
  const { pool, queue, fault } = completeRoom(policy, options);
  if (fault !== undefined) throw new BackendStartError(`${fault.option}: ${fault.message}.`);
  return { pool, queue, policy, refusal, retryAfterS };
}

const STATS_PATH = "/stats";
const notFound = prepareAnswer(404, TEXT, `Expected GET ${STATS_PATH}.\n`);

function adminHandler(stats: () => PoolStats): Handler {
  return (request, response) =>
    drainBody(request, () => {
      const known = request.method === "GET" && request.url === STATS_PATH;
      sendAnswer(response, known ? prepareAnswer(200, "application/json", JSON.stringify(stats())) : notFound);
    });
}

/** Starts threads, which have no queue; resolves when every one is ready. Throws a `BackendStartError`, with none left. */
async function startThreads(count: number, handler: HandlerSpec) {
  // Loaded where it is needed: many use this package for what has no threads.
  const { Piscina } = await import("piscina");
  const threads = new Piscina<Task | undefined, Answer>({
    filename: builtProgram(import.meta.url, "./pool-thread.js"),
    name: "perform",
    workerData: handler,
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
    await Promise.all(Array.from({ length: count }, () => threads.run(undefined)));
  } catch (error) {
    await stop();
    const reason = error instanceof Error ? error.message : String(error);
    throw new BackendStartError(`pool: expected ${count} threads to start, but one ended: ${reason}`);
  }
  return {
    perform: (task: Task): Promise<Answer> => threads.run(task),
    /** How many have died by themselves; another takes the place of each. */
    died: (): number => died,
    stop,
  };
}
