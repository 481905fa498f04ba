/** A server whose requests are served by a fixed number of threads, with a queue of a fixed length between. */
import type { IncomingMessage, ServerResponse } from "node:http";
import { createHistogram } from "node:perf_hooks";
import {
  completeRoom,
  createAdmission,
  type AdmissionCounts,
  type AdmissionOptions,
  type Refusal,
} from "./admission.js";
import {
  BackendStartError,
  builtProgram,
  checkOptions,
  serveHandler,
  type BackendOptions,
  type RunningBackend,
} from "./backend.js";
import { BACKEND_DEFAULTS, POOL_DEFAULTS } from "./defaults.js";
import { resolveHandler, workOf, type HandlerSpec } from "./handlers.js";
import { TimedResponse } from "./timed-response.js";
import {
  drainBody,
  prepareAnswer,
  readBody,
  sendAnswer,
  TEXT,
  type Answer,
  type Handler,
  type Task,
  type Work,
} from "./work.js";

interface PoolSettings extends AdmissionOptions {
  /** How a request is refused: with a 503, the default, or by closing the connection without an answer. */
  readonly refusal: Refusal;
  /** What the header `Retry-After` of a 503 says, in whole seconds; 1 by default. */
  readonly retryAfterS: number;
}

/** What a pool is started with. */
export interface PoolOptions extends BackendOptions, Partial<PoolSettings> {
  /** Port of an admin server on 127.0.0.1, whose `GET /stats` answers with the `PoolStats` as JSON; 0 for any. Without it there is none. */
  readonly adminPort?: number;
}

/** What is known of many durations; all 0 when there were none. Times are exact to three digits. */
export interface DurationSummary {
  readonly count: number;
  readonly meanMs: number;
  readonly maxMs: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

/**
 * What a pool has done since its start, and what it is doing. At any moment
 *
 *     accepted = served + refused + abandoned + waiting + inService
 *
 * A request counts as soon as it has come whole. It is `served` when it was answered, with any status; `abandoned`
 * when its client went away before that: at once when it waited, and when its thread is done when it was in service.
 * Requests `outside` are not yet accepted; their clients may go away without being counted.
 */
export interface PoolStats extends AdmissionCounts {
  /** Threads that ended by themselves; each was replaced, and its request, if it had one, was answered with 500. */
  readonly threadsDied: number;
  /** From being accepted to the start of service, of all requests that came so far. */
  readonly timeInQueue: DurationSummary;
  /** From the start of service until the thread was done, of all requests that came so far. */
  readonly timeInService: DurationSummary;
}

/** A pool that answers. */
export interface RunningPool extends RunningBackend {
  /** What it has done and is doing, as of now. */
  readonly stats: () => PoolStats;
  /** Where the admin server is; its `/stats` is what `stats()` gives. Absent without an `adminPort`. */
  readonly adminUrl?: string | undefined;
}

/**
 * Starts a sample server in this process that takes requests and has a fixed number of threads serve them, with a queue
 * of a fixed length between; resolves when it listens and every thread is ready. Throws a `HandlerSpecError` or, with
 * nothing left behind, a `BackendStartError`. Where nothing is refused (`block`, `simple`), a request for which there is no
 * room is read and waits outside, in order of arrival, without being counted as accepted.
 */
export async function startPool(options: PoolOptions): Promise<RunningPool> {
  const handler = resolveHandler(options.handler);
  const endpoint = await checkOptions(options);
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
    const adminEndpoint = { host: BACKEND_DEFAULTS.host, port: adminPort ?? 0, identify: false, timing: false };
    if (adminPort !== undefined) admin = await serveHandler(adminHandler(stats), adminEndpoint);
    const server = await serveHandler(pool.handler, endpoint, stopAll);
    return { ...server, adminUrl: admin?.url, stats };
  } catch (error) {
    await stopAll();
    throw error;
  }
}

/** Fills in the defaults; throws a `BackendStartError` for options that do not go with the policy `simple`. */
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
  // Loaded where it is needed: many use this package without threads.
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

