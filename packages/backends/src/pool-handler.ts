import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { createHistogram } from "node:perf_hooks";
import {
  createAdmission,
  type AdmissionCounts,
  type AdmissionOptions,
  type Decision,
  type Refusal,
} from "./admission.js";
import { POOL_DEFAULTS } from "./defaults.js";
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

/** What is known of many durations; all 0 when there were none. */
export interface DurationSummary {
  readonly count: number;
  readonly meanMs: number;
  readonly maxMs: number;
  /** Quantiles, exact to three digits. */
  readonly p50Ms: number;
  readonly p99Ms: number;
}

/**
 * What a pool has done since its start, and what it is doing. At any moment
 *
 *     accepted = served + refused + abandoned + waiting + inService
 *
 * A request counts as soon as it has come whole. It is `served` when it was answered, with whatever status; `abandoned`
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

/** What requests are handled with. */
export interface PoolParts {
  readonly admission: AdmissionOptions;
  /** Draws for each request; the threads do the rest of it. */
  readonly work: Work;
  /**
   * Has a free thread do the work for one request; called for no more at once than `admission.pool`. Rejects when the thread
   * dies.
   */
  readonly perform: (task: Task) => Promise<Answer>;
  /** How many threads have died by themselves. */
  readonly threadsDied: () => number;
  readonly refusal: Refusal;
  /** What a 503 says, in seconds. */
  readonly retryAfterS: number;
}

/** A handler that passes its requests on to threads. */
export interface PoolHandler {
  readonly handler: Handler;
  readonly stats: () => PoolStats;
  /** Gives up every request that is under way. */
  readonly abandonAll: () => void;
}

/** A request on its way through the pool. */
interface Job {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly body: Buffer | undefined;
  acceptedAtMs: number;
}

const tooLong = prepareAnswer(413, TEXT, `Expected a body of at most ${POOL_DEFAULTS.largestBodyBytes} bytes.\n`);

/** Makes the handler: requests that have come whole are admitted, done in a thread, and answered from here. */
export function createPoolHandler({ work, perform, threadsDied, ...parts }: PoolParts): PoolHandler {
  const admission = createAdmission<Job>(parts.admission);
  const refuse = createRefuse(parts);
  const jobs = watchConnections((job) => obey(admission.leave(job)));
  const queued = collectDurations();
  const serviced = collectDurations();

  function offer(request: IncomingMessage, response: ServerResponse, body?: Buffer): void {
    // Refused together with one that came before it over the same connection.
    if (request.socket.destroyed) return;
    const job = { request, response, body, acceptedAtMs: 0 };
    jobs.add(job);
    obey(admission.arrive(job));
  }

  function obey({ accept, start, refuse: refused }: Decision<Job>): void {
    if (accept !== undefined) accept.acceptedAtMs = performance.now();
    if (refused !== undefined) {
      jobs.remove(refused);
      refuse(refused);
    }
    if (start !== undefined) void serve(start);
  }

  async function serve(job: Job): Promise<void> {
    const startedAtMs = performance.now();
    queued.add(startedAtMs - job.acceptedAtMs);
    const answer = await perform({ drawn: work.draw(), ...carriedBy(job) }).catch(toFailure);
    serviced.add(performance.now() - startedAtMs);
    jobs.remove(job);
    // First the next one, so that the thread has work while this one is answered.
    obey(admission.finish(job));
    sendAnswer(job.response, answer);
  }

  return {
    handler(request, response) {
      if (!work.usesBody) return drainBody(request, () => offer(request, response));
      readBody(request, POOL_DEFAULTS.largestBodyBytes, (body) => {
        if (body === undefined) sendAnswer(response, tooLong);
        else offer(request, response, body);
      });
    },
    stats: () => ({
      ...admission.counts(),
      threadsDied: threadsDied(),
      timeInQueue: queued.summary(),
      timeInService: serviced.summary(),
    }),
    abandonAll() {
      for (const job of jobs.all()) obey(admission.leave(job));
    },
  };
}

function carriedBy({ request, body }: Job): Omit<Task, "drawn"> {
  if (body === undefined) return {};
  const contentType = request.headers["content-type"];
  // In memory of its own: a small `Buffer` is a part of a larger one, and all of that would be sent to a thread.
  return { body: new Uint8Array(body), ...(contentType === undefined ? {} : { contentType }) };
}

function toFailure(error: unknown): Answer {
  const reason = error instanceof Error ? error.message : String(error);
  return prepareAnswer(500, TEXT, `The thread that served this request failed: ${reason}\n`);
}

/** Tells a client that there is no room for its request. */
function createRefuse({ refusal, retryAfterS }: Pick<PoolParts, "refusal" | "retryAfterS">): (job: Job) => void {
  if (refusal === "close") return ({ request }) => void request.socket.destroy();
  const answer = prepareAnswer(503, TEXT, "There is no room for this request.\n");
  const withRetry = { ...answer, headers: [...answer.headers, "Retry-After", String(retryAfterS)] };
  return ({ response }) => sendAnswer(response, withRetry);
}

/**
 * Knows which jobs came over which connection, and calls `onLeft` for each whose connection closes. One listener for each
 * connection and not for each job, because a connection is kept for many, and a client may send several at once: of those
 * only the first has a response that would tell.
 */
function watchConnections(onLeft: (job: Job) => void) {
  const jobsOf = new Map<Socket, Set<Job>>();
  return {
    add(job: Job): void {
      const { socket } = job.request;
      const known = jobsOf.get(socket);
      if (known !== undefined) return void known.add(job);
      const jobs = new Set([job]);
      jobsOf.set(socket, jobs);
      socket.once("close", () => {
        jobsOf.delete(socket);
        for (const one of jobs) onLeft(one);
      });
    },
    remove: (job: Job): void => void jobsOf.get(job.request.socket)?.delete(job),
    all: (): readonly Job[] => [...jobsOf.values()].flatMap((jobs) => [...jobs]),
  };
}

/** Sums up durations without keeping them. */
export function collectDurations() {
  const histogram = createHistogram();
  let [count, sumMs, maxMs] = [0, 0, 0];
  const quantileMs = (percent: number): number => Math.min(histogram.percentile(percent) / 1000, maxMs);
  return {
    add(durationMs: number): void {
      count += 1;
      sumMs += durationMs;
      maxMs = Math.max(maxMs, durationMs);
      // It takes whole numbers from 1: microseconds.
      histogram.record(Math.max(1, Math.round(durationMs * 1000)));
    },
    summary: (): DurationSummary => ({
      count,
      meanMs: count === 0 ? 0 : sumMs / count,
      maxMs,
      p50Ms: quantileMs(50),
      p99Ms: quantileMs(99),
    }),
  };
}
