import { Agent, request } from "node:http";
import { Agent as TlsAgent, request as requestOverTls } from "node:https";
import { LOCALHOST } from "@lbbench/test-support/certificates.js";
import { expect, onTestFinished } from "vitest";
import type { BackendSnapshot, BalancerSnapshot } from "../options/options.js";
import { countEach } from "./pick-many.js";

/** What became of one request. */
export interface Outcome {
  /** As backends note it: `GET /7`. */
  readonly id: string;
  /** Absent when no complete answer came. */
  readonly status?: number;
  /** The backend that the answer names in `x-backend`. */
  readonly backend?: string;
  /** Why no complete answer came. */
  readonly error?: string;
}

const BODY = "b".repeat(256);

/** Every second one is a POST. */
export const mixed = (index: number): "GET" | "POST" => (index % 2 === 0 ? "GET" : "POST");

/**
 * Sends requests with a number of their own each (`GET /7`; a POST has a body), as fast as they are answered, over
 * connections that are kept, until it is stopped. A request to which nothing comes for `silenceMs` ends as `silence`.
 */
export function startLoad(url: string, methodOf: (index: number) => "GET" | "POST", connections = 50, silenceMs = 0) {
  const isSecure = url.startsWith("https:");
  const places = { keepAlive: true, maxSockets: connections, timeout: silenceMs };
  const agent = isSecure ? new TlsAgent({ ...places, ca: LOCALHOST.cert, servername: "localhost" }) : new Agent(places);
  const outcomes: Outcome[] = [];
  const waiting = new Set<{ readonly count: number; readonly resolve: () => void }>();
  let sent = 0;
  let stopped = false;
  onTestFinished(() => {
    stopped = true;
    agent.destroy();
  });

  async function sendOneByOne(): Promise<void> {
    while (!stopped) {
      const index = sent++;
      outcomes.push(await sendOne(agent, methodOf(index), url, `/${index}`));
      for (const waiter of waiting) {
        if (outcomes.length < waiter.count) continue;
        waiting.delete(waiter);
        waiter.resolve();
      }
    }
  }

  const ended = Promise.all(Array.from({ length: connections }, sendOneByOne)).then(() => {
    agent.destroy();
    return outcomes;
  });
  return {
    /** Resolves when this many more have ended than had when it was called. */
    more: (more: number): Promise<void> =>
      new Promise((resolve) => {
        waiting.add({ count: outcomes.length + more, resolve });
      }),
    /** Sends nothing more; resolves with all outcomes when the last request has ended. */
    stop: (): Promise<readonly Outcome[]> => {
      stopped = true;
      return ended;
    },
  };
}

function sendOne(agent: Agent, method: "GET" | "POST", url: string, path: string): Promise<Outcome> {
  const id = `${method} ${path}`;
  return new Promise((resolve) => {
    const fail = (error: Error): void => resolve({ id, error: error.message });
    const sending = (agent instanceof TlsAgent ? requestOverTls : request)(url + path, { agent, method }, (answer) => {
      const { statusCode: status = 0, headers } = answer;
      const backend = headers["x-backend"];
      answer.on("error", fail).resume();
      answer.on("end", () => {
        if (answer.complete) resolve({ id, status, ...(typeof backend === "string" ? { backend } : {}) });
      });
    });
    sending.on("error", fail);
    sending.on("timeout", () => sending.destroy(new Error("silence")));
    sending.end(method === "GET" ? undefined : BODY);
  });
}

/** How many requests ended with each status; those without a complete answer under what was the error. */
export function countOutcomes(outcomes: readonly Outcome[]): Record<string, number> {
  return countEach(outcomes.map(({ status, error }) => String(status ?? error)));
}

/** The sum of one count over all backends. */
export function sumOf(backends: readonly BackendSnapshot[], count: (backend: BackendSnapshot) => number): number {
  return backends.reduce((sum, backend) => sum + count(backend), 0);
}

/** Complete answers of a backend. */
export function answersOf({ answers }: BackendSnapshot): number {
  return Object.values(answers).reduce((sum, count) => sum + count, 0);
}

/** A backend that notes what it serves. */
interface ServingBackend {
  readonly name: string;
  /** Method and path of each request that it has read to its end, as in `GET /7`. */
  readonly served: () => readonly string[] | Promise<readonly string[]>;
  /** Whether it was killed, and has forgotten what it had served before. */
  readonly hasLostNotes?: () => boolean;
}

/**
 * Expects that client, balancer and backends agree when nothing is in flight: on what each backend answered, on what
 * was lost, and on what was served. Resolves with the most often that one request was served, by all of them together.
 */
export async function expectAgreement(
  outcomes: readonly Outcome[],
  { backends: snapshots }: BalancerSnapshot,
  backends: readonly ServingBackend[],
): Promise<number> {
  const ok = outcomes.filter(({ status }) => status === 200);
  for (const snapshot of snapshots) {
    const { name, requests, errors, aborted, inFlight } = snapshot;
    const answered = answersOf(snapshot);
    expect({ name, requests, inFlight }).toEqual({ name, requests: answered + errors + aborted, inFlight: 0 });
    // What the client was given by each backend is what the balancer says of it.
    expect({ name, answered }).toEqual({ name, answered: ok.filter(({ backend }) => backend === name).length });
  }
  // Each attempt that failed was either sent once more or told to the client.
  const failed = sumOf(snapshots, ({ errors, retries }) => errors - retries);
  expect(failed).toBe(outcomes.length - ok.length);
  const all: string[] = [];
  for (const backend of backends) {
    const served = await backend.served();
    all.push(...served);
    const noted = new Set(served);
    // No backend is sent a request twice.
    expect(noted.size).toBe(served.length);
    if (backend.hasLostNotes?.() === true) continue;
    expect(ok.filter((outcome) => outcome.backend === backend.name && !noted.has(outcome.id))).toEqual([]);
    const snapshot = snapshots.find(({ name }) => name === backend.name);
    if (snapshot?.errors === 0) expect(served.length).toBe(answersOf(snapshot));
    else if (snapshot !== undefined) expect(served.length).toBeLessThanOrEqual(snapshot.requests);
  }
  return Math.max(...Object.values(countEach(all)));
}