interface Job {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly body: Buffer | undefined;
  readonly leave: () => void;
  acceptedAtMs: number;
}

const tooLong = prepareAnswer(413, TEXT, `Expected a body of at most ${POOL_DEFAULTS.largestBodyBytes} bytes.\n`);

/** Makes a handler: requests that have come whole are admitted, done by `perform` in a thread that is free, and answered from here. */
export function createPoolHandler(settings: PoolSettings, work: Work, perform: (task: Task) => Promise<Answer>) {
  const [queued, serviced] = [collectDurations(), collectDurations()];
  const jobs = new Set<Job>();
  const noRoom = prepareAnswer(503, TEXT, "There is no room for this request.\n");
  const refusal = { ...noRoom, headers: [...noRoom.headers, "Retry-After", String(settings.retryAfterS)] };
  const admission = createAdmission<Job>(settings, {
    accept: (job) => void (job.acceptedAtMs = performance.now()),
    start: (job) => void serve(job),
    refuse(job) {
      forget(job);
      if (settings.refusal === "close") job.request.socket.destroy();
      else sendAnswer(job.response, refusal);
    },
  });

  function offer(request: IncomingMessage, response: ServerResponse, body?: Buffer): void {
    // Refused together with one that came before it over the same connection.
    if (request.socket.destroyed) return;
    const leave = (): void => {
      forget(job);
      admission.leave(job);
    };
    const job: Job = { request, response, body, leave, acceptedAtMs: 0 };
    jobs.add(job);
    // Of requests that come at once over one connection only the first has a response that would tell.
    request.socket.setMaxListeners(Infinity).once("close", leave);
    admission.arrive(job);
  }

  function forget(job: Job): void {
    jobs.delete(job);
    job.request.socket.off("close", job.leave);
  }

  async function serve(job: Job): Promise<void> {
    const startedAtMs = performance.now();
    const queuedMs = startedAtMs - job.acceptedAtMs;
    queued.add(queuedMs);
    if (job.response instanceof TimedResponse) job.response.queuedMs = queuedMs;
    const contentType = job.request.headers["content-type"];
    // In memory of its own: a small `Buffer` is a part of a larger one, and all of that would be sent to a thread.
    const carried = job.body === undefined ? {} : { contentType, body: new Uint8Array(job.body) };
    const answer = await perform({ drawn: work.draw?.(), ...carried }).catch(toFailure);
    serviced.add(performance.now() - startedAtMs);
    forget(job);
    // First the next one, so that the thread has work while this one is answered.
    admission.finish(job);
    sendAnswer(job.response, answer);
  }

  return {
    handler: (request: IncomingMessage, response: ServerResponse): void => {
      if (!work.usesBody) return drainBody(request, () => offer(request, response));
      readBody(request, POOL_DEFAULTS.largestBodyBytes, (body) => {
        if (body === undefined) sendAnswer(response, tooLong);
        else offer(request, response, body);
      });
    },
    stats: () => ({
      ...admission.counts(),
      timeInQueue: queued.summary(),
      timeInService: serviced.summary(),
    }),
    abandonAll: () => jobs.forEach(({ leave }) => leave()),
  };
}

function toFailure(error: unknown): Answer {
  const reason = error instanceof Error ? error.message : String(error);
  return prepareAnswer(500, TEXT, `The thread that served this request failed: ${reason}\n`);
}

export function collectDurations() {
  const histogram = createHistogram();
  return {
    // It takes whole numbers from 1: microseconds.
    add: (durationMs: number): void => histogram.record(Math.max(1, Math.round(durationMs * 1000))),
    summary: (): DurationSummary => ({
      count: histogram.count,
      meanMs: histogram.count === 0 ? 0 : histogram.mean / 1000,
      maxMs: histogram.max / 1000,
      p50Ms: histogram.percentile(50) / 1000,
      p99Ms: histogram.percentile(99) / 1000,
    }),
  };
}
