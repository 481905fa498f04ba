import type { IncomingMessage, ServerResponse } from "node:http";
import { POOL_DEFAULTS } from "../defaults.js";
import { drainBody } from "../handlers/drain-body.js";
import type { Handler } from "../handlers/handler-kind.js";
import { prepareAnswer } from "../handlers/prepared-answer.js";
import { sendAnswer } from "../handlers/send-answer.js";
import type { Answer, Work } from "../handlers/work.js";
import { createAdmission, type AdmissionOptions, type Decision } from "./admission.js";
import { watchConnections } from "./connection-jobs.js";
import { collectDurations } from "./durations.js";
import type { PoolStats } from "./pool-stats.js";
import { readBody } from "./read-body.js";
import type { Refuse } from "./refuse.js";
import type { Threads } from "./threads.js";

/** A request on its way through the pool. */
interface Job {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly body: Uint8Array | undefined;
  acceptedAtMs: number;
}

/** What requests are handled with. */
export interface PoolParts {
  readonly admission: AdmissionOptions;
  /** Draws for each request; the threads do the rest of it. */
  readonly work: Work;
  readonly threads: Threads;
  readonly refuse: Refuse;
}

/** A handler that passes its requests on to threads. */
export interface PoolHandler {
  readonly handler: Handler;
  readonly stats: () => PoolStats;
  /** Gives up every request that is under way. */
  readonly abandonAll: () => void;
}

const TEXT = "text/plain; charset=utf-8";
const tooLong = prepareAnswer(413, TEXT, `Expected a body of at most ${POOL_DEFAULTS.largestBodyBytes} bytes.\n`);

/** Makes the handler: requests that have come whole are admitted, done in a thread, and answered from here. */
export function createPoolHandler({ admission: options, work, threads, refuse }: PoolParts): PoolHandler {
  const admission = createAdmission<Job>(options);
  const jobs = watchConnections<Job>((job) => obey(admission.leave(job)));
  const queued = collectDurations();
  const serviced = collectDurations();

  function offer(request: IncomingMessage, response: ServerResponse, body?: Uint8Array): void {
    // Refused together with one that came before it over the same connection.
    if (request.socket.destroyed) return;
    const job = { request, response, body, acceptedAtMs: 0 };
    jobs.add(request.socket, job);
    obey(admission.arrive(job));
  }

  function obey({ accept, start, refuse: refused }: Decision<Job>): void {
    if (accept !== undefined) accept.acceptedAtMs = performance.now();
    if (refused !== undefined) {
      jobs.remove(refused.request.socket, refused);
      refuse(refused.request, refused.response);
    }
    if (start !== undefined) void serve(start);
  }

  async function serve(job: Job): Promise<void> {
    const { request, response, body } = job;
    const startedAtMs = performance.now();
    queued.add(startedAtMs - job.acceptedAtMs);
    const contentType = request.headers["content-type"];
    const carried = body === undefined ? {} : { body, ...(contentType === undefined ? {} : { contentType }) };
    const answer = await threads.perform({ drawn: work.draw(), ...carried }).catch(toFailure);
    serviced.add(performance.now() - startedAtMs);
    jobs.remove(request.socket, job);
    // First the next one, so that the thread has work while this one is answered.
    obey(admission.finish(job));
    sendAnswer(response, answer);
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
      threadsDied: threads.died(),
      timeInQueue: queued.summary(),
      timeInService: serviced.summary(),
    }),
    abandonAll() {
      for (const job of jobs.all()) obey(admission.leave(job));
    },
  };
}

function toFailure(error: unknown): Answer {
  const reason = error instanceof Error ? error.message : String(error);
  return prepareAnswer(500, TEXT, `The thread that served this request failed: ${reason}\n`);
}
