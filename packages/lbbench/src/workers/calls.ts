/** How a master and its workers call each other: signed texts, which Locust carries. */
import { createHmac, timingSafeEqual } from "node:crypto";
import { createBirpc, type BirpcReturn } from "birpc";
import type { Generator, GeneratorLoad, GeneratorReport } from "../engines/generator.js";
import type { Fill } from "../engines/load-run.js";
import type { Calls } from "../model/child.js";

/** A worker died, fell silent, left, came back in the middle of a load, or a message of it was lost (`WORKER_LOST`); or did what it was not asked (`WORKERS_DIFFER`). */
export class WorkerError extends Error {
  override readonly name = "WorkerError";

  constructor(
    readonly code: "WORKER_LOST" | "WORKERS_DIFFER",
    message: string,
  ) {
    super(message);
  }
}

/** What a worker says of itself when it comes. */
export interface Hello {
  readonly version: string;
  readonly host: string;
  readonly cores: number;
}

/**
 * What the master's side can ask a worker: what its generator can do. An order with `users` is for when Locust has started so many there;
 * `leadMs` is how long before the start of the schedule the generator is called; `durationMs` is in place of what the level says.
 */
export interface WorkerCalls extends Pick<Calls<Generator>, "prepare" | "settle" | "progress"> {
  fill(order: { readonly users: number; readonly limitMs: number }): Promise<Fill>;
  /** Reports with the busy share of all cores of its machine meanwhile, 0 to 1. */
  run(
    order: Readonly<{ users: number | undefined; leadMs: number; durationMs: number | undefined }>,
  ): Promise<GeneratorReport & { readonly machineCpu: number }>;
  cut(): void;
  /** Ends the worker, which says why. */
  dismiss(reason: string): void;
}

/** What a worker can tell the master's side. */
export interface CrewCalls {
  hello(hello: Hello): void;
  /** Its generator has been started. */
  started(): void;
}

/**
 * Opens calls over texts, both ways. Each text is signed with the token and numbered (HMAC-SHA256, RFC 2104), so that no other peer who reaches
 * the port can call either end, and nothing is heard twice. `receive` reads a text of the other end. It does not read that of a
 * stranger, nor one before which another was lost (`gap`): this end may be waiting for that.
 *
 * @param line the secret of the run, whose end this is, and the id of the worker.
 */
export function openCalls<Remote extends object, Own extends object>(
  own: Own,
  { token, end, worker }: { readonly token: string; readonly end: "master" | "worker"; readonly worker: string },
  send: (text: string) => void,
) {
  const sign = (from: string, number: number, text: string): string =>
    createHmac("sha256", token).update(`${from} ${worker} ${number} ${text}`).digest("base64url");
  let read: (text: string) => void = () => {};
  let [sent, heard] = [0, 0];
  const calls: BirpcReturn<Remote, Own> = createBirpc<Remote, Own>(own, {
    post: (text: string) => {
      sent += 1;
      send(`${sent} ${sign(end, sent, text)} ${text}`);
    },
    on: (listener) => (read = listener),
    serialize: (call) => JSON.stringify(call, carryErrors),
    deserialize: (text: string) => JSON.parse(text) as unknown,
    timeout: -1,
  });
  const receive = (signed: string): "read" | "stranger" | "gap" => {
    const [, number = "", signature = "", text = ""] = /^(\d{1,15}) (\S+) ([^]*)$/.exec(signed) ?? [];
    const told = Buffer.from(signature);
    const expected = Buffer.from(sign(end === "master" ? "worker" : "master", Number(number), text));
    const isSigned = told.length === expected.length && timingSafeEqual(told, expected);
    if (!isSigned || Number(number) <= heard) return "stranger";
    // A worker that was taken for lost, and is met anew, goes on with its numbers.
    if (heard > 0 && Number(number) > heard + 1) return "gap";
    heard = Number(number);
    read(text);
    return "read";
  };
  return { calls, receive };
}

/** Of an error the other end gets the message, and the code of a {@link WorkerError}. */
function carryErrors(_key: string, value: unknown): unknown {
  if (!(value instanceof Error)) return value;
  return { message: value.message, code: value instanceof WorkerError ? value.code : undefined };
}

/** How much longer a call may take than its load and the last answers, in ms. */
const OVERTIME_MS = 30_000;

/** Limits how long a call of a load may take: a generator that hangs, or an answer that was lost, is not waited for without end. */
export function limitLoads(onLate: () => void) {
  /** How long the load at hand can take; one by a number of requests has no limit. */
  let longestMs = Infinity;
  return {
    begin: ({ level, timeoutMs }: GeneratorLoad): void => void (longestMs = (level.durationMs ?? Infinity) + timeoutMs),
    /** It is measured for so long. */
    extend: (durationMs = 0): void => void (longestMs = Math.max(longestMs, durationMs)),
    within: <T>(answer: Promise<T>): Promise<T> => {
      const timer = longestMs === Infinity ? undefined : setTimeout(onLate, longestMs + OVERTIME_MS).unref();
      return answer.finally(() => clearTimeout(timer));
    },
  };
}
