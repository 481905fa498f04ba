import type { IncomingMessage, ServerResponse } from "node:http";
import { createHistogram } from "node:perf_hooks";
import { createAdmission, type AdmissionCounts, type AdmissionOptions, type Refusal } from "./admission.js";
import { POOL_DEFAULTS } from "./defaults.js";
import { drainBody, prepareAnswer, readBody, sendAnswer, TEXT, type Answer, type Task, type Work } from "./work.js";

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

export interface PoolSettings extends AdmissionOptions {
  /** How a request is refused: with a 503, the default, or by closing the connection without an answer. */
  readonly refusal: Refusal;
  /** What the header `Retry-After` of a 503 says, in whole seconds; 1 by default. */
  readonly retryAfterS: number;
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
    queued.add(startedAtMs - job.acceptedAtMs);
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
